package auth

import (
	"cmp"
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

	"understudy/internal/sandbox"
	"understudy/steps"
)

// SameUser guards a server without credentials: it accepts requests from programs of
// the user who runs the server, and of root, who can impersonate everyone. Without it,
// every user of the machine could reach a loopback address. Make one with NewSameUser.
type SameUser struct {
	uid            int
	socketOf       func(client, server netip.AddrPort) (socket, error)
	checkHolder    func(inode uint32) error // of a socket of this user
	checkConnected func(net.Conn) error     // returns nil while our side is connected
	log            *slog.Logger
}

// A socket is the client's side of a connection: its user, and its number in the kernel.
type socket struct {
	uid   int
	inode uint32
}

// errUnknownUser is the error when the system does not report the owner of a connection.
var errUnknownUser = errors.New("the system does not report the owner of a connection")

// errUnlisted is the error when the system knows no such connection.
var errUnlisted = errors.New("no program of this machine has that side of the connection")

// NewSameUser accepts the user of this process. It fails where the system does not
// report the owner of a connection.
func NewSameUser(log *slog.Logger) (*SameUser, error) {
	nowhere := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)
	if _, err := socketOf(nowhere, nowhere); !errors.Is(err, errUnlisted) {
		return nil, &steps.Error{
			Code: steps.Unavailable, Err: cmp.Or(err, errUnknownUser),
			Next: "use --auth token; or --auth none, when nobody else uses this machine",
		}
	}
	return &SameUser{uid: os.Getuid(), socketOf: socketOf, checkHolder: sandbox.CheckHolder, checkConnected: checkConnected, log: log}, nil
}

type userKey struct{}

// connectionChecks holds the checks of the connection that a request came in.
type connectionChecks struct {
	user      func() error // returns nil if the user may call; evaluated once
	connected func() error // returns nil while our side is connected
}

// Note prepares the check of a new connection, which is done once, when its first
// request arrives. It is a ConnContext of an http.Server.
func (u *SameUser) Note(ctx context.Context, c net.Conn) context.Context {
	n := connectionChecks{connected: func() error { return u.checkConnected(c) }}
	n.user = sync.OnceValue(func() error { return u.check(c.RemoteAddr(), c.LocalAddr()) })
	return context.WithValue(ctx, userKey{}, n)
}

// check returns nil if the program at the other side may call. The order matters: a
// client can send its request and reset the connection, which frees its port for
// others, so that the owner found may be a bystander. As long as our side is connected,
// nobody else can have the port, so the owner found before was the right one.
func (n connectionChecks) check() error {
	if n.user == nil {
		return errUnknownUser
	}
	if err := n.user(); err != nil {
		return err
	}
	return n.connected()
}

// connectedBody is a body that reports its end only while its sender is connected, so that
// nothing is done for a client that has left.
type connectedBody struct {
	io.ReadCloser
	connected func() error
}

func (b connectedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if gone := b.connected(); gone != nil {
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
		return fmt.Errorf("%w: %w", errUnknownUser, err)
	}
	s, err := u.socketOf(from, to)
	switch {
	case err != nil:
		u.log.Warn("connection refused: its owner could not be determined", "from", from.String(), "error", err)
		return fmt.Errorf("the owner of the connection from %s could not be determined", from)
	case s.uid != u.uid && s.uid != 0:
		u.log.Warn("a program of another user is refused", "from", from.String(), "uid", s.uid)
		return errors.New("this server answers only programs of the user who started it")
	case s.uid != u.uid:
		return nil
	}
	if err = u.checkHolder(s.inode); err != nil {
		u.log.Warn("a program in a sandbox is refused", "from", from.String(), "error", err)
	}
	return err
}

// Wrap puts the guard in front of a handler.
func (u *SameUser) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := r.Context().Value(userKey{}).(connectionChecks)
		err := n.check()
		switch {
		case err == nil:
			r.Body = connectedBody{r.Body, n.connected}
			next.ServeHTTP(w, r)
		case slices.Contains(publicPaths, r.URL.Path):
			next.ServeHTTP(w, r.WithContext(asUnauthenticated(r.Context())))
		default:
			writeDenied(w, http.StatusForbidden, err.Error(), "its user can make a token with: understudy token add NAME, and start the server again, which then asks everyone for one")
		}
	})
}

type unauthenticatedKey struct{}

// asUnauthenticated marks a request that is answered although its sender is unknown.
func asUnauthenticated(ctx context.Context) context.Context {
	return context.WithValue(ctx, unauthenticatedKey{}, true)
}

// Unauthenticated reports whether a request to a public address came from a sender that
// would be refused at other addresses.
func Unauthenticated(ctx context.Context) bool { return ctx.Value(unauthenticatedKey{}) != nil }
