package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"tomtom-mcp-gateway/config"
)

// hostTLS is how the MCP endpoint shows hosts who it is, and whom it lets in; nil where it speaks plain HTTP. Files that
// change are read again.
func hostTLS(c config.Listen, log *slog.Logger) (*tls.Config, error) {
	if c.Cert == "" {
		return nil, nil //nolint:nilnil // no TLS is no error
	}
	certificate, err := follow(log, readCertificate(c.Cert, c.CertKey), c.Cert, c.CertKey)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_TLS_CERT: %w", err)
	}
	base := &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate.now(), nil },
	}
	if c.HostCA == "" {
		return base, nil
	}
	authorities, err := follow(log, readAuthorities(c.HostCA), c.HostCA)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_TLS_CLIENT_CA: %w", err)
	}
	base.ClientAuth = tls.RequireAndVerifyClientCert
	base.ClientCAs = authorities.now()
	base.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		current := base.Clone()
		current.ClientCAs = authorities.now()
		return current, nil
	}
	return base, nil
}

// upstreamTLS is whom the gateway trusts as an https upstream, and how it shows who it is; nil: the system's
// authorities, and not at all. A certificate that changes is read again, authorities are read at start.
func upstreamTLS(c config.Upstream, log *slog.Logger) (*tls.Config, error) {
	if c.CA == "" && c.ClientCert == "" {
		return nil, nil //nolint:nilnil // the defaults are no error
	}
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		authorities, err := readAuthorities(c.CA)()
		if err != nil {
			return nil, fmt.Errorf("GATEWAY_UPSTREAM_CA: %w", err)
		}
		trust.RootCAs = authorities
	}
	if c.ClientCert != "" {
		certificate, err := follow(log, readCertificate(c.ClientCert, c.ClientKey), c.ClientCert, c.ClientKey)
		if err != nil {
			return nil, fmt.Errorf("GATEWAY_UPSTREAM_CERT: %w", err)
		}
		trust.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return certificate.now(), nil }
	}
	return trust, nil
}

// readCertificate reads a certificate with its chain and key. Errors name files, never what is in them.
func readCertificate(cert, key string) func() (*tls.Certificate, error) {
	return func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(cert, key)
		return &pair, err
	}
}

var errNoCertificates = errors.New("it holds no certificate in PEM form")

// readAuthorities reads a file of certificates.
func readAuthorities(file string) func() (*x509.CertPool, error) {
	return func() (*x509.CertPool, error) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, errNoCertificates
		}
		return pool, nil
	}
}
