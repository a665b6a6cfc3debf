package page_test

import (
	"bytes"
	"io/fs"
	"testing"

	"tomtom-mcp-gateway/cmd/gateway/demo/preview/page"
)

func TestFilesHoldThePageAndNotTheSandbox(t *testing.T) {
	files, err := page.Files()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fs.Stat(files, "index.html"); err != nil {
		t.Errorf("index.html: %v", err)
	}
	if matches, err := fs.Glob(files, "*sandbox*"); err != nil || len(matches) != 0 {
		t.Errorf("the page's files have %v, %v: want no sandbox", matches, err)
	}
}

func TestSandboxKnowsThePage(t *testing.T) {
	document, err := page.Sandbox("http://127.0.0.1:8090")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(document, []byte(`"http://127.0.0.1:8090"`)) {
		t.Error("the sandbox does not hold the page's origin")
	}
	if bytes.Contains(document, []byte("@page-origin@")) {
		t.Error("the sandbox still holds the place for the origin")
	}
}

func TestAnOriginDoesNotEndTheScript(t *testing.T) {
	document, err := page.Sandbox(`</script><script>alert(1)</script>"`)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(document, []byte("<script>alert")) {
		t.Error("the origin became markup")
	}
}
