// Package traffic is what the tests under load share: hosts that call tools of a gateway at once and check every answer,
// and an upstream that writes down what reached it.
//
// Each call has a number of its own. The upstream puts it into the text, as a name, and into the map data, as a name and
// as the digits of the first position; an answer that belongs to another call, or is put together of two, is found by it.
// Nothing here asks how fast anything is: that is for benchmarks to report.
package traffic
