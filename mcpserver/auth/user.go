package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"

	"understudy/steps"
)

// SameUser guards a server without credentials: it accepts requests from programs of
// the user who runs the server, and of root, who can impersonate everyone. Without it,
// every user of the machine could reach a loopback address. Make one with NewSameUser.
type SameUser struct {
	uid   int
	of    func(client, server netip.AddrPort) (uid int, err error)
	lives func(net.Conn) error // returns nil while our side is connected
	log   *slog.Logger
}

// errUntold is the error when the system does not report the owner of a connection.
var errUntold = errors.New("the system does not say whose program it is")

// NewSameUser accepts the user of this process. It fails where the system does not
// report the owner of a connection.
func NewSameUser(log *slog.Logger) (*SameUser, error) {
	if !TellsUsers() {
		return nil, &steps.Error{
			Code: steps.Unavailable, Err: errUntold,
			Next: "use --auth token; or --auth none, when nobody else uses this machine",
		}
	}
	return &SameUser{uid: os.Getuid(), of: userOf, lives: lives, log: log}, nil
}

type userKey struct{}

// noted holds the checks of the connection that a request came in.
type noted struct {
	user  func() error // returns nil if the user may call; evaluated once
	lives func() error // returns nil while our side is connected
}

// Note prepares the check of a new connection, which is done once, when its first
// request arrives. It is a ConnContext of an http.Server.
func (u *SameUser) Note(ctx context.Context, c net.Conn) context.Context {
	n := noted{lives: func() error { return u.lives(c) }}
	n.user = sync.OnceValue(func() error { return u.check(c.RemoteAddr(), c.LocalAddr()) })
	return context.WithValue(ctx, userKey{}, n)
}

// check returns nil if the program at the other side may call. The order matters: a
// client can send its request and reset the connection, which frees its port for
// others, so that the owner found may be a bystander. As long as our side is connected,
// nobody else can have the port, so the owner found before was the right one.
func (n noted) check() error {
	if n.user == nil {
		return errUntold
	}
	if err := n.user(); err != nil {
		return err
	}
	return n.lives()
}

// livingBody is a body that reports its end only while its sender is connected, so that
// nothing is done for a client that has left.
type livingBody struct {
	io.ReadCloser
	lives func() error
}

func (b livingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if gone := b.lives(); gone != nil {
			return 0, gone
		}
	}
	return n, err
}

// check returns nil if the other side of a connection may call.
func (u *SameUser) check(client, server net.Addr) error {
	from, errFrom := netip.ParseAddrPort(client.String())
	to, errTo := netip.ParseAddrPort(server.String())
	if err := errors.Join(errFrom, errTo); err != nil {
		return fmt.Errorf("%w: %w", errUntold, err)
	}
	uid, err := u.of(from, to)
	switch {
	case err != nil:
		u.log.Warn("a connection is refused: it cannot be told whose it is", "from", from.String(), "error", err)
		return fmt.Errorf("it cannot be told whose program calls from %s", from)
	case uid != u.uid && uid != 0:
		u.log.Warn("a program of another user is refused", "from", from.String(), "uid", uid)
		return errors.New("this server answers only programs of the user who started it")
	}
	return nil
}

// Wrap puts the guard in front of a handler.
func (u *SameUser) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := r.Context().Value(userKey{}).(noted)
		err := n.check()
		switch {
		case err == nil:
			r.Body = livingBody{r.Body, n.lives}
			next.ServeHTTP(w, r)
		case slices.Contains(open, r.URL.Path):
			next.ServeHTTP(w, r.WithContext(asStranger(r.Context())))
		default:
			writeDenied(w, http.StatusForbidden, err.Error(), "its user can make a token with: understudy token add NAME, and start the server again, which then asks everyone for one")
		}
	})
}

type strangerKey struct{}

// asStranger marks a request that is answered although its sender is unknown.
func asStranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, true)
}

// Stranger reports whether a request to a public address came from a sender who would
// be refused elsewhere.
func Stranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }
