package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// authority is an issuer of our own, on this machine.
type authority struct {
	*httptest.Server
	keys   atomic.Pointer[[]any]
	asked  atomic.Int64 // for keys
	broken atomic.Bool
}

func newAuthority(t *testing.T, keys ...any) *authority {
	t.Helper()
	a := &authority{}
	a.keys.Store(&keys)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{
			"issuer": a.URL, "jwks_uri": a.URL + "/keys", "authorization_endpoint": a.URL + "/auth", "token_endpoint": a.URL + "/token",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		a.asked.Add(1)
		if a.broken.Load() {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"keys": *a.keys.Load()})
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func packed(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b64(raw)
}

// signer signs tokens with a key.
type signer struct {
	id, alg string
	key     crypto.Signer
}

func (s signer) jwk() any {
	j := map[string]string{"kid": s.id, "alg": s.alg, "use": "sig"}
	switch k := s.key.Public().(type) {
	case *rsa.PublicKey:
		j["kty"], j["n"], j["e"] = "RSA", b64(k.N.Bytes()), b64(big.NewInt(int64(k.E)).Bytes())
	case *ecdsa.PublicKey:
		raw, err := k.Bytes()
		if err != nil {
			panic(err)
		}
		j["kty"], j["crv"], j["x"], j["y"] = "EC", "P-256", b64(raw[1:33]), b64(raw[33:])
	case ed25519.PublicKey:
		j["kty"], j["crv"], j["x"] = "OKP", "Ed25519", b64(k)
	}
	return j
}

func (s signer) sign(t *testing.T, claims map[string]any) string {
	t.Helper()
	text := packed(map[string]string{"alg": s.alg, "kid": s.id, "typ": "JWT"}) + "." + packed(claims)
	sum := sha256.Sum256([]byte(text))
	switch k := s.key.(type) {
	case *ecdsa.PrivateKey:
		r, x, err := ecdsa.Sign(rand.Reader, k, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + b64(append(r.FillBytes(make([]byte, 32)), x.FillBytes(make([]byte, 32))...))
	case ed25519.PrivateKey:
		return text + "." + b64(ed25519.Sign(k, []byte(text)))
	}
	sig, err := s.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + b64(sig)
}

func rsaSigner(t *testing.T, id string) signer {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, "RS256", k}
}

func ecSigner(t *testing.T, id string) signer {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return signer{id, "ES256", k}
}

// trust is a gate that takes the tokens of an authority.
func trust(t *testing.T, a *authority) *stage {
	t.Helper()
	i, err := NewIssuer(a.URL, "desk")
	if err != nil {
		t.Fatal(err)
	}
	return newStage(t, func(o *Options) { o.Issuer = i })
}

// said are the claims of a good token, with changes; nil takes one away.
func (a *authority) said(st *stage, changes map[string]any) map[string]any {
	now := st.clock.time()
	c := map[string]any{
		"iss": a.URL, "aud": "desk", "sub": "anna", "scope": "openid understudy:ask", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for k, v := range changes {
		if c[k] = v; v == nil {
			delete(c, k)
		}
	}
	return c
}

func TestSignedTokens(t *testing.T) {
	rs, es, stranger := rsaSigner(t, "r"), ecSigner(t, "e"), rsaSigner(t, "r")
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ed := signer{"d", "EdDSA", private}
	a := newAuthority(t, rs.jwk(), es.jwk(), ed.jwk())
	st := trust(t, a)
	now := st.clock.time()
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	with := func(s signer, changes map[string]any) string { return s.sign(t, a.said(st, changes)) }
	good := with(rs, nil)
	parts := strings.Split(good, ".")
	headed := func(header map[string]any, signature string) string {
		return packed(header) + "." + parts[1] + "." + signature
	}
	for _, c := range []struct {
		say, token, want string
	}{
		{"signed with RS256", good, "anna@127.0.0.1 ask"},
		{"signed with ES256", with(es, nil), "anna@127.0.0.1 ask"},
		{"signed with EdDSA", with(ed, nil), "anna@127.0.0.1 ask"},
		{"may act", with(rs, map[string]any{"scope": "understudy:act understudy:ask"}), "anna@127.0.0.1 act"},
		{"scopes as a list", with(rs, map[string]any{"scope": nil, "scp": []string{"understudy:act", "understudy:toolset:core"}}), "anna@127.0.0.1 act core"},
		{"for several audiences", with(rs, map[string]any{"aud": []string{"other", "desk"}}), "anna@127.0.0.1 ask"},
		{"no scope of ours", with(rs, map[string]any{"scope": "openid"}), "403"},
		{"no scope", with(rs, map[string]any{"scope": nil}), "403"},
		{"expired", with(rs, map[string]any{"exp": at(-time.Second)}), "401"},
		{"without an end", with(rs, map[string]any{"exp": nil}), "401"},
		{"not valid yet", with(rs, map[string]any{"nbf": at(10 * time.Minute)}), "401"},
		{"for another server", with(rs, map[string]any{"aud": "other"}), "401"},
		{"for nobody", with(rs, map[string]any{"aud": nil}), "401"},
		{"of another issuer", with(rs, map[string]any{"iss": "https://evil.example"}), "401"},
		{"of nobody", with(rs, map[string]any{"sub": nil}), "401"},
		{"of a name with a line", with(rs, map[string]any{"sub": "a\nb"}), "401"},
		{"with a key of the right name that is another", with(stranger, nil), "401"},
		{"alg none", headed(map[string]any{"alg": "none"}, ""), "401"},
		{"alg None", headed(map[string]any{"alg": "None"}, ""), "401"},
		{"HS256 with the public key as the secret", confused(t, rs, parts[1]), "401"},
		{"an alg that is not allowed", headed(map[string]any{"alg": "RS512", "kid": "r"}, parts[2]), "401"},
		{"a key in its own header", embedded(t, stranger, parts[1]), "401"},
		{"changed", parts[0] + "." + packed(a.said(st, map[string]any{"scope": "understudy:act"})) + "." + parts[2], "401"},
		{"without its signature", parts[0] + "." + parts[1] + ".", "401"},
		{"no token", "a.b.c", "401"},
		{"too long a token", good + strings.Repeat("A", longestCredential), "401"},
	} {
		t.Run(c.say, func(t *testing.T) {
			st.limit.by = nil
			res := st.try("GET", "/runs", "Authorization", "Bearer "+c.token)
			got := fmt.Sprint(res.StatusCode)
			if res.StatusCode == 200 {
				got = textOf(t, res)
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	if got := st.log.String(); strings.Contains(got, parts[2]) {
		t.Errorf("a token is in the log: %s", got)
	}
}

// confused signs as if the public key were a secret that both share.
func confused(t *testing.T, s signer, claims string) string {
	t.Helper()
	text := packed(map[string]string{"alg": "HS256", "kid": s.id}) + "." + claims
	raw, err := json.Marshal(s.jwk())
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte(text))
	return text + "." + b64(mac.Sum(nil))
}

// embedded is a token that brings the key that it was signed with.
func embedded(t *testing.T, s signer, claims string) string {
	t.Helper()
	text := packed(map[string]any{"alg": "RS256", "jwk": s.jwk()}) + "." + claims
	sum := sha256.Sum256([]byte(text))
	sig, err := s.key.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + b64(sig)
}

func TestKeysRotate(t *testing.T) {
	old, fresh := rsaSigner(t, "old"), ecSigner(t, "new")
	a := newAuthority(t, old.jwk())
	st := trust(t, a)
	status := func(s signer) int {
		st.limit.by = nil
		return st.try("GET", "/runs", "Authorization", "Bearer "+s.sign(t, a.said(st, nil))).StatusCode
	}
	if got := status(old); got != 200 {
		t.Fatalf("%d", got)
	}
	for range 5 {
		status(old)
	}
	if got := a.asked.Load(); got != 1 {
		t.Errorf("the keys were fetched %d times for one key", got)
	}
	a.keys.Store(&[]any{fresh.jwk()})
	st.clock.pass(rest)
	becomes(t, "with the new key", 200, func() int { return status(fresh) })
	becomes(t, "with the key that was withdrawn", 401, func() int { return status(old) })
}

// becomes waits until a question has an answer: keys are fetched in the
// background.
func becomes(t *testing.T, say string, want int, ask func() int) {
	t.Helper()
	got := 0
	for end := time.Now().Add(30 * time.Second); got != want; time.Sleep(time.Millisecond) {
		if got = ask(); time.Now().After(end) {
			t.Fatalf("%s: %d, want %d", say, got, want)
		}
	}
}

// TestWithdrawnKeyCountsAnHourAtMost withdraws the only key, and nobody comes
// with another.
func TestWithdrawnKeyCountsAnHourAtMost(t *testing.T) {
	s := rsaSigner(t, "k")
	a := newAuthority(t, s.jwk())
	st := trust(t, a)
	status := func() int {
		st.limit.by = nil
		return st.try("GET", "/runs", "Authorization", "Bearer "+s.sign(t, a.said(st, nil))).StatusCode
	}
	if got := status(); got != 200 {
		t.Fatal(got)
	}
	a.keys.Store(&[]any{})
	st.clock.pass(keyTime)
	becomes(t, "after an hour", 401, status)
}

// TestUnknownKeysMakeNoTraffic sends tokens with made-up keys.
func TestUnknownKeysMakeNoTraffic(t *testing.T) {
	known := rsaSigner(t, "known")
	a := newAuthority(t, known.jwk())
	st := trust(t, a)
	for i := range 50 {
		st.limit.by = nil
		s := known
		s.id = fmt.Sprintf("made-up-%d", i)
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+s.sign(t, a.said(st, nil))); res.StatusCode != 401 {
			t.Fatal(res.Status)
		}
	}
	if got := a.asked.Load(); got > 1 {
		t.Errorf("the issuer was asked %d times", got)
	}
}

func TestIssuerThatDoesNotAnswer(t *testing.T) {
	s := rsaSigner(t, "k")
	a := newAuthority(t, s.jwk())
	a.broken.Store(true)
	st := trust(t, a)
	token := s.sign(t, a.said(st, nil))
	for range failures + 5 { // which are no failures of the client
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 503 {
			t.Fatalf("%s", res.Status)
		}
	}
	a.broken.Store(false)
	st.clock.pass(rest)
	becomes(t, "once it answers", 200, func() int {
		return st.try("GET", "/runs", "Authorization", "Bearer "+token).StatusCode
	})
}

func TestIssuersThatAreRefused(t *testing.T) {
	for _, c := range []struct{ say, address, audience string }{
		{"without TLS", "http://id.example.com", "desk"},
		{"without an audience", "https://id.example.com", ""},
		{"no address", "id.example.com", "desk"},
		{"another scheme", "file:///etc", "desk"},
		{"with a password", "https://a:b@id.example.com", "desk"},
		{"with a query", "https://id.example.com?x=y", "desk"},
		{"nothing", "", "desk"},
	} {
		if _, err := NewIssuer(c.address, c.audience); err == nil {
			t.Errorf("%s: it was taken", c.say)
		}
	}
}

// TestResourceMetadata follows a client that learns from a refusal who gives
// tokens, as RFC 9728 has it.
func TestResourceMetadata(t *testing.T) {
	a := newAuthority(t)
	st := trust(t, a)
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/mcp", bytes.NewReader(nil))
	r.Host = "desk.example:8765"
	challenge := st.do(r).Header.Get("WWW-Authenticate")
	_, rest, ok := strings.Cut(challenge, `resource_metadata="`)
	address, _, _ := strings.Cut(rest, `"`)
	if want := "http://desk.example:8765/.well-known/oauth-protected-resource/mcp"; !ok || address != want {
		t.Fatalf("the challenge is %s", challenge)
	}
	read := func(address string) map[string]any {
		var doc map[string]any
		r := httptest.NewRequestWithContext(t.Context(), "GET", address, nil)
		if err := json.Unmarshal([]byte(textOf(t, st.do(r))), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	doc := read(address)
	if doc["resource"] != "http://desk.example:8765/mcp" || fmt.Sprint(doc["authorization_servers"]) != "["+a.URL+"]" {
		t.Errorf("%v", doc)
	}
	if root := read("http://desk.example:8765/.well-known/oauth-protected-resource"); !maps.EqualFunc(root, doc, func(x, y any) bool { return fmt.Sprint(x) == fmt.Sprint(y) }) {
		t.Errorf("at the root: %v", root)
	}
	st.o.Public = "https://desk.example"
	if doc := read(address); doc["resource"] != "https://desk.example/mcp" {
		t.Errorf("with an address of its own: %v", doc)
	}
	if res := newStage(t).try("GET", "/.well-known/oauth-protected-resource"); res.StatusCode != 404 {
		t.Errorf("without an issuer: %s", res.Status)
	}
}

func FuzzCredential(f *testing.F) {
	for _, s := range []string{"", "a.b.c", tokenPrefix, "eyJhbGciOiJub25lIn0.e30.", strings.Repeat(".", 100)} {
		f.Add(s)
	}
	issuer, err := NewIssuer("http://127.0.0.1:1", "desk")
	if err != nil {
		f.Fatal(err)
	}
	g := New(Options{Tokens: NewTokens(f.TempDir() + "/none.json"), Issuer: issuer})
	h := g.Wrap(http.HandlerFunc(whoami))
	f.Fuzz(func(t *testing.T, credential string) {
		g.limit.by = nil
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/runs", nil)
		r.Header["Authorization"] = []string{"Bearer " + credential}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code == http.StatusOK {
			t.Errorf("%q was let in", credential)
		}
	})
}

// TestClaimsAreReadByTheirExactNames signs claims that count only to who takes
// names without regard to case, or the last of two.
func TestClaimsAreReadByTheirExactNames(t *testing.T) {
	s := rsaSigner(t, "k")
	a := newAuthority(t, s.jwk())
	st := trust(t, a)
	good := a.said(st, nil)
	for _, c := range []struct {
		say  string
		more string // put before and behind the claims
		drop string
		want int
	}{
		{"as they should be", "", "", 200},
		{"an audience in capitals behind another's", `"aud":"other","AUD":"` + fmt.Sprint(good["aud"]) + `"`, "aud", 401},
		{"only one in capitals", `"AUD":"` + fmt.Sprint(good["aud"]) + `"`, "aud", 401},
		{"an issuer in capitals", `"iss":"http://evil","ISS":"` + a.URL + `"`, "iss", 401},
		{"an end in capitals", `"exp":1,"Exp":99999999999`, "exp", 401},
		{"only such an end", `"EXP":99999999999`, "exp", 401},
		{"a scope in capitals", `"scope":"openid","SCOPE":"understudy:act"`, "scope", 401},
		{"a scope with a long s", `"scope":"openid","\u017fcope":"understudy:act"`, "scope", 401},
		{"an audience twice", `"aud":"other","aud":"` + fmt.Sprint(good["aud"]) + `"`, "aud", 401},
		{"something else twice", `"x":1,"x":2`, "", 401},
		{"something else in capitals", `"X":1,"x":2`, "", 200},
	} {
		claims := maps.Clone(good)
		delete(claims, c.drop)
		raw, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		if c.more != "" {
			raw = []byte(strings.TrimSuffix(string(raw), "}") + "," + c.more + "}")
		}
		text := packed(map[string]string{"alg": s.alg, "kid": s.id, "typ": "JWT"}) + "." + b64(raw)
		sum := sha256.Sum256([]byte(text))
		sig, err := s.key.Sign(rand.Reader, sum[:], crypto.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		st.limit.by = nil
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+text+"."+b64(sig)); res.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", c.say, res.Status, c.want)
		}
	}
}
