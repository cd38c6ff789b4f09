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
	AllRuns  bool                  // may see and touch what others made
	Expires  time.Time             // zero: never
	Signed   bool                  // by an issuer; nothing is kept of such a credential
	now      func() (Grant, error) // what it allows by now; nil: the same
}

// ErrRefused is the error of a credential that is not good here. It says nothing
// more to who brought it.
var ErrRefused = errors.New("the credential is not accepted")

// verifier finds out whose credential a text is.
type verifier interface {
	// takes says whether the text has the form of its credentials.
	takes(credential string) bool
	verify(ctx context.Context, credential string) (Grant, error)
}

// Current is the grant as it is now, or ErrRefused when it was taken back. That
// of a signed token stays what it was: a run is not ended because the token that
// began it, which lives for minutes, is over.
func (g Grant) Current() (Grant, error) {
	if g.now == nil {
		return g, nil
	}
	return g.now()
}

// Of is the grant of who began something with a credential, which is to go on
// without another request. It is ErrRefused when the token was taken back, or one
// of another has its name now. A signed token lets what it began go on for as long
// as such tokens count here.
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

// From gives the grant of a request that came through a Gate.
func From(ctx context.Context) (Grant, bool) {
	g, ok := ctx.Value(grantKey{}).(Grant)
	return g, ok
}

func with(ctx context.Context, g Grant) context.Context {
	return context.WithValue(ctx, grantKey{}, g)
}

const longestName = 64

// checkName refuses what could not stand in a log, a page or a run's id as it is.
func checkName(name string) error {
	if name == "" || len(name) > longestName || strings.ContainsFunc(name, unfit) {
		return steps.Errorf(steps.Invalid, "%q is no name for a client: wanted up to %d letters, digits and any of . _ - @ : |", name, longestName)
	}
	return nil
}

func unfit(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-@:|", r)
}
