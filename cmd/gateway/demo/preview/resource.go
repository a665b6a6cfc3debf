package preview

import (
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	uiScheme       = "ui://"
	widgetMIMEType = "text/html;profile=mcp-app"
	maxWidgetBytes = 8 << 20
	maxURIBytes    = 2048
	readTimeout    = 30 * time.Second
)

// view is one showing of a widget: what its frame may use.
type view struct {
	id     string
	policy csp
}

// maxViews bounds the views that can still be opened. A page has one or two.
const maxViews = 64

// views are the last ones. It is safe for concurrent use.
type views struct {
	mu  sync.Mutex
	all []view // oldest first
}

func newViews() *views { return &views{} }

func (v *views) add(policy csp) (id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.all) == maxViews {
		v.all = slices.Delete(v.all, 0, 1)
	}
	id = newSecret()
	v.all = append(v.all, view{id, policy})
	return id
}

func (v *views) find(id string) (csp, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := slices.IndexFunc(v.all, func(w view) bool { return w.id == id })
	if i < 0 {
		return csp{}, false
	}
	return v.all[i].policy, true
}

type resourceMembers struct {
	View     string   `json:"view"`
	URI      string   `json:"uri"`
	MIMEType string   `json:"mimeType"`
	CSP      csp      `json:"csp"`
	Refused  []string `json:"refused,omitempty"` // domains that the policy leaves out
	Sandbox  string   `json:"sandbox"`
	HTML     string   `json:"html"`
}

// getResource fetches a widget's document and opens a view for it.
func (p *Preview) getResource(r *http.Request) (reply, error) {
	uri := r.URL.Query().Get("uri")
	if !strings.HasPrefix(uri, uiScheme) || len(uri) > maxURIBytes {
		return reply{}, problemf(http.StatusBadRequest, "A widget's address begins with %s: nothing else is fetched.", uiScheme)
	}
	ctx, cancel := withTimeout(r.Context(), readTimeout)
	defer cancel()
	result, err := p.host.ask(ctx, "resources/read", map[string]string{"uri": uri})
	if err != nil {
		return reply{}, err
	}
	html, declared, err := readWidget(result)
	if err != nil {
		return reply{}, err
	}
	allowed, refused := declared.approved()
	id := p.views.add(allowed)
	return reply{members: resourceMembers{
		View: id, URI: uri, MIMEType: widgetMIMEType, CSP: allowed, Refused: refused,
		Sandbox: p.options.SandboxOrigin + "/view/" + id, HTML: html,
	}}, nil
}

// readWidget takes the one document out of a resources/read result.
func readWidget(result json.RawMessage) (html string, declared csp, err error) {
	var read struct {
		Contents []struct {
			MIMEType string  `json:"mimeType"`
			Text     *string `json:"text"`
			Blob     *string `json:"blob"`
			Meta     struct {
				UI struct {
					CSP csp `json:"csp"`
				} `json:"ui"`
			} `json:"_meta"`
		} `json:"contents"`
	}
	refuse := func(format string, a ...any) (string, csp, error) {
		return "", csp{}, problemf(http.StatusBadGateway, format, a...)
	}
	if err := json.Unmarshal(result, &read); err != nil {
		return refuse("The widget's resource cannot be read: %s.", jsonReason(err))
	}
	if len(read.Contents) != 1 {
		return refuse("The widget's resource has %d contents: a host draws exactly one.", len(read.Contents))
	}
	content := read.Contents[0]
	if !isWidgetType(content.MIMEType) {
		return refuse("The widget's resource is %q: a host draws %s alone.", clip(content.MIMEType), widgetMIMEType)
	}
	switch {
	case content.Text != nil && content.Blob == nil:
		html = *content.Text
	case content.Blob != nil && content.Text == nil:
		decoded, err := base64.StdEncoding.DecodeString(*content.Blob)
		if err != nil {
			return refuse("The widget's document is no base64.")
		}
		html = string(decoded)
	default:
		return refuse("The widget's resource needs a text or a blob.")
	}
	if len(html) > maxWidgetBytes {
		return refuse("The widget's document has more than %d bytes.", maxWidgetBytes)
	}
	return html, content.Meta.UI.CSP, nil
}

// isWidgetType reports whether a resource is a document that hosts draw, however its type is spelled.
func isWidgetType(mimeType string) bool {
	mediaType, params, err := mime.ParseMediaType(mimeType)
	return err == nil && mediaType == "text/html" && params["profile"] == "mcp-app"
}

// sandboxRoutes serve the outer frame of a view, and nothing else.
func (p *Preview) sandboxRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /view/{id}", func(w http.ResponseWriter, r *http.Request) {
		policy, ok := p.views.find(r.PathValue("id"))
		if !ok {
			writeProblem(w, problem{http.StatusNotFound, "There is no such view, or it is too old."})
			return
		}
		if r.URL.Query().Get("csp") == "strict" {
			policy = csp{}
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy.policy(p.options.PageOrigin))
		h.Set("Connection-Allowlist", policy.connections())
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(p.document) // a frame that has gone needs no answer
	})
	return mux
}
