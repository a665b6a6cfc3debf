package proxy

import (
	"fmt"
	"log/slog"
	"net/http"
)

// Gateway is the MCP endpoint: an http.Handler that serves any number of hosts at once.
type Gateway struct {
	options Options
	log     *slog.Logger
	handler http.Handler
}

// New checks the options and builds a Gateway. Close it when its server has drained.
func New(options Options) (*Gateway, error) {
	options, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gateway options: %w", err)
	}
	g := &Gateway{options: options, log: options.Logger}
	return g, nil
}

// ServeHTTP handles one HTTP request of a host.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.handler.ServeHTTP(w, r) }
