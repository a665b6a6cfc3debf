package upstream

import (
	"encoding/json"
	"sync"
)

// documentTool is a tool that answers one GeoJSON-like document: untrimmed for widgets, a projection of it for agents.
type documentTool struct {
	// build computes the untrimmed document. The caller's key is an argument, for the one tool that leaks it.
	build func(c *call) (object, error)
	// compact is what is left for the agent.
	compact func(object) object
	// minified tells that compact text has no white space.
	minified bool
}

// document is a computed answer in the forms in which it is sent, each made when it is first wanted.
type document struct {
	full, compact object
	minified      bool // the compact text

	appData, fullText, compactText func() []byte

	// Of a dynamic map only: a PNG in base64, and what is said about it.
	image    func() []byte
	sentence func(detail string) string
}

func newDocument(full object, t documentTool) *document {
	d := &document{full: full, compact: t.compact(full), minified: t.minified}
	d.appData = sync.OnceValue(func() []byte { return escape(render(d.full)) })
	d.fullText = sync.OnceValue(func() []byte { return escape(pretty(render(d.full))) })
	d.compactText = sync.OnceValue(func() []byte {
		if d.minified {
			return escape(render(d.compact))
		}
		return escape(pretty(render(d.compact)))
	})
	return d
}

// runDocument answers a call: the text in the detail that was asked for with `_meta` as its last member, and a handle
// where an app may want to draw.
func runDocument(c *call) answer {
	t := c.tool.document
	d, err := c.memo.get(c.question(), func() (*document, error) {
		full, err := t.build(c)
		if err != nil {
			return nil, err
		}
		return newDocument(full, t), nil
	})
	if err != nil {
		return failureJSON(err.Error())
	}
	if c.opts.Untrimmed {
		return answer{items: []item{{escaped: [][]byte{d.fullText()}}}}
	}
	showUI, detail := c.args.flag("show_ui", false), c.args.text("response_detail")
	meta := object{{"show_ui", showUI}}
	if showUI && detail != "full" {
		meta = append(meta, member{c.opts.handleName(), c.cache.put(d.appData())})
	}
	switch detail {
	case "full":
		return metaAnswer(d.fullText(), meta, false)
	case "geometry":
		text := d.compact.with("geometry", geometryOf(d.full))
		return metaAnswer(escape(pretty(render(text))), meta, false)
	}
	return metaAnswer(d.compactText(), meta, d.minified)
}

func (o Options) handleName() string {
	if o.Newer {
		return "dataset_id"
	}
	return "viz_id"
}

// metaAnswer adds the last member to an escaped text, which is an object with at least one member.
func metaAnswer(escaped []byte, meta object, minified bool) answer {
	if minified {
		end := append([]byte(`,"_meta":`), render(meta)...)
		return answer{items: []item{{escaped: [][]byte{escaped[:len(escaped)-1], escape(append(end, '}'))}}}}
	}
	tail := pretty(render(object{{"_meta", meta}}))
	tail[0] = ',' // `{\n  "_meta"…` becomes `,\n  "_meta"…`
	const closing = len(`\n}`)
	return answer{items: []item{{escaped: [][]byte{escaped[:len(escaped)-closing], escape(tail)}}}}
}

// question identifies what a call asks for, whatever form its answer takes.
func (c *call) question() string {
	rest := make(arguments, len(c.args))
	for k, v := range c.args {
		if k != "show_ui" && k != "response_detail" {
			rest[k] = v
		}
	}
	b, err := json.Marshal(rest) // sorts the members
	if err != nil {
		return ""
	}
	question := c.tool.name + string(b)
	if c.tool.name == reachableRange {
		question += c.key
	}
	return question
}
