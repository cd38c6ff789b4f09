package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	uid int
	of  func(client, server netip.AddrPort) (uid int, err error)
	log *slog.Logger
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
	return &SameUser{uid: os.Getuid(), of: userOf, log: log}, nil
}

type userKey struct{}

// Note finds out whose a new connection is, once and when the first request has
// come; it is a ConnContext of an http.Server.
func (u *SameUser) Note(ctx context.Context, c net.Conn) context.Context {
	client, server := c.RemoteAddr(), c.LocalAddr()
	return context.WithValue(ctx, userKey{}, sync.OnceValue(func() error { return u.check(client, server) }))
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
		check, noted := r.Context().Value(userKey{}).(func() error)
		err := errUntold
		if noted {
			err = check()
		}
		switch {
		case err == nil:
			next.ServeHTTP(w, r)
		case slices.Contains(open, r.URL.Path):
			next.ServeHTTP(w, r.WithContext(asStranger(r.Context())))
		default:
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{
				"code": "denied", "message": err.Error(),
				"next": "its user can make a token with: understudy token add NAME, and start the server again, which then asks everyone for one",
			}})
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
