package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tomtom-mcp-gateway/cmd/gateway/demo/upstream"
)

// authority makes certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t testing.TB, name string) authority {
	t.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	a := authority{}
	a.cert, a.key, a.pem, _ = a.issue(t, template)
	return a
}

// issue signs template, with a's own key unless a is still empty. It returns what was made, and both as PEM.
func (a authority) issue(t testing.TB, template *x509.Certificate) (cert *x509.Certificate, key *ecdsa.PrivateKey, certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

// files writes a certificate for a name, and its key. client is true for one by which a client shows who it is.
func (a authority) files(t testing.TB, dir, name string, client bool) (cert, key string) {
	t.Helper()
	usage := x509.ExtKeyUsageServerAuth
	if client {
		usage = x509.ExtKeyUsageClientAuth
	}
	_, _, certPEM, keyPEM := a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
	})
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeFile(t, cert, certPEM)
	writeFile(t, key, keyPEM)
	return cert, key
}

func (a authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func writeFile(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// secureClient trusts a, and shows the certificate in the files where they are named.
func (a authority) secureClient(t testing.TB, cert, key string) *http.Client {
	t.Helper()
	trust := &tls.Config{RootCAs: a.pool(), MinVersion: tls.VersionTLS12}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		trust.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestHTTPS: the endpoint speaks https with its own certificate, HTTP/1.1 alone, and takes a new one without a restart;
// the admin address stays plain.
func TestHTTPS(t *testing.T) {
	a, dir := newAuthority(t, "authority"), t.TempDir()
	cert, key := a.files(t, dir, "one", false)
	record, log, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+newUpstream(t), "GATEWAY_TLS_CERT="+cert, "GATEWAY_TLS_KEY="+key)
	url := "https://" + record["listen"].(string) + "/health"
	client := a.secureClient(t, "", "")
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 1 || response.TLS.PeerCertificates[0].Subject.CommonName != "one" {
		t.Errorf("%s %s from %v", response.Proto, response.Status, response.TLS.PeerCertificates[0].Subject)
	}
	if status, _ := fetch(t, "http://"+record["admin"].(string)+"/readyz"); status != http.StatusOK {
		t.Errorf("/readyz %d", status)
	}
	if got := exchangeRaw(t, record["listen"].(string), "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"); len(got) != 1 || got[0] != http.StatusBadRequest {
		t.Errorf("plain HTTP got %v", got)
	}
	log.await(t, "from a library") // which is the server's word for it
	if record["tls"] != true {
		t.Errorf("the first line says %v", record)
	}
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.pool(), MaxVersion: tls.VersionTLS11}, DisableKeepAlives: true}}
	if response, err := old.Get(url); err == nil {
		_ = response.Body.Close()
		t.Error("TLS 1.1 was spoken")
	}

	a.files(t, dir, "two", false)
	for name := "one"; name != "two"; { // the next second looks at the files again
		response, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		name = response.TLS.PeerCertificates[0].Subject.CommonName
	}
	log.await(t, "a file that changed was read again")
	stop()
	if code := wait(); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// TestHostsShowCertificates: with authorities set, whoever has no certificate of theirs gets nowhere.
func TestHostsShowCertificates(t *testing.T) {
	a, hosts, strangers, dir := newAuthority(t, "authority"), newAuthority(t, "hosts"), newAuthority(t, "strangers"), t.TempDir()
	cert, key := a.files(t, dir, "gateway", false)
	ca := filepath.Join(dir, "hosts.pem")
	writeFile(t, ca, hosts.pem)
	record, _, stop, wait := serving(t, "GATEWAY_UPSTREAM_URL="+newUpstream(t), "GATEWAY_TLS_CERT="+cert, "GATEWAY_TLS_KEY="+key, "GATEWAY_TLS_CLIENT_CA="+ca)
	url := "https://" + record["listen"].(string) + "/health"
	get := func(client *http.Client) error {
		response, err := client.Get(url)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	known, knownKey := hosts.files(t, t.TempDir(), "host", true)
	stranger, strangerKey := strangers.files(t, t.TempDir(), "stranger", true)
	if err := get(a.secureClient(t, known, knownKey)); err != nil {
		t.Error(err)
	}
	if get(a.secureClient(t, "", "")) == nil || get(a.secureClient(t, stranger, strangerKey)) == nil {
		t.Error("a host without a certificate of the authority was let in")
	}
	stop()
	wait()
}

// TestUpstreamOverTLS: by default an upstream of an authority that the system does not know is not talked to; with its
// authority it is, and it can ask who the gateway is.
func TestUpstreamOverTLS(t *testing.T) {
	a, gateways, dir := newAuthority(t, "authority"), newAuthority(t, "gateways"), t.TempDir()
	cert, key := a.files(t, dir, "upstream", false)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	names := make(chan string, 100)
	tomtom := upstream.New(upstream.Options{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		names <- r.TLS.PeerCertificates[0].Subject.CommonName
		tomtom.ServeHTTP(w, r)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: gateways.pool(), MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(dir, "ca.pem")
	writeFile(t, ca, a.pem)
	own, ownKey := gateways.files(t, t.TempDir(), "gateway-1", true)

	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tomtom-routing","arguments":{"locations":[[4.9,52.4],[5.1,52.1]],"show_ui":true}}}`
	for _, tt := range []struct {
		name    string
		environ []string
		answer  string
		kind    string // of the connection error
	}{
		{"both sides known", []string{"GATEWAY_UPSTREAM_CA=" + ca, "GATEWAY_UPSTREAM_CERT=" + own, "GATEWAY_UPSTREAM_CERT_KEY=" + ownKey}, `"com.tomtom/app-data-status":"inline"`, ""},
		{"the upstream unknown", []string{"GATEWAY_UPSTREAM_CERT=" + own, "GATEWAY_UPSTREAM_CERT_KEY=" + ownKey}, "could not be reached", "tls"},
		{"the gateway unknown", []string{"GATEWAY_UPSTREAM_CA=" + ca}, "could not be reached", "tls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			record, _, stop, wait := serving(t, append(tt.environ, "GATEWAY_UPSTREAM_URL="+server.URL+"/mcp")...)
			defer wait()
			defer stop()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+record["listen"].(string)+"/mcp", strings.NewReader(call))
			if err != nil {
				t.Fatal(err)
			}
			request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Tomtom-Api-Key": {"k"}}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), tt.answer) {
				t.Errorf("%v, %.300s", err, body)
			}
			_, metrics := fetch(t, "http://"+record["admin"].(string)+"/metrics")
			if counted := strings.Contains(metrics, `gateway_upstream_connection_errors_total{kind="`+tt.kind+`"}`); counted != (tt.kind != "") {
				t.Errorf("connection errors of kind %q are counted: %v", tt.kind, counted)
			}
		})
	}
	if len(names) == 0 {
		t.Error("no call reached the upstream")
	}
	for range len(names) {
		if name := <-names; name != "gateway-1" {
			t.Errorf("the upstream was called by %s", name)
		}
	}
}

func TestBadCertificates(t *testing.T) {
	a, dir := newAuthority(t, "authority"), t.TempDir()
	cert, _ := a.files(t, dir, "one", false)
	_, other := a.files(t, t.TempDir(), "two", false)
	for name, environ := range map[string][]string{
		"a missing file":           {"GATEWAY_TLS_CERT=" + filepath.Join(dir, "none"), "GATEWAY_TLS_KEY=" + other},
		"another's key":            {"GATEWAY_TLS_CERT=" + cert, "GATEWAY_TLS_KEY=" + other},
		"a key for an authority":   {"GATEWAY_UPSTREAM_CA=" + other},
		"a missing authority":      {"GATEWAY_UPSTREAM_CA=" + filepath.Join(dir, "none")},
		"a certificate for a key":  {"GATEWAY_UPSTREAM_CERT=" + cert, "GATEWAY_UPSTREAM_CERT_KEY=" + cert},
		"an authority without TLS": {"GATEWAY_TLS_CLIENT_CA=" + cert},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := runCommand(t, "", append(environ, upstreamSet))
			if code != exitUsage || !strings.Contains(stderr, "the configuration has a problem") || strings.Contains(stderr, "PRIVATE") {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
}

// TestFollow: files are looked at once a second at most; what cannot be read leaves what there was.
func TestFollow(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	writeFile(t, name, []byte("1"))
	var log bytes.Buffer
	reads := 0
	read := func() (string, error) {
		reads++
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte("bad")) {
			err = errNoCertificates
		}
		return string(text), err
	}
	f, err := follow(slog.New(slog.NewTextHandler(&log, nil)), read, name)
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	f.clock = func() time.Time { return clock }
	for i, step := range []struct {
		after time.Duration
		text  string // "": none is written
		want  string
		reads int
	}{
		{followEvery, "", "1", 1},
		{followEvery, "22", "22", 2},
		{followEvery - 1, "333", "22", 2},
		{1, "", "333", 3},
		{followEvery, "bad!", "333", 4},
		{followEvery, "", "333", 4},
		{followEvery, "55555", "55555", 5},
	} {
		if step.text != "" {
			writeFile(t, name, []byte(step.text))
		}
		clock = clock.Add(step.after)
		if got := f.now(); got != step.want || reads != step.reads {
			t.Errorf("step %d: %q after %d reads, want %+v", i, got, reads, step)
		}
	}
	if text := log.String(); strings.Count(text, "was read again") != 3 || strings.Count(text, "cannot be used") != 1 {
		t.Errorf("the log says\n%s", text)
	}
	if _, err := follow(slog.New(slog.DiscardHandler), readAuthorities(name), name); err == nil {
		t.Error("a file without certificates was taken")
	}
}
