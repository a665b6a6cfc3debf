// Package stdio brings MCP over pipes, one JSON-RPC message a line, to a gateway that speaks streamable HTTP, at either
// end. [ServeHost] reads a host's lines and hands each as a request to an http.Handler; what that answers goes out as
// lines. A [Pipe] is the other end: an http.RoundTripper that writes requests as lines to a server's standard input and
// finds the answers among the lines that come back; a [Pool] is that for several sessions with a process each. Nothing
// is sent over a network in between, and lines are never decoded and encoded again: what changes in them are the spans
// of ids and progress tokens, where two of them would be the same on one pipe.
//
// A [Child] is the process that such a server runs in.
package stdio
