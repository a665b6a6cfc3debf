// Package upstream is the demonstration's TomTom-like MCP server. It answers on the wire as the public TomTom Maps MCP
// server does (framing, headers, member order, error shapes, the in-process cache of app data), with synthetic data
// that is computed from a seed, so that the gateway can be shown and measured without a key and without a network.
// Loopback demonstrations and tests only: it checks no credential beyond its presence.
package upstream
