package stdio

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// TestPipeSubscriptionEnds: by a response, which repeats the id, or by the server's cancellation.
func TestPipeSubscriptionEnds(t *testing.T) {
	s := newFakeServer(t, 0)
	call := s.post(t.Context(), `{"id":1,"method":"tools/call"}`)
	s.hears(t)
	answered := s.post(t.Context(), `{"id":1,"method":"subscriptions/listen"}`)
	s.hears(t)
	cancelled := s.post(t.Context(), `{"id":1,"method":"subscriptions/listen"}`)
	s.hears(t)
	s.says(t, `{"id":"gateway-id-1","result":{"_meta":{"io.modelcontextprotocol/subscriptionId":"gateway-id-1"}}}`)
	if a := await(t, answered); a.body != `{"id":1,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}` {
		t.Errorf("%+v", a)
	}
	s.says(t, `{"method":"notifications/cancelled","params":{"requestId":"gateway-id-2"}}`)
	if a := await(t, cancelled); a.err != nil || a.data()[0] != `{"method":"notifications/cancelled","params":{"requestId":1}}` {
		t.Errorf("%+v", a)
	}
	s.says(t, `{"id":1,"result":2}`)
	if a := await(t, call); a.body != `{"id":1,"result":2}` {
		t.Errorf("%+v", a)
	}
}

// TestPipeLateAnswer: an answer that comes after its request was given up is not that of the next one with the same id.
func TestPipeLateAnswer(t *testing.T) {
	s := newFakeServer(t, 0)
	ctx, leave := context.WithCancel(t.Context())
	first := s.post(ctx, `{"id":7,"method":"tools/call"}`)
	s.hears(t)
	leave()
	await(t, first)
	s.hears(t)
	second := s.post(t.Context(), `{"id":7,"method":"tools/call"}`)
	s.hearsExactly(t, `{"id":"gateway-id-1","method":"tools/call"}`)
	s.says(t, `{"id":7,"result":"late"}`, `{"id":"gateway-id-1","result":"mine"}`)
	if a := await(t, second); a.body != `{"id":7,"result":"mine"}` {
		t.Errorf("%+v", a)
	}
}

// TestPipeOfSeveralCallers: nobody's cancellation, late answer, progress or log reaches another, whatever their ids are.
func TestPipeOfSeveralCallers(t *testing.T) {
	s := newFakeServer(t, 0)
	s.shared = true
	const call = `{"id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}}`
	ctx, leave := context.WithCancel(t.Context())
	one := s.post(ctx, call)
	s.hearsExactly(t, `{"id":"gateway-id-1","method":"tools/call","params":{"_meta":{"progressToken":"gateway-token-2"}}}`)
	other := s.post(t.Context(), call)
	s.hearsExactly(t, `{"id":"gateway-id-3","method":"tools/call","params":{"_meta":{"progressToken":"gateway-token-4"}}}`)
	s.says(t, `{"method":"notifications/message","params":{}}`, `{"id":9,"method":"sampling/createMessage"}`, `{"id":10,"method":"ping"}`)
	said := s.hears(t) + s.hears(t)
	if !strings.Contains(said, `"id":9,"error":{`) || !strings.Contains(said, `"id":10,"result":{}`) {
		t.Errorf("%s", said)
	}
	leave()
	await(t, one)
	s.hearsExactly(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gateway-id-1"}}`)
	for _, id := range []string{`1`, `"gateway-id-3"`} {
		if a := await(t, s.post(t.Context(), `{"method":"notifications/cancelled","params":{"requestId":`+id+`}}`)); a.status != http.StatusAccepted {
			t.Errorf("%+v", a)
		}
	}
	await(t, s.post(t.Context(), `{"method":"x"}`))
	s.hearsExactly(t, `{"method":"x"}`) // and no cancellation
	s.says(t, `{"id":1,"result":"guessed"}`, `{"id":"gateway-id-1","result":"late"}`, `{"method":"notifications/progress","params":{"progressToken":"gateway-token-2"}}`,
		`{"id":"gateway-id-3","result":"mine"}`)
	if a := await(t, other); a.body != `{"id":1,"result":"mine"}` {
		t.Errorf("%+v", a)
	}
}

// TestPipeByteOrderMark: some programs write one before their first line.
func TestPipeByteOrderMark(t *testing.T) {
	s := newFakeServer(t, 0)
	done := s.post(t.Context(), `{"id":7,"method":"tools/call"}`)
	s.hears(t)
	s.says(t, "\ufeff"+`{"id":7,"result":1}`+"\r")
	if a := await(t, done); a.body != `{"id":7,"result":1}` {
		t.Errorf("%+v", a)
	}
}

// TestPipeIDsOfAnyType are answered, also where the server spells them otherwise.
func TestPipeIDsOfAnyType(t *testing.T) {
	for _, id := range []string{`null`, `{"a":1}`, `[ 1 ]`} {
		s := newFakeServer(t, 0)
		done := s.post(t.Context(), `{"id":`+id+`,"method":"tools/call"}`)
		s.hearsExactly(t, `{"id":"gateway-id-1","method":"tools/call"}`)
		s.says(t, `{"id":"gateway-id-1","result":1}`)
		if a := await(t, done); a.body != `{"id":`+id+`,"result":1}` {
			t.Errorf("%+v", a)
		}
	}
}
