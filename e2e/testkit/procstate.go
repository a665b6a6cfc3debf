package testkit

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// processState is the letter of a process's state where the system has /proc; else "".
func processState(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	state, _, _ := strings.Cut(rest, " ")
	return state
}

// ResidentBytes is the memory that a process holds now.
func ResidentBytes(tb testing.TB, pid int) int {
	tb.Helper()
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		tb.Skip("this system does not say how much memory a process holds: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		tb.Fatal(err)
	}
	return pages * os.Getpagesize()
}
