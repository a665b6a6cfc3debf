package hosts

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tomtom-mcp-gateway/e2e/testkit"
)

// TestDemoAnswersItsOwnCurl: a newcomer pastes what the demonstration prints and gets Lisbon to Warsaw, under the limit,
// with every index right.
func TestDemoAnswersItsOwnCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl on this machine")
	}
	demo := testkit.StartDemoCommand(t)
	var printed string
	testkit.Eventually(t, "the printed curl", func() bool {
		printed = regexp.MustCompile(`(?s)curl -sS.*?> \S+\n`).FindString(demo.LogText())
		return printed != ""
	})
	dir := t.TempDir()
	curl := exec.Command("sh", "-c", printed)
	curl.Dir = dir
	if out, err := curl.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, printed)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	answer, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, data, ok := bytes.Cut(answer, []byte("data: "))
	if !ok {
		t.Fatalf("%.300s", answer)
	}
	r := testkit.Answer{Status: 200, Body: bytes.TrimSpace(data)}.Result(t)
	if chars := testkit.Chars(r.Raw); chars >= 120_000 || r.Status(t) != "fitted" {
		t.Fatalf("%d characters, status %q", chars, r.Status(t))
	}
	behind := regexp.MustCompile(`made-up TomTom server\s+(http://\S+)`).FindStringSubmatch(demo.LogText())
	if behind == nil {
		t.Fatalf("the upstream's address is not printed:\n%s", demo.LogText())
	}
	_, want := fromUpstream(t, behind[1], "tomtom-routing", `{"locations":[[-9.1393,38.7223],[21.0122,52.2297]],"show_ui":true}`)
	testkit.CheckFitted(t, r.AppData(t), want, *r.Simplification(t))
	if strings.Contains(string(r.Raw), "viz_id") {
		t.Error("the handle reached the host")
	}
}
