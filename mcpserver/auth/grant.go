package auth

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"understudy/steps"
)

// Modes of a grant.
const (
	Ask = "ask"
	Act = "act"
)

// Grant is what a credential allows at most. The flags of the server may allow
// less.
type Grant struct {
	Name     string
	Mode     string
	Toolsets []steps.Toolset       // nil: all that the server offers
	Operator bool                  // may change the modes of others
	AllRuns  bool                  // may see and change what others made
	Expires  time.Time             // zero: never
	Signed   bool                  // by an issuer; the server stores nothing about such a credential
	now      func() (Grant, error) // returns the grant as it is now; nil: it does not change
}

// ErrRefused is the error of an invalid credential. It tells its sender nothing more.
var ErrRefused = errors.New("the credential is not accepted")

// verifier identifies the holder of a credential.
type verifier interface {
	// takes reports whether a text has the form of its credentials.
	recognizes(credential string) bool
	verify(ctx context.Context, credential string) (Grant, error)
}

// Current returns the grant as it is now, or ErrRefused if it was revoked. The grant of
// a signed token does not change: such a token lives for minutes, and its expiry does
// not end the run that it began.
func (g Grant) Current() (Grant, error) {
	if g.now == nil {
		return g, nil
	}
	return g.now()
}

// Of returns the current grant of a credential with which something was begun that now
// continues without a request. It returns ErrRefused if the token was revoked, or if its
// name was given to another token since. What was begun with a signed token may continue
// as long as signed tokens are accepted here.
func (g *Authenticator) Of(name string, signed bool, began time.Time) (Grant, error) {
	switch {
	case signed && g.o.Issuer != nil:
		return Grant{Name: name, Signed: true}, nil
	case signed || g.o.Tokens == nil:
		return Grant{}, ErrRefused
	}
	list, err := g.o.Tokens.List()
	if err != nil {
		return Grant{}, err
	}
	for _, x := range list {
		if x.Name == name && !x.Created.After(began) {
			return g.o.Tokens.grant(x), nil
		}
	}
	return Grant{}, ErrRefused
}

type grantKey struct{}

// From returns the grant of a request that came through an Authenticator.
func From(ctx context.Context) (Grant, bool) {
	g, ok := ctx.Value(grantKey{}).(Grant)
	return g, ok
}

func withGrant(ctx context.Context, g Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

const longestName = 64

// checkName refuses names that could not be written unescaped into a log, a page or the
// id of a run.
func checkName(name string) error {
	if name == "" || len(name) > longestName || strings.ContainsFunc(name, notAllowedInName) {
		return steps.Errorf(steps.Invalid, "%q is no name for a client: wanted up to %d letters, digits and any of . _ - @ : |", name, longestName)
	}
	return nil
}

func notAllowedInName(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@:|", r)
}
