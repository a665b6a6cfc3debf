package proxy

import (
	"net/http"
	"reflect"
	"testing"
)

func TestRequestHeader(t *testing.T) {
	session, _ := encodeSession(sessionClaims{apps: claimWith, nonce: "n", upstream: "theirs"})
	for name, test := range map[string]struct {
		host  http.Header
		plain bool
		want  http.Header
	}{
		"everything of the host's passes": {
			host: http.Header{
				"User-Agent": {"host/1"}, "Authorization": {"Bearer t"}, "Tomtom-Api-Key": {"k"}, "Tomtom-Maps-Backend": {"b"}, "X-Odd": {"1", "2"},
				"Mcp-Protocol-Version": {"2025-11-25"}, "Accept-Encoding": {"br, gzip"}, "Idempotency-Key": {"i"}, "Cookie": {"c"}, "Origin": {"o"},
				"Mcp-Session-Id": {"foreign"},
			},
			want: http.Header{
				"User-Agent": {"host/1"}, "Authorization": {"Bearer t"}, "Tomtom-Api-Key": {"k"}, "Tomtom-Maps-Backend": {"b"}, "X-Odd": {"1", "2"},
				"Mcp-Protocol-Version": {"2025-11-25"}, "Accept-Encoding": {"br, gzip"}, "Idempotency-Key": {"i"}, "Cookie": {"c"}, "Origin": {"o"},
				"Mcp-Session-Id": {"foreign"},
			},
		},
		"the connection's own stay here": {
			host: http.Header{
				"Connection": {"close, X-Hop", "x-other"}, "X-Hop": {"1"}, "X-Other": {"1"}, "Keep-Alive": {"timeout=5"}, "Te": {"trailers"},
				"Trailer": {"X"}, "Transfer-Encoding": {"chunked"}, "Upgrade": {"h2c"}, "Proxy-Authorization": {"p"}, "Proxy-Connection": {"close"},
				"Content-Length": {"7"}, "User-Agent": {"h"},
			},
			want: http.Header{"User-Agent": {"h"}},
		},
		"owned answers come uncompressed": {
			host: http.Header{"Accept-Encoding": {"gzip"}, "User-Agent": {"h"}}, plain: true,
			want: http.Header{"Accept-Encoding": {"identity"}, "User-Agent": {"h"}},
		},
		"a host without a name gets none": {want: http.Header{"User-Agent": {""}}},
		"the session becomes the upstream's": {
			host: http.Header{"Mcp-Session-Id": {session}, "User-Agent": {"h"}},
			want: http.Header{"Mcp-Session-Id": {"theirs"}, "User-Agent": {"h"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.host.Clone()
			if got := requestHeader(test.host, test.plain); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got  %v\nwant %v", got, test.want)
			}
			if !reflect.DeepEqual(test.host, before) {
				t.Error("the host's headers were changed")
			}
		})
	}
}

func TestCopyResponseHeader(t *testing.T) {
	upstream := http.Header{
		"Www-Authenticate": {"Bearer a", "Bearer b"}, "Tomtom-Upstream-Metadata": {"m"}, "Cache-Control": {"no-cache"}, "X-Powered-By": {"Express"},
		"Connection": {"keep-alive, x-hop"}, "X-Hop": {"1"}, "Keep-Alive": {"timeout=5"}, "Transfer-Encoding": {"chunked"}, "Set-Cookie": {"a", "b"},
		"Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {"X"}, "Content-Length": {"9"}, "Etag": {`W/"1"`}, "Vary": {"Accept"},
	}
	passing := http.Header{
		"Www-Authenticate": {"Bearer a", "Bearer b"}, "Tomtom-Upstream-Metadata": {"m"}, "Cache-Control": {"no-cache"}, "X-Powered-By": {"Express"},
		"Set-Cookie": {"a", "b"}, "Content-Length": {"9"}, "Etag": {`W/"1"`}, "Vary": {"Origin", "Accept"}, "Access-Control-Allow-Origin": {"https://a"},
	}
	owned := passing.Clone()
	owned.Del("Content-Length")
	owned.Del("ETag")
	for name, test := range map[string]struct {
		owned bool
		want  http.Header
	}{"passing": {false, passing}, "owned": {true, owned}} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{"Access-Control-Allow-Origin": {"https://a"}, "Vary": {"Origin"}}
			copyResponseHeader(h, upstream, test.owned)
			if !reflect.DeepEqual(h, test.want) {
				t.Errorf("got  %v\nwant %v", h, test.want)
			}
		})
	}
}
