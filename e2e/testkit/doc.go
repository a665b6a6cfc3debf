// Package testkit is what the end-to-end tests share: the built gateway as a process, upstreams on loopback that record
// what reaches them, a client that shows answers as bytes, and readings of results and routes that are written
// independently of the packages under test.
//
// Everything takes a testing.TB, ends with the test that started it, and waits for conditions, never for time.
package testkit
