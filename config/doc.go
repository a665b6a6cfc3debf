// Package config turns the gateway's environment into one struct, and every mistake in it into one error.
//
// Only this package knows the prefix GATEWAY_. The structs in variables.go are the manual: the comment of each field is
// what docs/configuration.md and `gateway config -help` say about it. The package never logs, never exits, and never
// shows a secret.
package config

//go:generate go run ./gendoc
