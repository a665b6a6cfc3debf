package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"tomtom-mcp-gateway/fitter"
	"tomtom-mcp-gateway/policy"
	"tomtom-mcp-gateway/proxy"
)

// defaultFitChars is what a result of the default limit has for app data beside a text of usual length.
const defaultFitChars = 115_600

// fitOptions are the flags of gateway fit.
type fitOptions struct {
	limitChars int
	tool       string
	maxErrorM  float64 // 0: the tool's own
	data       bool
	explain    bool
}

func fitCommand() command {
	return command{
		name:      "fit",
		arguments: "FILE",
		summary:   "fit the JSON document in FILE offline and say what became of it",
		help: `Fits the JSON document in FILE ('-': standard input) as the gateway would fit it into a tool result, and prints one JSON
object on one line:

  status           inline (exact), fitted (route lines altered) or too_large (it did not fit)
  points           vertices of the route lines as fitted
  original_points  vertices of the route lines in FILE
  max_error_m      largest distance in metres from a vertex of FILE to the line as fitted, exact
  characters       length of the app data: base64 of the gzipped document
  shed             what was left out to stay accurate, in order
  duration_ms      how long the fitting took
  app_data         the app data itself, with -data

FILE is what a widget draws from: the app data of a result, or the full response of a tool. Exits with 0 whenever FILE
could be read, also when the document did not fit; with 1 where it is no JSON or cannot be read.

examples:
  gateway fit route.json
  gateway fit -limit 60000 -explain route.json
  gateway fit -data route.json | jq -r .app_data | base64 -d | gunzip > fitted.json
  curl -s … | gateway fit -tool tomtom-ev-routing -
`,
		bind: func(flags *flag.FlagSet) func(context.Context, invocation) error {
			var o fitOptions
			flags.IntVar(&o.limitChars, "limit", defaultFitChars, "`characters` that the app data may have")
			flags.StringVar(&o.tool, "tool", "tomtom-routing", "`name` of the tool whose policy applies")
			flags.Float64Var(&o.maxErrorM, "max-error", 0, "largest error in `metres` that may be drawn (default: the tool's)")
			flags.BoolVar(&o.data, "data", false, "print the app data too")
			flags.BoolVar(&o.explain, "explain", false, "list the steps that were tried on standard error")
			return func(_ context.Context, inv invocation) error { return o.run(inv) }
		},
	}
}

func (o fitOptions) run(inv invocation) error {
	tool, err := o.check(inv.args)
	if err != nil {
		return err
	}
	doc, err := readDocument(inv.args[0], inv.in)
	if err != nil {
		return err
	}
	maxErrorM := o.maxErrorM
	if maxErrorM == 0 {
		maxErrorM = tool.MaxErrorM
	}
	start := time.Now()
	result, err := fitter.Fit(doc, planFor(tool, maxErrorM), fitter.Budget{Chars: o.limitChars})
	took := time.Since(start)
	if err != nil {
		return fmt.Errorf("fit %s: %w", inv.args[0], err)
	}
	if o.explain {
		if err := explain(inv.err, result); err != nil {
			return err
		}
	}
	return o.print(inv.out, result, took)
}

// planFor is the gateway's own plan, and takes a route that is a file of its own too: a Feature that stands alone.
func planFor(tool policy.Tool, maxErrorM float64) fitter.Plan {
	plan := proxy.PlanFor(tool, maxErrorM)
	if len(plan.Lines) > 0 {
		plan.Lines = append(plan.Lines, fitter.Path{})
	}
	return plan
}

// check refuses a command line that nothing can be done with, before anything is read.
func (o fitOptions) check(args []string) (policy.Tool, error) {
	refuse := func(format string, a ...any) (policy.Tool, error) {
		return policy.Tool{}, &usageError{command: "fit", reason: fmt.Sprintf(format, a...)}
	}
	tool, known := policy.For(o.tool)
	switch {
	case len(args) == 0:
		return refuse("FILE is missing")
	case len(args) > 1:
		return refuse("one FILE at a time, and flags before it: %q is too much", args[1])
	case o.limitChars <= 0:
		return refuse("-limit %d: it has to be above 0", o.limitChars)
	case o.maxErrorM < 0 || math.IsNaN(o.maxErrorM):
		return refuse("-max-error %v: it has to be above 0", o.maxErrorM)
	case !known:
		return refuse("-tool %q: no policy for it; there is one for %s", o.tool, strings.Join(toolNames(), ", "))
	}
	return tool, nil
}

func toolNames() []string {
	var names []string
	for _, t := range policy.Tools() {
		names = append(names, t.Name)
	}
	return names
}

func readDocument(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		doc, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return doc, nil
	}
	doc, err := os.ReadFile(path)
	if err != nil {
		if pathError, ok := errors.AsType[*os.PathError](err); ok {
			err = pathError.Err // which names the path once more
		}
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return doc, nil
}

// fitReport is the line that gateway fit prints; its members are part of the gateway's interface.
type fitReport struct {
	Status         string   `json:"status"`
	Points         int      `json:"points"`
	OriginalPoints int      `json:"original_points"`
	MaxErrorM      float64  `json:"max_error_m"`
	Characters     int      `json:"characters"`
	Shed           []string `json:"shed"`
	DurationMS     float64  `json:"duration_ms"`
	AppData        string   `json:"app_data,omitempty"`
}

func (o fitOptions) print(w io.Writer, result fitter.Result, took time.Duration) error {
	report := fitReport{
		Status:         fitStatus(result.Status),
		Points:         result.Points,
		OriginalPoints: result.OriginalPoints,
		MaxErrorM:      result.MaxErrorM,
		Characters:     result.Chars,
		Shed:           append([]string{}, result.Shed...), // an array also where nothing was shed
		DurationMS:     milliseconds(took),
	}
	if o.data {
		report.AppData = string(result.AppData)
	}
	line, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return write(w, string(line)+"\n")
}

// fitStatus is the status that a tool result would carry.
func fitStatus(s fitter.Status) string {
	switch s {
	case fitter.Exact:
		return "inline"
	case fitter.Fitted:
		return "fitted"
	default:
		return "too_large"
	}
}

// explain lists what was tried, one step a line. Where ~ stands before a step's figures, they are an estimate.
func explain(w io.Writer, result fitter.Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(table, "step\tcharacters\tvertices\terror_m\tdecimals\tms\tkept\t") // Flush reports what could not be written
	for _, step := range result.Steps {
		vertices, errorM, kept, about := "-", "-", "no", ""
		if step.Estimated {
			about = "~"
		}
		if step.Vertices > 0 {
			vertices = about + strconv.Itoa(step.Vertices)
		}
		if !math.IsInf(step.ErrorM, 0) {
			errorM = about + strconv.FormatFloat(step.ErrorM, 'f', 2, 64)
		}
		if step.Kept {
			kept = "yes"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%.2f\t%s\t\n",
			step.Name, about+strconv.Itoa(step.Chars), vertices, errorM, step.Decimals, milliseconds(step.Duration), kept)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the steps: %w", err)
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
