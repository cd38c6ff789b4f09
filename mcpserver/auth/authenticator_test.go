package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/testing/scratch"
)

func TestNobodyIsLetInWithoutACredential(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	basic := func(password string) string {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetBasicAuth("laptop", password)
		return r.Header.Get("Authorization")
	}
	for _, c := range []struct {
		say, header string
		want        int
	}{
		{"none", "", 401},
		{"another word", "Bearer nonsense", 401},
		{"a token that nobody has", "Bearer " + tokenPrefix + strings.Repeat("A", 43), 401},
		{"the beginning of one", "Bearer " + token[:len(token)-1], 401},
		{"one and more", "Bearer " + token + "A", 401},
		{"another scheme", "Token " + token, 401},
		{"a password", basic(token), 401},
		{"the hash instead of the token", "Bearer " + tokenPrefix + hashIn(t, st), 401},
		{"a scheme without a token", "Bearer ", 401},
		{"the right one", "Bearer " + token, 200},
		{"the right one, in small letters", "bearer " + token, 200},
	} {
		for _, path := range []string{"/mcp", "/mcp/ask", "/runs", "/captures/x", "/events", "/metrics", "/ready", "/mode", "/api/runs", "/", "/nothing"} {
			for _, method := range []string{"GET", "POST", "DELETE", "PUT", "OPTIONS"} {
				st.limit.buckets = nil // as if from another address
				res := st.try(method, path, "Authorization", c.header)
				if res.StatusCode != c.want {
					t.Errorf("%s: %s %s is %s, want %d", c.say, method, path, res.Status, c.want)
				}
				if c.want == 401 && !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer ") {
					t.Errorf("%s: the answer does not say how to ask: %v", c.say, res.Header)
				}
			}
		}
	}
	for _, path := range []string{"/health", "/status"} {
		if res := st.try("GET", path); res.StatusCode != 200 || textOf(t, res) != "nobody" {
			t.Errorf("%s is not for everyone: %s", path, res.Status)
		}
	}
	for _, path := range []string{"/mcp?access_token=" + token, "/runs?token=" + token} {
		if res := st.try("GET", path); res.StatusCode != 401 {
			t.Errorf("a token in the address was taken")
		}
	}
	for _, path := range []string{"//health", "/health/../runs", "/HEALTH", "/status/", "/health/x"} {
		res := st.try("GET", "http://127.0.0.1"+path)
		if res.StatusCode == 200 {
			t.Errorf("%s went around the gate: %s", path, textOf(t, res))
		}
	}
}

func hashIn(t *testing.T, st *stage) string {
	t.Helper()
	list, err := st.tokens.List()
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Hash
}

// TestTokensAreNotGuessed has an address guess until it must wait.
func TestTokensAreNotGuessed(t *testing.T) {
	st := newStage(t)
	token, late := st.add(laptop), st.add(Token{Name: "late", Mode: Ask})
	if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 200 {
		t.Fatal(res.Status)
	}
	tried, limited := 0, 0
	for i := range 100 {
		switch res := st.try("GET", "/runs", "Authorization", fmt.Sprintf("Bearer %s%043d", tokenPrefix, i)); res.StatusCode {
		case 401:
			tried++
		case 429:
			if limited++; res.Header.Get("Retry-After") == "" {
				t.Error("it is not said how long to wait")
			}
		default:
			t.Fatal(res.Status)
		}
	}
	if tried != maxFailures || limited != 100-maxFailures {
		t.Errorf("%d guesses were tried and %d were not, want %d tried", tried, limited, maxFailures)
	}
	if res := st.try("GET", "/runs", "Authorization", "Bearer "+late); res.StatusCode != 200 {
		t.Errorf("a right credential that was not seen before: %s", res.Status)
	}
	if res := st.form("/login", url.Values{"token": {late + "x"}}); res.StatusCode != 429 {
		t.Errorf("a guess in the page: %s", res.Status)
	}
	if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 200 {
		t.Errorf("a client that worked before does not now: %s", res.Status)
	}
	elsewhere := httptest.NewRequestWithContext(t.Context(), "GET", "/runs", nil)
	elsewhere.RemoteAddr = "198.51.100.7:1234"
	if res := st.do(elsewhere, "Authorization", "Bearer "+late); res.StatusCode != 200 {
		t.Errorf("from another address: %s", res.Status)
	}
	st.clock.pass(refillInterval)
	if res := st.try("GET", "/runs", "Authorization", "Bearer x"); res.StatusCode != 401 {
		t.Errorf("a guess after a while: %s", res.Status)
	}
	if got := st.log.String(); !strings.Contains(got, "too many wrong credentials") || strings.Contains(got, token) || strings.Contains(got, late) {
		t.Errorf("the log: %s", got)
	}
}

func TestLimiterForgets(t *testing.T) {
	now := time.Now()
	l := &Limiter{now: func() time.Time { return now }}
	for i := range maxSenders + 10 {
		a := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		l.recordFailure(sender{netip.PrefixFrom(a, 32), noUser})
	}
	if len(l.buckets) > maxSenders {
		t.Errorf("%d senders are kept", len(l.buckets))
	}
}

// TestGuessesAreCountedByAddressAndUser checks that a user of this machine gains no
// guesses by using other loopback addresses, takes none from another user, and locks out
// nobody with a valid credential.
func TestGuessesAreCountedByAddressAndUser(t *testing.T) {
	if !TellsUsers() {
		t.Skip("this system does not say whose a connection is")
	}
	st := newStage(t)
	token := st.add(laptop)
	server := httptest.NewServer(st.Wrap(http.HandlerFunc(whoami)))
	defer server.Close()
	get := func(from byte, credential string) int {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}}
		transport := &http.Transport{DialContext: d.DialContext}
		defer transport.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/runs", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+credential)
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Skip("this machine has no 127.0.0.x:", err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	came := map[int]int{}
	for i := range byte(2 * maxFailures) {
		came[get(i+2, "x")]++
	}
	if diff := cmp.Diff(map[int]int{401: maxFailures, 429: maxFailures}, came); diff != "" {
		t.Error("one guess of each of many addresses:", diff)
	}
	if got := get(2, token); got != 200 {
		t.Errorf("a right credential from there: %d", got)
	}
	if wait := st.limit.recordFailure(sender{thisMachine, os.Getuid()}); wait == 0 {
		t.Error("the guesses do not count as those of this user")
	}
	if wait := st.limit.recordFailure(sender{thisMachine, os.Getuid() + 1}); wait != 0 {
		t.Errorf("another user must wait for %s", wait)
	}
	if wait := st.limit.recordFailure(sender{addressOf("192.0.2.1:9"), noUser}); wait != 0 {
		t.Errorf("another machine must wait for %s", wait)
	}
}

func TestAddressOf(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:99":          "192.0.2.1/32",
		"[2001:db8::1]:99":      "2001:db8::/64",
		"[2001:db8::2]:98":      "2001:db8::/64",
		"[::ffff:192.0.2.1]:99": "192.0.2.1/32",
		"[fe80::1%eth0]:99":     "fe80::/64",
		"127.3.2.1:99":          "127.0.0.0/8",
		"[::1]:99":              "127.0.0.0/8",
		"@":                     "invalid Prefix",
	} {
		if got := addressOf(remote).String(); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

// TestNoTokenIsWrittenDown searches all replies and the log for the tokens that were
// sent.
func TestNoTokenIsWrittenDown(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	secret := tokenPrefix + "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MTIz"
	var all strings.Builder
	for _, credential := range []string{secret, token, secret + ".a.b", "x.y." + secret} {
		for _, path := range []string{"/mcp", "/runs", "/login"} {
			res := st.try("GET", path, "Authorization", "Bearer "+credential)
			all.WriteString(textOf(t, res) + fmt.Sprint(res.Header))
		}
		res := st.form("/login", url.Values{"token": {credential}})
		all.WriteString(textOf(t, res) + fmt.Sprint(res.Header))
	}
	all.WriteString(st.log.String())
	if strings.Contains(all.String(), secret) || strings.Contains(all.String(), token) {
		t.Errorf("a token is written down:\n%s", all.String())
	}
}

func TestLogInjectionThroughACredential(t *testing.T) {
	st := newStage(t)
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/runs", nil)
	r.Header["Authorization"] = []string{"Bearer a.b\nlevel=ERROR msg=forged.c"}
	st.do(r)
	for line := range strings.Lines(st.log.String()) {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a line of its own: %s", line)
		}
	}
}

func cookiesOf(res *http.Response) (headers []string) {
	for _, c := range res.Cookies() {
		headers = append(headers, "Cookie", c.Name+"="+c.Value)
	}
	return headers
}

func TestBrowserLogsIn(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	if res := st.try("GET", "/runs", "Accept", "text/html"); res.StatusCode != 303 || res.Header.Get("Location") != "/login" {
		t.Errorf("a page without a login: %s to %s", res.Status, res.Header.Get("Location"))
	}
	form := st.try("GET", "/login")
	if csp := form.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page's policy: %s", csp)
	}
	if res := st.form("/login", url.Values{"token": {"wrong"}}); res.StatusCode != 401 || len(res.Cookies()) > 0 {
		t.Errorf("a wrong token: %s, %v", res.Status, res.Cookies())
	}
	for _, headers := range [][]string{{"Origin", "http://example.com:81"}, {"Origin", "null"}, {"Origin", "http://example.com", "Sec-Fetch-Site", "same-site"}} {
		if res := st.form("/login", url.Values{"token": {token}}, headers...); res.StatusCode != 403 || len(res.Cookies()) > 0 {
			t.Errorf("a form of another place, %v: %s, %v", headers, res.Status, res.Cookies())
		}
	}
	res := st.form("/login", url.Values{"token": {" " + token + "\n"}}) // as a terminal copies it
	if res.StatusCode != 303 || len(res.Cookies()) != 1 {
		t.Fatalf("the right one: %s, %v", res.Status, res.Cookies())
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, token) || c.Value == "" {
		t.Errorf("the cookie: %v", c)
	}
	cookie := cookiesOf(res)
	if res := st.try("GET", "/runs", cookie...); res.StatusCode != 200 || textOf(t, res) != "laptop act core files" {
		t.Errorf("with the cookie: %s", res.Status)
	}
	if res := st.try("POST", "/logout", cookie...); res.StatusCode != 303 {
		t.Errorf("leaving: %s", res.Status)
	}
	if res := st.try("GET", "/runs", cookie...); res.StatusCode != 401 {
		t.Errorf("the cookie after leaving: %s", res.Status)
	}
}

// TestBrowserLogsInBehindAProxy checks that the cookie is secure where a proxy terminates
// TLS, and that the address of the proxy counts as the server's own.
func TestBrowserLogsInBehindAProxy(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Public = "https://desk.example.com/" })
	res := st.form("/login", url.Values{"token": {st.add(laptop)}})
	if len(res.Cookies()) != 1 || !res.Cookies()[0].Secure || res.Cookies()[0].Name != cookieSecure {
		t.Fatalf("%s, %v", res.Status, res.Cookies())
	}
	if res := st.try("GET", "/runs", cookiesOf(res)...); res.StatusCode != 200 {
		t.Errorf("with the cookie: %s", res.Status)
	}
	for origin, want := range map[string]bool{"https://desk.example.com": true, "http://desk.example.com": false, "https://desk.example.com.evil": false, "": false, "null": false} {
		if st.IsPublic(origin) != want {
			t.Errorf("the origin %q: %v", origin, !want)
		}
	}
	if newStage(t).IsPublic("://") || newStage(t).IsPublic("") {
		t.Error("without a public address there is an origin of it")
	}
}

// TestCookieIsOnlyForPages checks that no page of another site can act with a person's
// login: the cookie is accepted for changes only from forms of our own pages.
func TestCookieIsOnlyForPages(t *testing.T) {
	st := newStage(t)
	cookie := cookiesOf(st.form("/login", url.Values{"token": {st.add(laptop)}}))
	for _, x := range []struct{ method, path string }{
		{"POST", "/mcp"},
		{"GET", "/mcp"},
		{"DELETE", "/mcp"},
		{"POST", "/mcp/ask"},
		{"GET", "/mcp/ask"},
		{"POST", "/mode"},
		{"POST", "/runs"},
		{"POST", "/api/runs"},
		{"PUT", "/runs/x"},
	} {
		if res := st.try(x.method, x.path, cookie...); res.StatusCode != 401 {
			t.Errorf("%s %s with a cookie: %s", x.method, x.path, res.Status)
		}
	}
	own := "http://example.com" // the host of a request of httptest
	for _, x := range []struct {
		say, path string
		headers   []string
		status    int
	}{
		{"a form of our page", "/runs/x/stop", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 200},
		{"a browser that says no site", "/runs/x/stop", []string{"Origin", own}, 200},
		{"no origin", "/runs/x/stop", nil, 401},
		{"an opaque origin", "/runs/x/stop", []string{"Origin", "null"}, 401},
		{"another port", "/runs/x/stop", []string{"Origin", own + ":81"}, 401},
		{"another origin", "/runs/x/stop", []string{"Origin", "http://evil.example"}, 401},
		{"our origin, said by another site", "/runs/x/stop", []string{"Origin", own, "Sec-Fetch-Site", "same-site"}, 401},
		{"the address for clients", "/mcp", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 401},
		{"modes", "/mode", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 401},
	} {
		if res := st.try("POST", x.path, append(slices.Clone(cookie), x.headers...)...); res.StatusCode != x.status {
			t.Errorf("%s: %s, want %d", x.say, res.Status, x.status)
		}
	}
}

func TestCookieEndsWithItsToken(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	one := cookiesOf(st.form("/login", url.Values{"token": {token}}))
	st.clock.pass(loginLifetime + time.Second)
	if res := st.try("GET", "/runs", one...); res.StatusCode != 401 {
		t.Errorf("after %s: %s", loginLifetime, res.Status)
	}
	two := cookiesOf(st.form("/login", url.Values{"token": {token}}))
	if err := st.tokens.Remove("laptop"); err != nil {
		t.Fatal(err)
	}
	if res := st.try("GET", "/runs", two...); res.StatusCode != 401 {
		t.Errorf("without its token: %s", res.Status)
	}
}

func TestLoginsAreBounded(t *testing.T) {
	var l logins
	now := time.Now()
	for i := range maxLogins + 10 {
		l.add(Grant{Name: "x"}, now.Add(time.Duration(i)*time.Millisecond))
	}
	if len(l.sessions) > maxLogins {
		t.Errorf("%d logins are kept", len(l.sessions))
	}
}

// TestStreamEndsWithItsToken changes the credential of an open stream.
func TestStreamEndsWithItsToken(t *testing.T) {
	for say, c := range map[string]struct {
		login  bool
		change func(st *stage, headers []string) error
	}{
		"the token is revoked": {false, func(st *stage, _ []string) error { return st.tokens.Remove("laptop") }},
		"it allows less": {false, func(st *stage, _ []string) error {
			list, err := st.tokens.List()
			list[0].Mode = Ask
			return errors.Join(err, st.tokens.write(list))
		}},
		"the token of a login is revoked": {true, func(st *stage, _ []string) error { return st.tokens.Remove("laptop") }},
		"the login ends": {true, func(st *stage, _ []string) error {
			st.clock.pass(loginLifetime + time.Second)
			return nil
		}},
		"the person logs out": {true, func(st *stage, headers []string) error {
			st.try("POST", "/logout", headers...)
			return nil
		}},
	} {
		t.Run(say, func(t *testing.T) {
			t.Parallel()
			st := newStage(t)
			token := st.add(laptop)
			headers := []string{"Authorization", "Bearer " + token}
			if c.login {
				headers = cookiesOf(st.form("/login", url.Values{"token": {token}}))
			}
			began, ended := make(chan bool), make(chan error, 1)
			h := st.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(began)
				<-r.Context().Done()
				ended <- r.Context().Err()
			}))
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/events", nil)
			r.Header.Set(headers[0], headers[1])
			go h.ServeHTTP(httptest.NewRecorder(), r)
			<-began
			if err := c.change(st, headers); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			case <-time.After(time.Until(scratch.Deadline(t))):
				t.Error("the stream goes on")
			}
		})
	}
}
