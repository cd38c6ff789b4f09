package hub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/store/jetstream"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, dir: t.TempDir(), key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "of the test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}}
	a.sign("ca", a.cert, key)
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) sign(name string, c *x509.Certificate, key *ecdsa.PrivateKey) {
	a.t.Helper()
	cert, err := x509.CreateCertificate(rand.Reader, c, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".pem": {Type: "CERTIFICATE", Bytes: cert}, name + ".key": {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(a.file(file), pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
}

// node gives a node of this machine a certificate.
func (a *authority) node(o Options) Options {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	a.sign(o.Name, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: o.Name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, key)
	o.Certificate, o.Key, o.CA = a.file(o.Name+".pem"), a.file(o.Name+".key"), a.file("ca.pem")
	return o
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func await(t *testing.T, what string, holds func() error) {
	t.Helper()
	var err error
	for late := scratch.Deadline(t); time.Now().Before(late); time.Sleep(50 * time.Millisecond) {
		if err = holds(); err == nil {
			return
		}
	}
	t.Fatalf("wanted %s: %v", what, err)
}

// TestThreeHubsJoinOverTLS has three nodes, a fourth that another authority signed, and
// who comes with the wrong credential, the wrong authority or none.
func TestThreeHubsJoinOverTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	dir, tenants := t.TempDir(), []string{"a", "b"}
	first, err := Start(Options{Dir: dir, Listen: "127.0.0.1:-1", Tenants: tenants}) // it makes the credentials
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var join []string
	for range 4 {
		join = append(join, freeAddress(t))
	}
	var nodes []*Hub
	for i, address := range join {
		by, others := ours, join[:3]
		if i == 3 {
			by, others = theirs, join
		}
		o := by.node(Options{Dir: t.TempDir(), Name: fmt.Sprint("node", i), Listen: "127.0.0.1:-1", ClusterListen: address, Join: others, Tenants: tenants})
		if err := os.CopyFS(Credentials(o.Dir), os.DirFS(Credentials(dir))); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		h, err := Start(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		nodes = append(nodes, h)
	}
	open := func(h *Hub, credential, ca string) (*jetstream.Store, error) {
		nc, err := jetstream.Dial(jetstream.Address{URL: h.URL(), Credential: credential, CA: ca})
		if err != nil {
			return nil, err
		}
		t.Cleanup(nc.Close)
		return jetstream.Open(t.Context(), nc, jetstream.Options{Replicas: 3})
	}
	of := func(name string) string { return filepath.Join(Credentials(dir), name+".nk") }
	stores := map[string]*jetstream.Store{}
	for i, name := range []string{"a-client", "a-worker", "b-admin"} {
		await(t, name+" in", func() (err error) {
			stores[name], err = open(nodes[i], of(name), ours.file("ca.pem"))
			return err
		})
	}
	await(t, "a run stored on three nodes", func() error {
		return stores["a-client"].Append(t.Context(), "run1", storetest.Batch("run1", 1, 0, 2))
	})
	await(t, "the run at another node", func() error { // which may not have been among those that stored it first
		_, _, err := stores["a-worker"].Run(t.Context(), "run1")
		return err
	})
	if _, _, err := stores["b-admin"].Run(t.Context(), "run1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("another tenant sees the run: %v", err)
	}
	var heard int
	if err := stores["b-admin"].Hear(t.Context(), func([]byte) { heard++ }, "stream"); err != nil {
		t.Fatal(err)
	}
	if err := stores["a-client"].Tell([]byte("x"), "stream"); err != nil {
		t.Fatal(err)
	}
	if _, err := stores["b-admin"].Ask(t.Context(), nil, "worker", "w"); !errors.Is(err, engine.ErrNobody) || heard > 0 {
		t.Errorf("another tenant hears: %d, %v", heard, err)
	}
	stranger := filepath.Join(t.TempDir(), "stranger.nk")
	if _, err := loadKeys(filepath.Dir(stranger), []string{"a"}, false); err != nil {
		t.Fatal(err)
	}
	for say, row := range map[string]struct{ credential, ca string }{
		"a worker with a credential of another hub":     {filepath.Join(filepath.Dir(stranger), "a-worker.nk"), ours.file("ca.pem")},
		"one without a credential":                      {"", ours.file("ca.pem")},
		"one that trusts another authority":             {of("a-worker"), theirs.file("ca.pem")},
		"one that trusts the authorities of its system": {of("a-worker"), ""},
	} {
		if _, err := open(nodes[0], row.credential, row.ca); err == nil {
			t.Errorf("%s got in", say)
		}
	}
	if n := nodes[3].server.NumRoutes(); n > 0 {
		t.Errorf("a node that another authority signed has %d routes", n)
	}
}
