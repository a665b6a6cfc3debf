package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// maxAppDataBytes bounds a fetched document. It is what widgets are ready to unpack.
const maxAppDataBytes = 64 << 20

// maxAppDataAnswer bounds the upstream's answer that such a document comes in: as a string in which every byte may
// be escaped, in an envelope.
const maxAppDataAnswer = 2*maxAppDataBytes + 1<<20

// fetchable is the one tool that tomtom-get-app-data runs: what it fetches is a caller's own and costs no request to
// TomTom's services, unlike every other tool.
var fetchable = func() string {
	tools := policy.Tools()
	return tools[slices.IndexFunc(tools, func(t policy.Tool) bool { return t.Fetchable })].Name
}()

// appData answers tomtom-get-app-data: it runs the fetchable tool once with the arguments of m and returns its data
// whole and exact.
func (d *desk) appData(ctx context.Context, r *http.Request, m message) (result []byte, failed *rpcError) {
	if ref, ok := jsonspan.Find(m.body, m.args, memberAppDataRef); ok && d.recent != nil {
		return d.recentAppData(stringAt(m.body, ref.Value)), nil
	}
	call, failed := dataCall(m)
	if failed != nil {
		return nil, failed
	}
	began := time.Now()
	document, refusal, err := d.fetch(ctx, namedRequest(r, fetchable), call)
	outcome := fetchOutcome(document, refusal, err)
	d.metrics.fetches.WithLabelValues(outcome).Inc()
	switch {
	case outcome == outcomeTooLarge:
		d.log.WarnContext(ctx, "app data not fetched", slog.String("tool", policy.GetAppData), slog.String("reason", outcome))
		return textResult(fmt.Sprintf("%s: the data has more than %d MiB", policy.GetAppData, maxAppDataBytes>>20), true), nil
	case err != nil:
		d.log.WarnContext(ctx, "app data not fetched", slog.String("tool", policy.GetAppData), slog.String("reason", outcome), slog.Any("err", err))
		if errors.Is(err, errBusy) {
			return textResult(policy.GetAppData+": the data is larger than what the gateway can hold now", true), nil
		}
		return textResult(policy.GetAppData+": the data could not be fetched", true), nil
	case refusal != nil:
		return refusal, nil
	}
	packed := fitter.Encode(document)
	if d.good.take() {
		d.log.InfoContext(ctx, "app data fetched", slog.String("tool", policy.GetAppData),
			slog.Int("app_data_chars", len(packed)), slog.Float64("duration_ms", milliseconds(time.Since(began))))
	}
	return appDataResult(packed), nil
}

const outcomeTooLarge = "too large"

// fetchOutcome is what became of a fetch, as one of few words for logs and metrics.
func fetchOutcome(document, refusal []byte, err error) string {
	switch {
	case errors.Is(err, errEventTooLarge) || len(document) > maxAppDataBytes:
		return outcomeTooLarge
	case err != nil:
		return reasonOf(err)
	case refusal != nil:
		return "refused"
	}
	return "fetched"
}

// recentAppData answers tomtom-get-app-data for a reference: no tool runs.
func (d *desk) recentAppData(ref string) []byte {
	packed, ok := d.recent.find(ref)
	if !ok {
		d.metrics.fetches.WithLabelValues("not kept").Inc()
		return textResult(fmt.Sprintf("%s: %s: unknown, or no longer kept: the gateway keeps the data of the last %d results, until it ends",
			policy.GetAppData, memberAppDataRef, d.recent.most), true)
	}
	d.metrics.fetches.WithLabelValues("kept").Inc()
	return appDataResult(packed)
}

// appDataResult returns a CallToolResult whose text is {"app_data":…}. The base64 needs no escapes; the quotes around
// it do.
func appDataResult(packed []byte) []byte {
	const before, after = `{"content":[{"type":"text","text":"{\"app_data\":\"`, `\"}"}],"isError":false}`
	result := make([]byte, 0, len(before)+len(packed)+len(after))
	result = append(result, before...)
	result = append(result, packed...)
	return append(result, after...)
}

// dataCall turns a call of tomtom-get-app-data into one of the fetchable tool: same id, same arguments, except that
// show_ui is true, without which newer upstreams hand out no data. The error names what the tool cannot do without.
func dataCall(m message) (call message, failed *rpcError) {
	wrong := func(member, why string) (message, *rpcError) {
		return message{}, invalidArgument(policy.GetAppData, member, why)
	}
	if !jsonspan.IsObject(m.body, m.args) {
		return wrong("arguments", "want the input of "+fetchable)
	}
	_, hasURL := jsonspan.Find(m.body, m.args, "data_url")
	_, hasInline := jsonspan.Find(m.body, m.args, "geojson")
	if !hasURL && !hasInline {
		return wrong("data_url or geojson", "missing; want the input of "+fetchable)
	}
	var edits []jsonspan.Edit
	for member := range jsonspan.Members(m.body, m.params) {
		if member.Named(m.body, "name") {
			edits = append(edits, replace(m.body, member.Value, quoted(fetchable))...)
		}
	}
	edits = append(edits, setMembers(m.body, m.args, []metaMember{{name: showUI, value: []byte("true")}})...)
	jsonspan.Sort(edits)
	calls, _, err := scanMessages(jsonspan.Apply(nil, m.raw(m.span), shift(edits, -m.span.Start)))
	if err != nil || len(calls) != 1 {
		return wrong("arguments", "cannot be read")
	}
	return calls[0], nil
}

// namedRequest returns r with the tool's name where the 2026-07-28 revision mirrors it in a header. r is not changed.
func namedRequest(r *http.Request, tool string) *http.Request {
	if r.Header.Get("Mcp-Name") == "" {
		return r
	}
	named := r.WithContext(r.Context())
	named.Header = r.Header.Clone()
	named.Header.Set("Mcp-Name", tool)
	return named
}
