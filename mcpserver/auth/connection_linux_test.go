package auth

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
)

// dialFrom connects to a listener, from a given address unless that is nil.
func dialFrom(t *testing.T, l net.Listener, from net.Addr) (client *net.TCPConn, server net.Conn) {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: from}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return c.(*net.TCPConn), s
}

func listener(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine has no %s: %v", address, err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestPortOfAResetConnectionIsNotItsClient sends a whole request and resets the
// connection: the request can still be read, and the port is free for a connection of a
// program of the server's user, which would be mistaken for the sender.
func TestPortOfAResetConnectionIsNotItsClient(t *testing.T) {
	u, err := NewSameUser(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := listener(t, "127.0.0.1:0")
	attacker, server := dialFrom(t, l, nil)
	if _, err := attacker.Write([]byte("POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := attacker.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	from := attacker.LocalAddr()
	if err := attacker.Close(); err != nil {
		t.Fatal(err)
	}
	bystander, other := dialFrom(t, l, from)
	if bystander.LocalAddr().String() != from.String() || other.RemoteAddr().String() != server.RemoteAddr().String() {
		t.Fatalf("the bystander is at %s, the attacker was at %s", bystander.LocalAddr(), from)
	}
	if err := u.check(server.RemoteAddr(), server.LocalAddr()); err != nil {
		t.Fatalf("the bystander is not found in the place of the attacker: %v", err)
	}
	for say, c := range map[string]struct {
		conn net.Conn
		want int
	}{"the one that was reset": {server, http.StatusForbidden}, "the bystander": {other, http.StatusOK}} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/mcp", nil)
		acted := false
		handler := u.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { acted = true }))
		handler.ServeHTTP(w, r.WithContext(u.Note(t.Context(), c.conn)))
		if w.Code != c.want || acted != (c.want == http.StatusOK) {
			t.Errorf("%s: status %d, want %d; acted: %t", say, w.Code, c.want, acted)
		}
	}
}

func TestConnectionLives(t *testing.T) {
	l := listener(t, "127.0.0.1:0")
	for _, c := range []struct {
		say    string
		change func(client *net.TCPConn, server net.Conn) error
		lives  bool
	}{
		{"a connection", func(*net.TCPConn, net.Conn) error { return nil }, true},
		{"one whose client has said all", func(c *net.TCPConn, _ net.Conn) error { return c.CloseWrite() }, true},
		{"one that its client reset", func(c *net.TCPConn, _ net.Conn) error {
			if err := c.SetLinger(0); err != nil {
				return err
			}
			return c.Close()
		}, false},
		{"one that we closed", func(_ *net.TCPConn, s net.Conn) error { return s.Close() }, false},
	} {
		client, server := dialFrom(t, l, nil)
		if err := c.change(client, server); err != nil {
			t.Fatal(err)
		}
		if err := checkConnected(server); (err == nil) != c.lives {
			t.Errorf("%s: %v", c.say, err)
		}
	}
	if one, _ := net.Pipe(); checkConnected(one) == nil {
		t.Error("what is no connection of the system lives")
	}
}

// dialMapped connects to a listener by a socket for IPv6, as programs for both families do.
func dialMapped(t *testing.T, l net.Listener) (from, to netip.AddrPort) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skipf("this machine has no IPv6: %v", err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	to = netip.MustParseAddrPort(l.Addr().String())
	if err := syscall.Connect(fd, &syscall.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}); err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return netip.MustParseAddrPort(s.RemoteAddr().String()), to
}

func TestSocketOf(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "127.0.0.5:0", "[::1]:0", "[::ffff:127.0.0.1]:0"} {
		l := listener(t, address)
		client, server := dialFrom(t, l, nil)
		from, to := netip.MustParseAddrPort(server.RemoteAddr().String()), netip.MustParseAddrPort(server.LocalAddr().String())
		if s, err := socketOf(from, to); s.uid != os.Getuid() || s.inode == 0 || err != nil {
			t.Errorf("%s: %v, %v", address, s, err)
		}
		// Without such a connection, the kernel returns a socket that listens at the
		// address.
		if s, err := socketOf(to, netip.AddrPortFrom(from.Addr(), 1)); !errors.Is(err, errUnlisted) {
			t.Errorf("%s: a listener counts as a client: %v, %v", address, s, err)
		}
		if err := client.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if s, err := socketOf(from, to); s.uid != os.Getuid() || err != nil {
			t.Errorf("%s: one that is closed for sending: %v, %v", address, s, err)
		}
		client.Close()
		if s, err := socketOf(from, to); !errors.Is(err, errUnlisted) {
			t.Errorf("%s: a client that is gone is known: %v, %v", address, s, err)
		}
	}
	from, to := dialMapped(t, listener(t, "127.0.0.1:0"))
	if s, err := socketOf(from, to); s.uid != os.Getuid() || err != nil {
		t.Errorf("IPv4 by a socket for IPv6: %v, %v", s, err)
	}
	if _, err := readReply([]byte(strings.Repeat("\x00", 64)), netip.AddrPort{}, netip.AddrPort{}); err == nil {
		t.Error("nonsense is an answer")
	}
}

// BenchmarkSocketOf looks up one connection of 300.
func BenchmarkSocketOf(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	var server net.Conn
	for range 300 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		if server, err = l.Accept(); err != nil {
			b.Fatal(err)
		}
		defer server.Close()
	}
	from, to := netip.MustParseAddrPort(server.RemoteAddr().String()), netip.MustParseAddrPort(server.LocalAddr().String())
	for b.Loop() {
		if _, err := socketOf(from, to); err != nil {
			b.Fatal(err)
		}
	}
}
