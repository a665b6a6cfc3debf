package preview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"tomtom-mcp-gateway/proxy"
)

const (
	protocolVersion = "2025-11-25"
	hostName        = "tomtom-mcp-gateway-preview"
	maxListPages    = 20
	leaveTimeout    = 2 * time.Second
)

var errClosed = errors.New("the preview is closed")

// host is the MCP host: one session with the gateway, with widgets, and with the credential in every request. Over the
// same session it has gateways of other limits compose what was kept: a session id tells any of them the same.
type host struct {
	options proxy.Options
	version string
	key     string
	deck    *deck
	live    *proxy.Gateway
	replays *slog.Logger // of gateways that play a tape
	maximum int64        // bytes of an answer of the gateway

	life    context.Context //nolint:containedctx // the host's own: close ends it
	end     context.CancelFunc
	running sync.WaitGroup

	opening sync.Mutex // held by whoever opens a session
	mu      sync.Mutex
	session *session // nil: none is open
	known   []tool   // as listed last; nil: not yet
	ids     int
}

// session is an open session and what the server said of itself.
type session struct {
	id       string
	revision string // "" until it is agreed upon
	name     string // as the server calls itself
	version  string
}

// newHost builds the host. Nothing is sent yet.
func newHost(o Options, book *logBook) (*host, error) {
	h := &host{
		options: o.Gateway, version: o.Gateway.Version, key: o.Credential,
		deck:    newDeck(o.Gateway, o.Credential),
		replays: slog.New(book.replays(hider(o.Credential))),
		maximum: 2*o.Gateway.MaxResponseBytes + 1<<20,
	}
	h.options.Transport = h.deck
	h.options.Logger = slog.New(book.handler(o.Gateway.Logger.Handler(), hider(o.Credential)))
	var err error
	if h.live, err = proxy.New(h.options); err != nil {
		return nil, err
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h, nil
}

// close ends what is on its way and waits for it.
func (h *host) close(ctx context.Context) {
	h.leave(ctx)
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.live.Close()
	h.running.Wait()
	h.deck.shared.CloseIdleConnections()
}

// leave tells the other side that the session is over.
func (h *host) leave(ctx context.Context) {
	s := h.current()
	if s == nil || s.id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, h.options.Upstream.Path, http.NoBody)
	if err != nil {
		return
	}
	r.Header.Set("Mcp-Session-Id", s.id)
	if h.key != "" {
		r.Header.Set("Tomtom-Api-Key", h.key)
	}
	_ = newAnswer(h.maximum).take(h.live, r) // a courtesy
}

// begin notes work that close has to wait for.
func (h *host) begin() (done func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life.Err() != nil {
		return nil, errClosed
	}
	h.running.Add(1)
	return h.running.Done, nil
}

// limited returns a gateway of another limit for one tool, and what closes it. One that plays a tape logs for the page
// alone.
func (h *host) limited(tool string, limit int, plays bool) (gateway *proxy.Gateway, done func(), err error) {
	o := h.options
	o.LimitChars, o.ToolLimitChars = limit, map[string]int{tool: limit}
	if plays {
		o.Logger = h.replays
	}
	if gateway, err = proxy.New(o); err != nil {
		return nil, nil, fmt.Errorf("gateway of %d characters: %w", limit, err)
	}
	stop := context.AfterFunc(h.life, gateway.Close)
	return gateway, func() {
		stop()
		gateway.Close()
	}, nil
}

// newRequest returns the body of a request with an id of its own.
func (h *host) newRequest(method string, params any) (id string, body []byte, err error) {
	h.mu.Lock()
	h.ids++
	id = fmt.Sprintf("preview-%d", h.ids)
	h.mu.Unlock()
	body, err = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return "", nil, fmt.Errorf("write %s: %w", method, err)
	}
	return id, body, nil
}

// ask sends a request of the open session through the gateway and returns its result, raw. Where the other side has
// ended the session, another is opened, and the request sent again. That is not for calls of tools.
func (h *host) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	for again := false; ; again = true {
		s, err := h.open(ctx)
		if err != nil {
			return nil, err
		}
		id, body, err := h.newRequest(method, params)
		if err != nil {
			return nil, err
		}
		result, err := h.post(ctx, h.live, s, id, body)
		if errors.Is(err, errSessionEnded) && !again {
			continue
		}
		return result, err
	}
}

// post sends a message through a gateway and returns the result of the response to id; nil for a notification.
func (h *host) post(ctx context.Context, gateway http.Handler, s *session, id string, body []byte) (json.RawMessage, error) {
	done, err := h.begin()
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.options.Upstream.Path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the gateway: %w", err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("User-Agent", hostName)
	if h.key != "" {
		r.Header.Set("Tomtom-Api-Key", h.key)
	}
	if s != nil {
		if s.revision != "" {
			r.Header.Set("Mcp-Protocol-Version", s.revision)
		}
		if s.id != "" {
			r.Header.Set("Mcp-Session-Id", s.id)
		}
	}
	answer := newAnswer(h.maximum)
	if err := answer.take(gateway, r); err != nil {
		return nil, err
	}
	if s != nil && s.id != "" && answer.status == http.StatusNotFound {
		h.lose(s)
		return nil, errSessionEnded
	}
	if opened := answer.header.Get("Mcp-Session-Id"); s != nil && opened != "" && s.id == "" {
		s.id = opened
	}
	return answer.result(id)
}

// open returns the session, and opens one where there is none.
func (h *host) open(ctx context.Context) (*session, error) {
	h.opening.Lock()
	defer h.opening.Unlock()
	if s := h.current(); s != nil {
		return s, nil
	}
	s := &session{}
	id, body, err := h.newRequest("initialize", map[string]any{
		"protocolVersion": protocolVersion,
		"clientInfo":      map[string]string{"name": hostName, "version": h.version},
		"capabilities": map[string]any{"extensions": map[string]any{
			"io.modelcontextprotocol/ui": map[string]any{"mimeTypes": []string{widgetMIMEType}},
		}},
	})
	if err != nil {
		return nil, err
	}
	result, err := h.post(ctx, h.live, s, id, body)
	if err != nil {
		return nil, err
	}
	var greeting struct {
		ProtocolVersion string `json:"protocolVersion"`
		ServerInfo      struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	if err := json.Unmarshal(result, &greeting); err != nil || greeting.ProtocolVersion == "" {
		return nil, problemf(http.StatusBadGateway, "The MCP server's answer to initialize cannot be read.")
	}
	s.revision, s.name, s.version = greeting.ProtocolVersion, greeting.ServerInfo.Name, greeting.ServerInfo.Version
	note := []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if _, err := h.post(ctx, h.live, s, "", note); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.session = s
	return s, nil
}

// current is the open session; nil without one.
func (h *host) current() *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.session
}

// lose forgets a session that has ended.
func (h *host) lose(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session == s {
		h.session = nil
	}
}

// tool is an entry of tools/list.
type tool struct {
	name       string
	raw        json.RawMessage
	visibility []string // nil: everybody
}

// visibleTo reports whether "model" or "app" may call the tool.
func (t tool) visibleTo(who string) bool {
	return t.visibility == nil || slices.Contains(t.visibility, who)
}

// tools returns the session's tools as the gateway listed them last; fresh asks for them again.
func (h *host) tools(ctx context.Context, fresh bool) ([]tool, error) {
	if _, err := h.open(ctx); err != nil {
		return nil, err
	}
	h.mu.Lock()
	known := h.known
	h.mu.Unlock()
	if known != nil && !fresh {
		return known, nil
	}
	known, err := h.listTools(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known = known
	return known, nil
}

func (h *host) listTools(ctx context.Context) ([]tool, error) {
	tools, cursor := []tool{}, ""
	for range maxListPages {
		params := map[string]string{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		result, err := h.ask(ctx, "tools/list", params)
		if err != nil {
			return nil, err
		}
		var listed struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor string            `json:"nextCursor"`
		}
		if err := json.Unmarshal(result, &listed); err != nil {
			return nil, problemf(http.StatusBadGateway, "The list of tools cannot be read: %s.", jsonReason(err))
		}
		for _, raw := range listed.Tools {
			t, err := readTool(raw)
			if err != nil {
				return nil, err
			}
			tools = append(tools, t)
		}
		if cursor = listed.NextCursor; cursor == "" {
			break
		}
	}
	return tools, nil
}

func readTool(raw json.RawMessage) (tool, error) {
	var entry struct {
		Name string `json:"name"`
		Meta struct {
			UI struct {
				Visibility *[]string `json:"visibility"`
			} `json:"ui"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &entry); err != nil || strings.TrimSpace(entry.Name) == "" {
		return tool{}, problemf(http.StatusBadGateway, "The list of tools holds one that cannot be read.")
	}
	t := tool{name: entry.Name, raw: raw}
	if entry.Meta.UI.Visibility != nil {
		t.visibility = append([]string{}, *entry.Meta.UI.Visibility...) // not nil: an empty list is nobody
	}
	return t, nil
}
