package proxy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
)

// statusClass is 2xx and the like.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return string([]byte{'0' + byte(status/100), 'x', 'x'})
}

// knownMethods are those that have a label value of their own.
var knownMethods = map[string]bool{
	methodInitialize: true, methodDiscover: true, methodListTools: true, methodCallTool: true, methodListResources: true,
	methodReadResource: true, methodGetPrompt: true, methodListPrompts: true, methodListTemplates: true, methodListen: true,
	methodPing: true, methodSetLevel: true, methodSubscribe: true, methodUnsubscribe: true,
	noteCancelled: true, noteProgress: true, "notifications/initialized": true,
}

// methodLabel names what a request asks for.
func methodLabel(messages []message, batch bool) string {
	switch {
	case batch:
		return "batch"
	case len(messages) == 0:
		return labelHTTP
	case messages[0].isResponse():
		return "response"
	case knownMethods[messages[0].method]:
		return messages[0].method
	}
	return labelOther
}

const (
	labelOther = "other"
	labelHTTP  = "http" // a request that carries no JSON-RPC
)

// connectionErrorKind is err as one of few words; "" where the connection is not to blame.
func connectionErrorKind(err error) string {
	switch {
	case err == nil, errors.Is(err, errNotFinal), errors.Is(err, errNotHTTP), isCancelled(err):
		return ""
	case isNameError(err):
		return "name"
	case isRefused(err):
		return "refused"
	case isTLSError(err):
		return "tls"
	case isTimeout(err):
		return "timeout"
	}
	return "broken"
}

// isCancelled reports whether a request ended because nobody wants its answer any more.
func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errHostGone) || errors.Is(err, errClosing) || errors.Is(err, errClosed)
}

func isNameError(err error) bool {
	_, is := errors.AsType[*net.DNSError](err)
	return is
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// isTLSError reports whether two sides could not agree on a TLS connection, or one does not trust the other.
func isTLSError(err error) bool {
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	op, isOp := errors.AsType[*net.OpError](err)
	alert := isOp && (op.Op == "remote error" || op.Op == "local error") // as crypto/tls calls what was alerted
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, stranger := errors.AsType[x509.UnknownAuthorityError](err)
	_, otherName := errors.AsType[x509.HostnameError](err)
	return untrusted || alert || noTLS || stranger || otherName
}
