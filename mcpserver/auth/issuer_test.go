package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/attack"
	"understudy/internal/testing/scratch"
)

// trust makes a stage that accepts the tokens of an authority.
func trust(t *testing.T, a *attack.Authority) *stage {
	t.Helper()
	i, err := NewIssuer(a.URL, "desk")
	if err != nil {
		t.Fatal(err)
	}
	return newStage(t, func(o *Options) { o.Issuer = i })
}

func TestSignedTokens(t *testing.T) {
	rs, es, ed := attack.RSA("r"), attack.ECDSA("e"), attack.Ed25519("d")
	a := attack.NewAuthority(t, rs, es, ed)
	st := trust(t, a)
	now := st.clock.time()
	type row struct{ say, token, want string }
	with := func(changes map[string]any) string { return rs.Sign(a.Claims(now, changes)) }
	rows := []row{
		{"may act", with(map[string]any{"scope": "understudy:act understudy:ask"}), "anna@127.0.0.1 act"},
		{"scopes as a list", with(map[string]any{"scope": nil, "scp": []string{"understudy:act", "understudy:toolset:core"}}), "anna@127.0.0.1 act core"},
		{"for several audiences", with(map[string]any{"aud": []string{"other", attack.Audience}}), "anna@127.0.0.1 ask"},
		{"of a clock that is a little ahead", with(map[string]any{"iat": now.Add(30 * time.Second).Unix(), "nbf": now.Add(30 * time.Second).Unix()}), "anna@127.0.0.1 ask"},
		{"no scope of ours", with(map[string]any{"scope": "openid"}), "403"},
		{"no scope", with(map[string]any{"scope": nil}), "403"},
	}
	for _, f := range attack.Forgeries(a, now, rs, es, ed) {
		want := "401"
		if f.Good {
			want = "anna@127.0.0.1 ask"
		}
		rows = append(rows, row{f.Say, f.Token, want})
	}
	for _, c := range rows {
		t.Run(c.say, func(t *testing.T) {
			st.limit.buckets = nil
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
	if got := st.log.String(); strings.Contains(got, strings.Split(rows[0].token, ".")[2]) {
		t.Errorf("a token is in the log: %s", got)
	}
}

func TestKeysRotate(t *testing.T) {
	old, fresh := attack.RSA("old"), attack.ECDSA("new")
	a := attack.NewAuthority(t, old)
	st := trust(t, a)
	status := func(s attack.Signer) int {
		st.limit.buckets = nil
		return st.try("GET", "/runs", "Authorization", "Bearer "+s.Sign(a.Claims(st.clock.time(), nil))).StatusCode
	}
	if got := status(old); got != 200 {
		t.Fatalf("%d", got)
	}
	for range 5 {
		status(old)
	}
	if got := a.Asked.Load(); got != 1 {
		t.Errorf("the keys were fetched %d times for one key", got)
	}
	a.Publish(fresh)
	st.clock.pass(refetchInterval)
	becomes(t, "with the new key", 200, func() int { return status(fresh) })
	becomes(t, "with the key that was withdrawn", 401, func() int { return status(old) })
}

// becomes waits until a result is as wanted: keys are fetched in the background.
func becomes(t *testing.T, say string, want int, ask func() int) {
	t.Helper()
	got := 0
	for end := scratch.Deadline(t); got != want; time.Sleep(time.Millisecond) {
		if got = ask(); time.Now().After(end) {
			t.Fatalf("%s: %d, want %d", say, got, want)
		}
	}
}

// TestWithdrawnKeyCountsAnHourAtMost withdraws the only key; no token with a new one is
// sent.
func TestWithdrawnKeyCountsAnHourAtMost(t *testing.T) {
	s := attack.RSA("k")
	a := attack.NewAuthority(t, s)
	st := trust(t, a)
	status := func() int {
		st.limit.buckets = nil
		return st.try("GET", "/runs", "Authorization", "Bearer "+s.Sign(a.Claims(st.clock.time(), nil))).StatusCode
	}
	if got := status(); got != 200 {
		t.Fatal(got)
	}
	a.Publish()
	st.clock.pass(keyLifetime)
	becomes(t, "after an hour", 401, status)
}

// TestUnknownKeysMakeNoTraffic sends tokens with unknown keys.
func TestUnknownKeysMakeNoTraffic(t *testing.T) {
	known := attack.RSA("known")
	a := attack.NewAuthority(t, known)
	st := trust(t, a)
	for i := range 50 {
		st.limit.buckets = nil
		s := known
		s.ID = fmt.Sprintf("made-up-%d", i)
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+s.Sign(a.Claims(st.clock.time(), nil))); res.StatusCode != 401 {
			t.Fatal(res.Status)
		}
	}
	if got := a.Asked.Load(); got > 1 {
		t.Errorf("the issuer was asked %d times", got)
	}
}

func TestIssuerThatDoesNotAnswer(t *testing.T) {
	s := attack.RSA("k")
	a := attack.NewAuthority(t, s)
	a.Broken.Store(true)
	st := trust(t, a)
	token := s.Sign(a.Claims(st.clock.time(), nil))
	for range maxFailures + 5 { // these do not count as failures of the client
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 503 {
			t.Fatalf("%s", res.Status)
		}
	}
	a.Broken.Store(false)
	st.clock.pass(refetchInterval)
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

// TestResourceMetadata follows a client that finds the issuer of tokens from a refusal,
// as in RFC 9728.
func TestResourceMetadata(t *testing.T) {
	a := attack.NewAuthority(t)
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
		g.limit.buckets = nil
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/runs", nil)
		r.Header["Authorization"] = []string{"Bearer " + credential}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code == http.StatusOK {
			t.Errorf("%q was let in", credential)
		}
	})
}

// TestClaimsAreReadByTheirExactNames signs claims that count only for a reader that
// ignores case, or takes the last of two.
func TestClaimsAreReadByTheirExactNames(t *testing.T) {
	s := attack.RSA("k")
	a := attack.NewAuthority(t, s)
	st := trust(t, a)
	for _, c := range attack.Disguised(a.URL) {
		want := 401
		if c.Good {
			want = 200
		}
		token := s.SignText(nil, c.Claims(a.Claims(st.clock.time(), nil)))
		st.limit.buckets = nil
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != want {
			t.Errorf("%s: %s, want %d", c.Say, res.Status, want)
		}
	}
}
