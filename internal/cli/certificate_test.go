package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// writeCertificate makes a certificate of this machine with a number, and sets
// when its files were changed.
func writeCertificate(t *testing.T, certFile, keyFile string, number int64, changed time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), Subject: pkix.Name{CommonName: "localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCertificateIsReadAgain exchanges a certificate under a listener, also for
// one that is not whole.
func TestCertificateIsReadAgain(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	g := &accessFlags{Address: "127.0.0.1:0", CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	writeCertificate(t, g.CertFile, g.KeyFile, 1, now)
	l, scheme, err := g.listen(slog.New(slog.DiscardHandler))
	if err != nil || scheme != "https" {
		t.Fatal(scheme, err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_ = c.(*tls.Conn).HandshakeContext(t.Context())
			}()
		}
	}()
	serial := func() int64 {
		t.Helper()
		c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true}) // its number is all that is looked at
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d", got)
	}
	writeCertificate(t, g.CertFile, g.KeyFile, 2, now.Add(time.Minute))
	if got := serial(); got != 2 {
		t.Errorf("after the exchange: certificate %d", got)
	}
	if err := os.WriteFile(g.CertFile, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(g.CertFile, now.Add(2*time.Minute), now.Add(2*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 2 {
		t.Errorf("with half a file: certificate %d", got)
	}
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11} // it is to be refused
	if c, err := tls.Dial("tcp", l.Addr().String(), old); err == nil {
		c.Close()
		t.Error("TLS 1.1 was spoken")
	}
}
