package cli

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"understudy/steps"
)

// certificate is a TLS certificate in two files that may change while the server runs,
// because certificates are short-lived.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   [2]time.Time // modification times of the loaded files
}

func tlsConfig(certFile, keyFile string, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	if _, err := c.get(nil); err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("the TLS certificate: %w", err), Next: "--tls-cert and --tls-key each need a PEM file"}
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// get returns the certificate in the files. If they cannot be loaded, such as between
// the writes of the two, the previous certificate stays in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := [2]time.Time{changed(c.certFile), changed(c.keyFile)}
	if c.loaded != nil && seen == c.seen {
		return c.loaded, nil
	}
	fresh, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	switch {
	case err == nil:
		c.loaded, c.seen = &fresh, seen
	case c.loaded == nil:
		return nil, err
	default:
		c.log.Warn("the changed TLS certificate cannot be used; the previous one stays in use", "error", err)
	}
	return c.loaded, nil
}

func changed(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
