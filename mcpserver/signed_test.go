package mcpserver

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"understudy/engine"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/byhand"
)

// authority is an issuer of signed tokens on this machine, with a time of its own.
type authority struct {
	url  string
	key  ed25519.PrivateKey
	late atomic.Int64 // by how much its time is ahead
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: private}
	mux := http.NewServeMux()
	say := func(path string, v func() any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v()) })
	}
	say("/.well-known/openid-configuration", func() any { return byhand.Object{"issuer": a.url, "jwks_uri": a.url + "/keys"} })
	say("/keys", func() any {
		return byhand.Object{"keys": []any{byhand.Object{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": base64.RawURLEncoding.EncodeToString(public)}}}
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	a.url = site.URL
	return a
}

func (a *authority) now() time.Time { return time.Now().Add(time.Duration(a.late.Load())) }

// token is one that counts for an hour.
func (a *authority) token(t *testing.T, scope string) http.Header {
	t.Helper()
	packed := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	text := packed(byhand.Object{"alg": "EdDSA"}) + "." + packed(byhand.Object{
		"iss": a.url, "aud": "desk", "sub": "laptop", "scope": scope, "iat": a.now().Unix(), "exp": a.now().Add(time.Hour).Unix(),
	})
	text += "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(a.key, []byte(text)))
	return http.Header{"Authorization": {"Bearer " + text}}
}

// TestSignedTokenEndsUnderWay has a token come to its end while a run and a
// stream of its client go on: the run was allowed and ends as it would have; the
// stream is cut, and the next request wants another token.
func TestSignedTokenEndsUnderWay(t *testing.T) {
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			a := newAuthority(t)
			issuer, err := auth.NewIssuer(a.url, "desk")
			if err != nil {
				t.Fatal(err)
			}
			s := newSecured(t, func(o *Options) { o.Gate = auth.New(auth.Options{Issuer: issuer, Log: o.Log, Now: a.now}) })
			p := s.greet(version, a.token(t, "understudy:act"))
			p.Call(t, "execute_sequence", waitsThenClicks())
			run := s.hanging()
			cut := s.stream(p.Header)

			a.late.Store(int64(2 * time.Hour))
			if status, _ := p.Ask(t, "tools/list", byhand.Object{}); status != http.StatusUnauthorized {
				t.Errorf("its next request: %d", status)
			}
			select {
			case <-cut:
			case <-time.After(time.Minute):
				t.Error("its stream goes on")
			}
			close(s.goOn)
			if h := s.rest(run); h.Status != engine.Succeeded || len(s.desk.Journal()) == 0 {
				t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
			}
			p.Header = a.token(t, "understudy:act")
			if status, res := p.Call(t, "get_run", byhand.Object{"run_id": run}); status != http.StatusOK || byhand.IsError(res) {
				t.Errorf("with another token: %d %v", status, res)
			}
		})
	}
}

// stream reads events, and closes what it gives when there are no more.
func (s *secured) stream(h http.Header) (over chan bool) {
	s.t.Helper()
	res := visit(s.t.Context(), s.t, s.url+"/events", h)
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("events: %v", res)
	}
	over = make(chan bool)
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}()
	return over
}
