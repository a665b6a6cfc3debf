// Package preview is an MCP Apps host in a browser, in front of one gateway: a page on which a person calls a tool, sees
// what the agent reads, what the widget gets and the widget itself, and what another limit makes of the same answer.
//
// It has two origins. The page's serves the files of package page and the API behind them (api.go), to whoever has the
// token in the printed URL. The sandbox's serves nothing but the outer frame of a widget, under the content security
// policy that the widget's resource declares (csp.go).
//
// This package is the bridge between the page and the gateway. It holds the connection and the credential (host.go), and
// decides what a widget may ask for (widgetcalls.go). A tool runs once for a call: what comes back is kept (tape.go), and
// what another limit would make of it the gateway's own code composes from what was kept (fit.go).
package preview
