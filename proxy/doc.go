// Package proxy carries MCP over streamable HTTP between a host and one upstream MCP server. Messages that it does
// not own pass byte for byte, both ways. It owns the results of tools/list, resources/list, resources/read,
// tools/call and initialize: there it finds the spans that have to change, replaces them, and copies everything
// else. Tool results get their app data put inside, fitted to the host's limit.
//
// The package knows MCP and HTTP. What a tool is comes from package policy, how a document is made small from
// package fitter. It reads no environment and knows no command line: New takes Options.
package proxy
