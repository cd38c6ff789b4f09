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
