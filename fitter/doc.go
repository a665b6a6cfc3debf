// Package fitter makes the data behind a map small enough to travel inside a tool result.
package fitter
