package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
)

// testDesk returns a desk with a map key whose upstream answers through fetch.
func testDesk(t testing.TB, fetch fetchFunc) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s, err := newStatuses(log, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMetrics(nil, newRoom(1))
	if err != nil {
		t.Fatal(err)
	}
	return &desk{statuses: s, data: newBucket(), metrics: m, good: &sampler{}, mapKey: "map-key", log: log, fetch: fetch}
}

// toolCall returns a tools/call; empty args: none.
func toolCall(t testing.TB, name, args string) message {
	t.Helper()
	if args != "" {
		args = `,"arguments":` + args
	}
	return scanned(t, []byte(`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":{"name":"`+name+`"`+args+`}}`))
}

func requestWith(header, value string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	if header != "" {
		r.Header.Set(header, value)
	}
	return r
}

// textOf returns the one text of a CallToolResult.
func textOf(t testing.TB, result []byte) (text string, isError bool) {
	t.Helper()
	var got struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &got); err != nil || len(got.Content) != 1 || got.Content[0].Type != "text" {
		t.Fatalf("not a result of one text: %s (%v)", result, err)
	}
	return got.Content[0].Text, got.IsError
}

func TestDeskAnswers(t *testing.T) {
	d := testDesk(t, nil)
	for name, want := range map[string]bool{
		policy.GetAppData: true, policy.ReportAppStatus: true, policy.GetVizData: true, policy.GetDataset: true,
		policy.GetAPIKey: true, "tomtom-data-viz": false, "": false,
	} {
		if got := d.answers(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
	d.mapKey = ""
	if d.answers(policy.GetAPIKey) {
		t.Error("without a map key the upstream's own tool answers")
	}
}

func TestDeskRefusesTheCache(t *testing.T) {
	for _, name := range []string{policy.GetVizData, policy.GetDataset} {
		result, failed := testDesk(t, nil).tool(t.Context(), requestWith("tomtom-api-key", "k"), toolCall(t, name, `{"viz_id":"x"}`))
		if result != nil || failed == nil || failed.code != codeInvalidParams || !strings.Contains(failed.message, name) {
			t.Errorf("%s: %s, %v", name, result, failed)
		}
	}
}

func TestDeskWantsACredential(t *testing.T) {
	fetch := func(context.Context, *http.Request, message) ([]byte, []byte, error) {
		t.Error("went upstream without a credential")
		return nil, nil, errors.New("no")
	}
	calls := map[string]string{
		policy.GetAppData: `{"geojson":"{}"}`, policy.GetAPIKey: `{}`, policy.ReportAppStatus: `{"tool":"t","outcome":"drawn","source":"inline"}`,
	}
	for name, args := range calls {
		for _, header := range []string{"", "tomtom-api-key", "Authorization"} {
			_, failed := testDesk(t, fetch).tool(t.Context(), requestWith(header, " "), toolCall(t, name, args))
			if failed != errNoCredential || failed.status() != http.StatusUnauthorized {
				t.Errorf("%s with an empty %q: %v", name, header, failed)
			}
		}
	}
}

func TestDeskAnswersTheMapKey(t *testing.T) {
	for _, header := range []string{"tomtom-api-key", "Authorization"} {
		result, failed := testDesk(t, nil).tool(t.Context(), requestWith(header, "Bearer x"), toolCall(t, policy.GetAPIKey, ""))
		if failed != nil {
			t.Fatal(failed)
		}
		if text, isError := textOf(t, result); text != "map-key" || isError {
			t.Errorf("%q, error %t", text, isError)
		}
	}
}

func TestAppDataRunsTheDataToolOnce(t *testing.T) {
	const document = `{"geojson":{"type":"FeatureCollection","features":[]},"layers":[{"n":1.0}]}`
	var calls []message
	var names []string
	d := testDesk(t, func(_ context.Context, r *http.Request, call message) ([]byte, []byte, error) {
		calls = append(calls, call)
		names = append(names, r.Header.Get("Mcp-Name"))
		return []byte(document), nil, nil
	})
	r := requestWith("tomtom-api-key", "k")
	r.Header.Set("Mcp-Name", policy.GetAppData)
	m := scanned(t, []byte(`{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"_meta":{"progressToken":7},"n\u0061me":"tomtom-get-app-data" ,"arguments":{"data_url":"https://x/\u00fc", "show_ui" : false,"layers":[{"a":1e400}]}}}`))
	result, failed := d.tool(t.Context(), r, m)
	if failed != nil {
		t.Fatal(failed)
	}
	if len(calls) != 1 || names[0] != "tomtom-data-viz" || r.Header.Get("Mcp-Name") != policy.GetAppData {
		t.Fatalf("%d calls, named %v", len(calls), names)
	}
	if got, want := string(calls[0].body), `{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"_meta":{"progressToken":7},"n\u0061me":"tomtom-data-viz" ,"arguments":{"data_url":"https://x/\u00fc", "show_ui" : true,"layers":[{"a":1e400}]}}}`; got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	text, isError := textOf(t, result)
	var got struct {
		AppData string `json:"app_data"`
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || isError {
		t.Fatalf("%q: %v, error %t", text, err, isError)
	}
	unpacked, err := fitter.Decode([]byte(got.AppData), maxAppDataBytes)
	if err != nil || string(unpacked) != document {
		t.Errorf("unpacked %q, %v", unpacked, err)
	}
}

func TestAppDataRefusesOtherArguments(t *testing.T) {
	d := testDesk(t, func(context.Context, *http.Request, message) ([]byte, []byte, error) {
		t.Error("went upstream")
		return nil, nil, errors.New("no")
	})
	for name, test := range map[string]struct{ args, member string }{
		"none":                     {"", "arguments"},
		"null":                     {"null", "arguments"},
		"an array":                 {`[{"geojson":"{}"}]`, "arguments"},
		"empty":                    {"{}", "data_url or geojson"},
		"another tool's":           {`{"locations":[[1,2],[3,4]],"show_ui":true}`, "data_url or geojson"},
		"nothing but how to draw":  {`{"layers":[{"type":"markers"}]}`, "data_url or geojson"},
		"a reference to a process": {`{"app_data_ref":"x"}`, "data_url or geojson"},
	} {
		t.Run(name, func(t *testing.T) {
			_, failed := d.tool(t.Context(), requestWith("tomtom-api-key", "k"), toolCall(t, policy.GetAppData, test.args))
			if failed == nil || failed.code != codeInvalidParams || !strings.Contains(failed.message, test.member) {
				t.Errorf("%v", failed)
			}
		})
	}
}

func TestAppDataSaysWhyThereIsNone(t *testing.T) {
	const refusal = `{"content":[{"type":"text","text":"{\"error\":\"HTTP 404\"}"}],"isError":true,"x":1.0}`
	for name, test := range map[string]struct {
		document, refusal []byte
		err               error
		want              string // in the text
		raw               string // the result
	}{
		"the upstream's own error passes":   {refusal: []byte(refusal), raw: refusal},
		"more than a widget can unpack":     {document: make([]byte, maxAppDataBytes+1), want: "64 MiB"},
		"more than the gateway reads":       {err: fmt.Errorf("redeem: %w", errEventTooLarge), want: "64 MiB"},
		"more than the gateway may hold":    {err: fmt.Errorf("redeem: %w", errBusy), want: "can hold now"},
		"an error of the gateway's, hidden": {err: errors.New("dial tcp 10.0.0.7: refused"), want: "could not be fetched"},
	} {
		t.Run(name, func(t *testing.T) {
			d := testDesk(t, func(context.Context, *http.Request, message) ([]byte, []byte, error) {
				return test.document, test.refusal, test.err
			})
			result, failed := d.tool(t.Context(), requestWith("tomtom-api-key", "k"), toolCall(t, policy.GetAppData, `{"geojson":"{}"}`))
			if failed != nil {
				t.Fatal(failed)
			}
			text, isError := textOf(t, result)
			if !isError || !strings.Contains(text, test.want) || strings.Contains(text, "10.0.0.7") {
				t.Errorf("%q, error %t", text, isError)
			}
			if test.raw != "" && string(result) != test.raw {
				t.Errorf("got %s", result)
			}
		})
	}
	t.Run("exactly as much as a widget can unpack", func(t *testing.T) {
		d := testDesk(t, func(context.Context, *http.Request, message) ([]byte, []byte, error) {
			return make([]byte, maxAppDataBytes), nil, nil
		})
		result, failed := d.tool(t.Context(), requestWith("tomtom-api-key", "k"), toolCall(t, policy.GetAppData, `{"geojson":"{}"}`))
		if failed != nil {
			t.Fatal(failed)
		}
		if text, isError := textOf(t, result); isError || !strings.HasPrefix(text, `{"app_data":"`) {
			t.Errorf("%.80q, error %t", text, isError)
		}
	})
}

func FuzzDataCall(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"tools/call","params":{"name":"tomtom-get-app-data","arguments":{"geojson":"x"}}}`))
	f.Add([]byte(` {"id":1,"method":"tools/call","params":{"name":1,"name":"a","arguments":{"data_url":null,"show_ui":0,"show_ui":{}}}} `))
	f.Fuzz(func(t *testing.T, body []byte) {
		messages, _, err := scanMessages(body)
		if err != nil {
			return
		}
		for _, m := range messages {
			call, failed := dataCall(m)
			if failed != nil {
				continue
			}
			if m.name == policy.GetAppData && call.name != fetchable {
				t.Errorf("would run %q: %s", call.name, call.body)
			}
			if string(call.raw(call.id)) != string(m.raw(m.id)) {
				t.Errorf("the id changed: %s", call.body)
			}
		}
	})
}
