package traffic

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"tomtom-mcp-gateway/e2e/testkit"
)

// dataOf returns the message in an answer: the data of its last event, or the whole body.
func dataOf(body []byte) []byte {
	if at := bytes.LastIndex(body, []byte("data: ")); at >= 0 && !bytes.HasPrefix(body, []byte("{")) {
		return bytes.TrimSpace(body[at+len("data: "):])
	}
	return body
}

// result is what a host gets.
type result struct {
	Content []content `json:"content"`
	IsError bool      `json:"isError"`
	Meta    struct {
		AppData string `json:"com.tomtom/app-data"`
		Status  string `json:"com.tomtom/app-data-status"`
	} `json:"_meta"`
}

type response struct {
	ID     Number            `json:"id"`
	Result *result           `json:"result"`
	Error  *testkit.RPCError `json:"error"`
}

var markedName = regexp.MustCompile(`"caller":\s*"(\d+)"`)

// check returns what became of the map data in the result of call n, and what is wrong with the result. At a glance it does
// not open map data that is there.
func (k *Kind) check(r *result, n Number, glance bool) (status string, err error) {
	if r.IsError {
		return "", fmt.Errorf("a tool error: %.200s", r.Content)
	}
	var text string
	for _, item := range r.Content {
		if strings.HasPrefix(item.Text, "{") {
			text = item.Text
		}
	}
	if err := k.checkText(text, n); err != nil {
		return "", err
	}
	status = r.Meta.Status
	switch {
	case k.Status == "":
		if status != "" || !k.isUpstreams(text, n) {
			return status, fmt.Errorf("a result that is not the gateway's was changed, status %q", status)
		}
		return "passed", nil
	case status == "unavailable" && k.data != nil && r.Meta.AppData == "":
		return status, nil // whether there may be such is for the caller to say
	case k.moved && r.Meta.AppData == "" && k.isUpstreams(text, n):
		return "passed", nil // there was no room to hold it: it is what the upstream wrote
	case k.moved && status == "text" && r.Meta.AppData == "":
		return status, nil // as above: the text is still whole
	case status != k.Status:
		return status, fmt.Errorf("status %q, want %q", status, k.Status)
	case k.data == nil && !k.moved:
		if r.Meta.AppData != "" {
			return status, fmt.Errorf("app data with status %q", status)
		}
		return status, nil
	}
	if glance && r.Meta.AppData != "" {
		return status, nil
	}
	return status, k.checkData(r.Meta.AppData, n)
}

// isUpstreams reports whether a text without a handle is what the upstream wrote.
func (k *Kind) isUpstreams(text string, n Number) bool {
	return testkit.TextResult(text) == string(k.Call.fill(n, ""))
}

func (k *Kind) checkText(text string, n Number) error {
	if !json.Valid([]byte(text)) {
		return fmt.Errorf("the text is no JSON: %.200q", text)
	}
	if strings.Contains(text, "viz_id") {
		return fmt.Errorf("the handle is in the text")
	}
	return checkNames([]byte(text), n)
}

// checkNames: each name that stands in doc is n's, and there is one.
func checkNames(doc []byte, n Number) error {
	names := markedName.FindAllSubmatch(doc, -1)
	if len(names) == 0 {
		return fmt.Errorf("no caller is named")
	}
	for _, name := range names {
		if string(name[1]) != n.name() {
			return fmt.Errorf("the answer to %s", name[1])
		}
	}
	return nil
}

// keyMember is the caller's key, which the upstream writes into ranges and the gateway takes out.
var keyMember = regexp.MustCompile(`,"apiKey":"[^"]*"`)

func (k *Kind) checkData(encoded string, n Number) error {
	packed, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return fmt.Errorf("app data: %w", err)
	}
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("app data: %w", err)
	}
	doc, err := io.ReadAll(unzip)
	switch {
	case err != nil:
		return fmt.Errorf("app data: %w", err)
	case k.Status == "inline" && string(doc) != keyMember.ReplaceAllString(string(k.data.fill(n, "")), ""):
		return fmt.Errorf("app data is not what the upstream gave")
	case !json.Valid(doc):
		return fmt.Errorf("app data is no JSON")
	}
	if err := checkNames(doc, n); err != nil {
		return fmt.Errorf("app data: %w", err)
	}
	return checkPosition(doc, n)
}

// writtenPosition is firstPosition where numbers may have lost their points.
var writtenPosition = regexp.MustCompile(`"coordinates":[\s[]+(-?\d+)(?:\.(\d+))?,\s*(-?\d+)(?:\.(\d+))?`)

// checkPosition: the first position has n's digits, whose last zeros may be gone.
func checkPosition(doc []byte, n Number) error {
	at := writtenPosition.FindSubmatch(doc)
	if at == nil {
		return fmt.Errorf("app data: no position")
	}
	for i, want := range map[int]string{2: n.digits(), 4: n.more()} {
		if strings.TrimRight(string(at[i]), "0") != strings.TrimRight(want, "0") {
			return fmt.Errorf("app data: the first position is %s, want the digits %s and %s", at[0], n.digits(), n.more())
		}
	}
	return nil
}
