package proxy

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tomtom-mcp-gateway/fitter/jsonspan"
	"tomtom-mcp-gateway/policy"
)

// tree is a document taken apart, scalars and names as written: the plain twin that trim is held against.
type tree struct {
	raw      string // a scalar
	isArray  bool
	isObject bool
	names    []string // with quotes
	values   []*tree
}

func parseTree(doc []byte, value jsonspan.Span) *tree {
	switch {
	case jsonspan.IsObject(doc, value):
		t := &tree{isObject: true}
		for m := range jsonspan.Members(doc, value) {
			t.names = append(t.names, string(m.Name.Of(doc)))
			t.values = append(t.values, parseTree(doc, m.Value))
		}
		return t
	case jsonspan.IsArray(doc, value):
		t := &tree{isArray: true}
		for e := range jsonspan.Elements(doc, value) {
			t.values = append(t.values, parseTree(doc, e))
		}
		return t
	}
	return &tree{raw: string(value.Of(doc))}
}

func (t *tree) write(b *strings.Builder) {
	switch {
	case t.isObject, t.isArray:
		b.WriteString(map[bool]string{true: "{", false: "["}[t.isObject])
		for i, v := range t.values {
			if i > 0 {
				b.WriteByte(',')
			}
			if t.isObject {
				b.WriteString(t.names[i] + ":")
			}
			v.write(b)
		}
		b.WriteString(map[bool]string{true: "}", false: "]"}[t.isObject])
	default:
		b.WriteString(t.raw)
	}
}

// each calls f with every value that path leads to.
func (t *tree) each(path policy.Path, f func(*tree)) {
	if len(path) == 0 {
		f(t)
		return
	}
	for i, v := range t.values {
		if path[0] == "*" || t.isObject && t.names[i] == strconv.Quote(path[0]) {
			v.each(path[1:], f)
		}
	}
}

func (t *tree) member(name string) *tree {
	for i, n := range slices.Backward(t.names) {
		if n == strconv.Quote(name) {
			return t.values[i]
		}
	}
	return nil
}

func (t *tree) deleteIf(drop func(name string, value *tree) bool) {
	if !t.isObject {
		return
	}
	names, values := t.names, t.values
	t.names, t.values = nil, nil
	for i, name := range names {
		if !drop(name, values[i]) {
			t.names, t.values = append(t.names, name), append(t.values, values[i])
		}
	}
}

// trimPlainly does what p says, list by list, each over the whole document.
func (t *tree) trimPlainly(p policy.Projection) {
	listed := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strconv.Quote(n) == name })
	}
	for _, r := range p.Require {
		last := len(r.At) - 1
		t.each(r.At[:last], func(object *tree) {
			object.deleteIf(func(name string, value *tree) bool {
				m := value.member(r.Member)
				return listed(r.At[last:], name) && (m == nil || slices.Contains([]string{"null", "false", "0", `""`}, m.raw))
			})
		})
	}
	for _, path := range p.Remove {
		last := len(path) - 1
		t.each(path[:last], func(object *tree) {
			object.deleteIf(func(name string, _ *tree) bool { return listed(path[last:], name) })
		})
	}
	for _, k := range p.Keep {
		t.each(k.At, func(object *tree) {
			object.deleteIf(func(name string, _ *tree) bool { return !listed(k.Members, name) })
		})
	}
	for _, path := range p.Ends {
		t.each(path, func(array *tree) {
			if array.isArray && len(array.values) > 2 {
				array.values = []*tree{array.values[0], array.values[len(array.values)-1]}
			}
		})
	}
	for _, h := range p.Hoist {
		t.each(h.At, func(object *tree) { object.hoistPlainly(h, listed) })
	}
}

func (t *tree) hoistPlainly(h policy.Hoist, listed func([]string, string) bool) {
	if t.member(h.Outer) == nil {
		return
	}
	names, values := t.names, t.values
	t.names, t.values = nil, nil
	for i, name := range names {
		switch {
		case listed([]string{h.Outer}, name):
			values[i].deleteIf(func(name string, _ *tree) bool { return !listed(h.Inner, name) })
			t.names = append(t.names, values[i].names...)
			if values[i].isObject {
				t.values = append(t.values, values[i].values...)
			}
		case listed(h.Beside, name):
			t.names, t.values = append(t.names, name), append(t.values, values[i])
		}
	}
}

// vocabulary is every member name that a projection or an untrimmed path mentions, and a few that none does.
var vocabulary = func() []string {
	names := []string{"type", "id", "count", "apiKey", "index", "é", "a b"}
	add := func(paths ...policy.Path) {
		for _, p := range paths {
			for _, step := range p {
				if step != "*" && step != "2" {
					names = append(names, step)
				}
			}
		}
	}
	for _, tool := range policy.Tools() {
		add(tool.Untrimmed...)
		add(tool.Compact.Remove...)
		add(tool.Compact.Ends...)
		for _, k := range tool.Compact.Keep {
			add(k.At, k.Members)
		}
		for _, h := range tool.Compact.Hoist {
			add(h.At, h.Inner, h.Beside, policy.Path{h.Outer})
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}()

// drawDocument draws a text that follows paths of the projection often enough to be cut, with stray white space.
func drawDocument(t *rapid.T, p policy.Projection) []byte {
	paths := slices.Concat(p.Remove, p.Ends)
	for _, k := range p.Keep {
		paths = append(paths, k.At)
	}
	for _, h := range p.Hoist {
		paths = append(paths, slices.Concat(h.At, policy.Path{h.Outer, h.Inner[0]}), slices.Concat(h.At, h.Beside))
	}
	for _, r := range p.Require {
		paths = append(paths, slices.Concat(r.At, policy.Path{r.Member}))
	}
	var b strings.Builder
	drawValue(t, &b, paths, 0)
	return []byte(b.String())
}

func drawValue(t *rapid.T, b *strings.Builder, paths []policy.Path, depth int) {
	space := func() { b.WriteString(rapid.SampledFrom([]string{"", "", " ", "\n  ", "\t"}).Draw(t, "space")) }
	kind := rapid.IntRange(0, 9).Draw(t, "kind")
	elements := slices.ContainsFunc(paths, func(p policy.Path) bool { return len(p) > 0 && p[0] == "*" })
	space()
	defer space()
	switch {
	case depth > 12 || kind == 0 || len(paths) == 0 && kind < 5:
		b.WriteString(rapid.SampledFrom([]string{
			"null", "true", "false", "0", "-1.50e2", "1e400", `""`, `"\ud800"`, `"\"}{][,"`, `"é😀"`, `"\\"`,
		}).Draw(t, "scalar"))
	case elements && kind < 8 || kind == 9:
		b.WriteByte('[')
		for i := range rapid.IntRange(0, 4).Draw(t, "elements") {
			if i > 0 {
				b.WriteByte(',')
			}
			drawValue(t, b, after(paths, "*"), depth+1)
		}
		space()
		b.WriteByte(']')
	default:
		drawObject(t, b, paths, depth, space)
	}
}

func drawObject(t *rapid.T, b *strings.Builder, paths []policy.Path, depth int, space func()) {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(vocabulary), 0, 3, rapid.ID).Draw(t, "names")
	for _, p := range paths {
		if len(p) > 0 && p[0] != "*" && !slices.Contains(names, p[0]) && rapid.IntRange(0, 2).Draw(t, "follow") > 0 {
			names = append(names, p[0])
		}
	}
	b.WriteByte('{')
	for i, name := range rapid.Permutation(names).Draw(t, "order") {
		if i > 0 {
			b.WriteByte(',')
		}
		space()
		b.WriteString(strconv.Quote(name))
		space()
		b.WriteByte(':')
		drawValue(t, b, after(paths, name), depth+1)
	}
	space()
	b.WriteByte('}')
}

// after returns what is left of the paths that start with step.
func after(paths []policy.Path, step string) []policy.Path {
	var rest []policy.Path
	for _, p := range paths {
		if len(p) > 0 && (p[0] == step || p[0] == "*") {
			rest = append(rest, p[1:])
		}
	}
	return rest
}

func TestTrimProperties(t *testing.T) {
	tools := policy.Tools()
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(tools).Draw(t, "tool")
		doc := drawDocument(t, tool.Compact)
		root, err := jsonspan.Scan(doc)
		if err != nil {
			t.Fatalf("drew a document that is none: %v\n%s", err, doc)
		}
		before := bytes.Clone(doc)
		got, err := trim(doc, tool.Compact)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(doc, before) {
			t.Fatal("trim changed its input")
		}
		trimmed, err := jsonspan.Scan(got)
		if err != nil {
			t.Fatalf("no JSON any more: %v\n%s", err, got)
		}
		plain := parseTree(doc, root)
		plain.trimPlainly(tool.Compact)
		var want, have strings.Builder
		plain.write(&want)
		parseTree(got, trimmed).write(&have)
		if want.String() != have.String() {
			t.Fatalf("%s of\n%s\nhave %s\nwant %s", tool.Name, doc, &have, &want)
		}
		if again, err := trim(got, tool.Compact); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("trimming again: %v\n%s\n%s", err, got, again)
		}
	})
}

// What is kept is kept byte for byte: apart from hoisted members, trim only ever takes bytes away.
func TestTrimOnlyCuts(t *testing.T) {
	tools := policy.Tools()
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(tools).Draw(t, "tool")
		doc := drawDocument(t, tool.Compact)
		root, err := jsonspan.Scan(doc)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, e := range trimEdits(doc, root, tool.Compact) {
			if e.Span.Start < end || e.Span.End < e.Span.Start || !root.Contains(e.Span) {
				t.Fatalf("edit %v after %d of %d bytes", e.Span, end, len(doc))
			}
			end = e.Span.End
			if e.With != nil && len(tool.Compact.Hoist) == 0 {
				t.Fatalf("puts %q into the text", e.With)
			}
		}
	})
}

func FuzzTrim(f *testing.F) {
	tools := policy.Tools()
	for _, seed := range []string{
		`{"features":[{"geometry":{"coordinates":[[1,2],[3,4],[5,6]]},"bbox":[],"properties":{"progress":[]}}]}`,
		`{"features":[{"properties":{"chargingPark":{"connectors":[{"connector":{"type":1},"count":2}],"availability":{}}}}]}`,
		`{"features":[{"properties":{"\u0070oi":{"brands":1,"brands":2}}}],"features":0}`, `{"sources":{}}`, `[`, ` "a" `,
	} {
		for i := range tools {
			f.Add([]byte(seed), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		tool := tools[int(which)%len(tools)]
		got, err := trim(text, tool.Compact)
		_, scanErr := jsonspan.Scan(text)
		if (err == nil) != (scanErr == nil) {
			t.Fatalf("trim says %v, the text is %v", err, scanErr)
		}
		if err != nil {
			return
		}
		root, err := jsonspan.Scan(got)
		if err != nil {
			t.Fatalf("no JSON any more: %v\n%s\n%s", err, text, got)
		}
		untrimmed(got, root, tool.Untrimmed)
		if again, err := trim(got, tool.Compact); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("trimming again: %v\n%s\n%s", err, got, again)
		}
	})
}
