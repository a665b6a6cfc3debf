package fitter_test

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"testing"

	"tomtom-mcp-gateway/fitter"
)

// TestDecompressionStream has Node read app data as a widget does in a browser: atob, then DecompressionStream, which unlike
// gunzip refuses anything after the first gzip member.
func TestDecompressionStream(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("Node is not installed: %v", err)
	}
	const script = `
const text = require("fs").readFileSync(0, "latin1");
const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
new Response(stream).text().then(json => { JSON.parse(json); process.stdout.write(json); });`
	rng := rand.New(rand.NewPCG(5, 8))
	doc := routeDocument(rng, roadLine(rng, 6000, 7), true)
	fitted := fitTo(t, doc, routePlan(), 30_000)
	if fitted.Status != fitter.Fitted {
		t.Fatalf("status %d", fitted.Status)
	}
	for name, appData := range map[string][]byte{
		"fitted":     fitted.AppData,
		"exact":      fitTo(t, doc, routePlan(), 1<<20).AppData,
		"encoded":    fitter.Encode(doc),
		"one number": fitTo(t, []byte("1"), routePlan(), 1000).AppData,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := exec.CommandContext(t.Context(), program, "-e", script)
			run.Stdin = bytes.NewReader(appData)
			got, err := run.Output()
			if err != nil {
				t.Fatalf("node: %v", err)
			}
			if want := unpack(t, appData); !bytes.Equal(got, want) {
				t.Fatalf("%d bytes, want %d", len(got), len(want))
			}
		})
	}
}
