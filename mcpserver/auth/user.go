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

// SameUser stands in front of a server that asks nobody for a credential: it
// lets programs of the user through whose server it is, and of root, who can be
// everyone. An address of this machine is open to all of its users otherwise.
// Make one with NewSameUser.
type SameUser struct {
	uid   int
	of    func(client, server netip.AddrPort) (uid int, err error)
	lives func(net.Conn) error // our side is still connected
	log   *slog.Logger
}

// errUntold is the error when the system does not say whose a connection is.
var errUntold = errors.New("the system does not say whose program it is")

// NewSameUser lets the user of this process through. It fails where the system
// does not tell whose a connection is.
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

// noted is what is known of the connection of a request.
type noted struct {
	user  func() error // nil when it is one that may call; asked once
	lives func() error // nil while it is
}

// Note finds out whose a new connection is, once and when the first request has
// come; it is a ConnContext of an http.Server.
func (u *SameUser) Note(ctx context.Context, c net.Conn) context.Context {
	n := noted{lives: func() error { return u.lives(c) }}
	n.user = sync.OnceValue(func() error { return u.check(c.RemoteAddr(), c.LocalAddr()) })
	return context.WithValue(ctx, userKey{}, n)
}

// check says that the program of the request may call. The order counts: a
// client that sends its request and resets the connection leaves its port to
// others, and who is found at it may be a bystander. While our side lives, the
// port cannot be anybody else's, so the answer to the question before was true.
func (n noted) check() error {
	if n.user == nil {
		return errUntold
	}
	if err := n.user(); err != nil {
		return err
	}
	return n.lives()
}

// livingBody is a body that ends well only while its sender is there: nothing is
// done for a client that has left, whoever it was.
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

// check is nil when the other side of a connection may call.
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

// asStranger marks a request that is answered though nobody knows who sent it.
func asStranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, true)
}

// Stranger says whether a request came to an address for everyone from somebody
// who would not be let in elsewhere.
func Stranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }
