package auth

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"understudy/steps"
)

// calledBy returns the status of a reply when the system reports that the caller is of a
// user.
func calledBy(t *testing.T, path string, uid int, err error) *http.Response {
	t.Helper()
	u := &SameUser{uid: 1000, log: slog.New(slog.DiscardHandler), socketOf: func(client, server netip.AddrPort) (socket, error) {
		if client.Port() == server.Port() || !client.Addr().IsLoopback() {
			t.Errorf("asked for %s and %s", client, server)
		}
		return socket{uid: uid}, err
	}, checkHolder: func(uint32) error { return nil }, checkConnected: func(net.Conn) error { return nil }}
	site := httptest.NewUnstartedServer(u.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if Unauthenticated(r.Context()) {
			w.Header().Set("X-Unauthenticated", "yes")
		}
	})))
	site.Config.ConnContext = u.Note
	site.Start()
	defer site.Close()
	res, err := http.Get(site.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

func TestOnlyTheSameUserIsLetIn(t *testing.T) {
	for _, c := range []struct {
		say    string
		uid    int
		err    error
		status int
	}{
		{"a program of the same user", 1000, nil, http.StatusOK},
		{"root, who can be everyone", 0, nil, http.StatusOK},
		{"a program of another user", 1001, nil, http.StatusForbidden},
		{"nobody knows whose", 0, errUnknownUser, http.StatusForbidden},
		{"nobody knows whose, and it seems the same", 1000, errUnknownUser, http.StatusForbidden},
	} {
		for _, path := range []string{"/mcp", "/mcp/ask", "/runs", "/events", "/metrics", "/mode", "/"} {
			res := calledBy(t, path, c.uid, c.err)
			if res.StatusCode != c.status {
				t.Errorf("%s, %s: %s", c.say, path, res.Status)
			}
			var said struct {
				Error struct{ Code, Message, Next string }
			}
			if err := json.NewDecoder(res.Body).Decode(&said); c.status == http.StatusForbidden && (err != nil || said.Error.Code != "denied" || !strings.Contains(said.Error.Next, "token add")) {
				t.Errorf("%s, %s: %+v, %v", c.say, path, said, err)
			}
		}
	}
}

// TestEveryoneMayAskIfItLives is about load balancers, which run as another user.
func TestEveryoneMayAskIfItLives(t *testing.T) {
	for _, path := range publicPaths {
		if res := calledBy(t, path, 1001, nil); res.StatusCode != http.StatusOK || res.Header.Get("X-Unauthenticated") != "yes" {
			t.Errorf("%s of another user: %s %v", path, res.Status, res.Header)
		}
		if res := calledBy(t, path, 1000, nil); res.StatusCode != http.StatusOK || res.Header.Get("X-Unauthenticated") != "" {
			t.Errorf("%s of the same user: %s %v", path, res.Status, res.Header)
		}
	}
}

// TestUnnotedConnectionIsRefused is about a server without the ConnContext.
func TestUnnotedConnectionIsRefused(t *testing.T) {
	u := &SameUser{socketOf: func(netip.AddrPort, netip.AddrPort) (socket, error) { return socket{}, nil }}
	w := httptest.NewRecorder()
	u.Wrap(http.HandlerFunc(whoami)).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("status %d", w.Code)
	}
}

// TestOwnConnectionIsKnown looks up the users of real connections.
func TestOwnConnectionIsKnown(t *testing.T) {
	u, err := NewSameUser(slog.New(slog.DiscardHandler))
	if !TellsUsers() {
		if steps.CodeOf(err) != steps.Unavailable {
			t.Errorf("a system that does not tell: %v", err)
		}
		t.Skip("this system does not say whose a connection is")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"127.0.0.1:0", "127.0.0.5:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("this machine has no %s: %v", address, err)
			continue
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := u.check(s.RemoteAddr(), s.LocalAddr()); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		// The table lists a connection that belongs to no program any more as root's.
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := u.check(s.RemoteAddr(), s.LocalAddr()); err == nil {
			t.Errorf("%s: a connection whose program is gone counts", address)
		}
	}
}

func TestSidesThatAreNoAddresses(t *testing.T) {
	u := &SameUser{}
	if err := u.check(&net.UnixAddr{Name: "@", Net: "unix"}, &net.UnixAddr{Name: "@", Net: "unix"}); !errors.Is(err, errUnknownUser) {
		t.Errorf("%v", err)
	}
}

// TestBodyOfAClientThatLeftIsNotTaken closes the connection between the head of a request
// and the end of its body.
func TestBodyOfAClientThatLeftIsNotTaken(t *testing.T) {
	for _, left := range []bool{false, true} {
		asked := 0
		u := &SameUser{uid: 1000, log: slog.New(slog.DiscardHandler)}
		u.socketOf = func(netip.AddrPort, netip.AddrPort) (socket, error) { return socket{uid: 1000}, nil }
		u.checkHolder = func(uint32) error { return nil }
		u.checkConnected = func(net.Conn) error {
			if asked++; left && asked > 1 {
				return errUnknownUser
			}
			return nil
		}
		var read error
		site := httptest.NewUnstartedServer(u.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, read = io.ReadAll(r.Body)
		})))
		site.Config.ConnContext = u.Note
		site.Start()
		res, err := http.Post(site.URL+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0"}`))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		site.Close()
		if (read != nil) != left {
			t.Errorf("left: %t; reading the body: %v", left, read)
		}
	}
}
