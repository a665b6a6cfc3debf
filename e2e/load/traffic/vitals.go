package traffic

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/e2e/testkit"
)

// Vitals are what a gateway process holds at one moment.
type Vitals struct {
	At            time.Duration // since the watch began
	Resident      int           // bytes of memory
	Descriptors   int
	Goroutines    int
	BufferedBytes int // of results and map data, as the gateway counts them
}

// Read returns the vitals of a gateway now: what the system says of its process, and the rest as it says itself.
func Read(g *testkit.Gateway) (Vitals, error) {
	metrics, err := metricsOf(g)
	if err != nil {
		return Vitals{}, err
	}
	resident, err := status(g.PID(), "VmRSS:")
	if err != nil {
		return Vitals{}, err
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", g.PID()))
	if err != nil {
		return Vitals{}, err
	}
	return Vitals{
		Resident: resident, Descriptors: len(open),
		Goroutines: int(metrics["go_goroutines"]), BufferedBytes: int(metrics["gateway_buffered_bytes"]),
	}, nil
}

// PeakResident is the most memory that a process ever held, in bytes.
func PeakResident(tb testing.TB, pid int) int {
	tb.Helper()
	peak, err := status(pid, "VmHWM:")
	if err != nil {
		tb.Fatal(err)
	}
	return peak
}

// status returns a member of /proc/PID/status that is a size, in bytes.
func status(pid int, member string) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == member {
			n, err := strconv.Atoi(fields[1])
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("process %d does not say %s", pid, member)
}

// metricsOf returns the values of the metrics that have no labels.
func metricsOf(g *testkit.Gateway) (map[string]float64, error) {
	response, err := http.Get(g.Admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	values := map[string]float64{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			values[name] = v
		}
	}
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection is used again
	return values, lines.Err()
}

// Watch reads the vitals of a gateway again and again until ctx is done, and then sends them all.
func Watch(ctx context.Context, g *testkit.Gateway, every time.Duration) <-chan []Vitals {
	all := make(chan []Vitals, 1)
	go func() {
		var seen []Vitals
		began, tick := time.Now(), time.NewTicker(every)
		defer tick.Stop()
		for ctx.Err() == nil {
			if v, err := Read(g); err == nil {
				v.At = time.Since(began)
				seen = append(seen, v)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
		all <- seen
	}()
	return all
}

// Settled returns the vitals of a gateway that no host calls any more, once nothing goes any more: when it buffers nothing,
// and for a while neither goroutines nor descriptors have become fewer. Connections that it keeps for a while are gone then.
func Settled(tb testing.TB, g *testkit.Gateway) Vitals {
	tb.Helper()
	var least Vitals
	since := time.Now()
	testkit.Eventually(tb, "a gateway at rest", func() bool {
		v, err := Read(g)
		if err != nil || v.BufferedBytes > 0 || least.Goroutines == 0 || v.Goroutines < least.Goroutines || v.Descriptors < least.Descriptors {
			least, since = v, time.Now()
		}
		return time.Since(since) > settled
	})
	return least
}

// settled is longer than the gateway keeps idle connections to the upstream.
const settled = 3 * time.Second

// AtRest waits until a gateway that no host calls any more has at most these goroutines and descriptors, and returns its
// vitals then. The test fails where it does not come to that.
func AtRest(tb testing.TB, g *testkit.Gateway, goroutines, descriptors int) Vitals {
	tb.Helper()
	var v Vitals
	testkit.Eventually(tb, fmt.Sprintf("at most %d goroutines and %d descriptors at rest", goroutines, descriptors), func() bool {
		var err error
		v, err = Read(g)
		return err == nil && v.Goroutines <= goroutines && v.Descriptors <= descriptors && v.BufferedBytes == 0
	})
	return v
}
