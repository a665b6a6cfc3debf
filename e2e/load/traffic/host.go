package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// Host is one MCP host with a credential of its own and one connection that it keeps. It asks one question after the
// other. It is used by one goroutine.
type Host struct {
	// Modern makes its calls those of the revision 2026-07-28; otherwise they are of an earlier one, without a session.
	Modern bool
	// Direct makes it call the upstream itself: a call, and what a widget needs then, the redemption.
	Direct bool
	// Glances makes it look into the map data of one answer of so many, and only at the text of the others, so that hosts cost
	// little; 0: into all.
	Glances int

	url    string
	key    string
	client *http.Client
	next   Number
	random *rand.Rand
}

// NewHost returns the host with the given index, from which its numbers and its sequence of questions come.
func NewHost(url string, index int) *Host {
	return &Host{
		url: url, key: fmt.Sprintf("%s-%d", testkit.Key, index),
		client: &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleConnection}},
		next:   Number(index+1) * callsPerHost,
		random: rand.New(rand.NewPCG(uint64(index), 8)),
	}
}

// idleConnection is how long a host keeps a connection that it does not use: less than the upstream does, for hosts that
// call it directly.
const idleConnection = 3 * time.Second

// Close gives up the connection.
func (h *Host) Close() { h.client.CloseIdleConnections() }

// Any picks one of the kinds, the same ones in every run.
func (h *Host) Any(kinds []*Kind) *Kind { return kinds[h.random.IntN(len(kinds))] }

// Outcome is what came of one call.
type Outcome struct {
	Number Number
	Kind   *Kind
	Status string // of the map data
	Took   time.Duration
	// Failed says that there was no result: the connection broke, or an error was answered. Wrong says that there was one,
	// and what is wrong with it.
	Failed, Wrong error
}

// Call asks once, whatever happens, and checks the answer.
func (h *Host) Call(ctx context.Context, k *Kind) Outcome {
	o := Outcome{Number: h.next, Kind: k}
	h.next++
	began := time.Now()
	r, err := h.result(ctx, k, o.Number)
	if h.Direct && err == nil && k.data != nil {
		err = h.redeemDirectly(ctx, r, o.Number)
		o.Took = time.Since(began)
		o.Failed = err
		return o
	}
	o.Took = time.Since(began)
	switch {
	case errors.Is(err, errMixedUp):
		o.Wrong = err
	case err != nil:
		o.Failed = err
	case !h.Direct:
		o.Status, o.Wrong = k.check(r, o.Number, h.Glances > 0 && int(o.Number)%h.Glances > 0)
	}
	return o
}

var errMixedUp = errors.New("the answer to another request")

// result sends the call and returns its result, unchecked.
func (h *Host) result(ctx context.Context, k *Kind, n Number) (*result, error) {
	arguments := fmt.Sprintf(`{"caller":%d,"kind":%d,%s}`, n, k.index, k.arguments)
	return h.post(ctx, k.Tool, arguments, n)
}

func (h *Host) post(ctx context.Context, tool, arguments string, n Number) (*result, error) {
	message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, n, tool, arguments, h.meta())
	// Without GetBody the transport cannot send it a second time by itself.
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, io.NopCloser(strings.NewReader(message)))
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(message))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Tomtom-Api-Key", h.key)
	if h.Modern {
		r.Header.Set("Mcp-Protocol-Version", modernVersion)
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", tool)
	}
	answer, err := h.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("after %d bytes: %w", len(body), err)
	}
	var got response
	switch err := json.Unmarshal(dataOf(body), &got); {
	case err != nil:
		return nil, fmt.Errorf("status %d: %w: %.200q", answer.StatusCode, err, body)
	case got.Error != nil:
		return nil, fmt.Errorf("status %d: error %d: %s", answer.StatusCode, got.Error.Code, got.Error.Message)
	case got.ID != n:
		return nil, fmt.Errorf("%w: %d, not %d", errMixedUp, got.ID, n)
	case got.Result == nil:
		return nil, fmt.Errorf("status %d: neither result nor error: %.200q", answer.StatusCode, body)
	}
	return got.Result, nil
}

const modernVersion = "2026-07-28"

// meta is what a call says about its host, behind its arguments.
func (h *Host) meta() string {
	if !h.Modern {
		return ""
	}
	return `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernVersion + `","io.modelcontextprotocol/clientInfo":` +
		`{"name":"traffic","version":"1"},"io.modelcontextprotocol/clientCapabilities":` +
		`{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}}`
}

// redeemDirectly gets the map data as a widget would without a gateway, and looks whose it is.
func (h *Host) redeemDirectly(ctx context.Context, r *result, n Number) error {
	for _, item := range r.Content {
		handle := handleInText.FindStringSubmatch(item.Text)
		if handle == nil {
			continue
		}
		data, err := h.post(ctx, "tomtom-get-viz-data", fmt.Sprintf(`{"viz_id":%q}`, handle[1]), n)
		if err != nil {
			return err
		}
		if data.IsError || len(data.Content) != 1 {
			return fmt.Errorf("the upstream has no map data")
		}
		return checkNames([]byte(data.Content[0].Text), n)
	}
	return fmt.Errorf("the upstream gave no handle")
}

// Reason says why a call failed without what differs from call to call: addresses, and where an answer broke off.
func Reason(failed error) string {
	return numbers.ReplaceAllString(failed.Error(), "N")
}

var numbers = regexp.MustCompile(`\d[\d.:]*\d{2,}`)
