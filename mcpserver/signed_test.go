package mcpserver

import (
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/attack"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
)

// authority is a local issuer of signed tokens with its own clock.
type authority struct {
	*attack.Authority
	attack.Signer
	late atomic.Int64 // by how much its clock is ahead
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	s := attack.Ed25519("k")
	return &authority{Authority: attack.NewAuthority(t, s), Signer: s}
}

func (a *authority) now() time.Time { return time.Now().Add(time.Duration(a.late.Load())) }

// token makes a token that is valid for an hour.
func (a *authority) token(scope string) http.Header {
	return http.Header{"Authorization": {"Bearer " + a.Sign(a.Claims(a.now(), map[string]any{"scope": scope}))}}
}

// TestSignedTokenEndsUnderWay has a token expire during a run and a stream of its client:
// the run continues to its end, the stream is closed, and the next request needs another
// token.
func TestSignedTokenEndsUnderWay(t *testing.T) {
	t.Parallel() // it waits
	for _, version := range byhand.HTTPVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			a := newAuthority(t)
			issuer, err := auth.NewIssuer(a.URL, "desk")
			if err != nil {
				t.Fatal(err)
			}
			s := newSecured(t, func(o *Options) { o.Gate = auth.New(auth.Options{Issuer: issuer, Log: o.Log, Now: a.now}) })
			p := s.greet(version, a.token("understudy:act"))
			p.Call(t, "execute_sequence", waitsThenClicks())
			run := s.hanging()
			cut := s.stream(p.Header)

			a.late.Store(int64(2 * time.Hour))
			if status, _ := p.Ask(t, "tools/list", byhand.Object{}); status != http.StatusUnauthorized {
				t.Errorf("its next request: %d", status)
			}
			select {
			case <-cut:
			case <-time.After(time.Until(scratch.Deadline(t))):
				t.Error("its stream goes on")
			}
			close(s.goOn)
			if h := s.rest(run); h.Status != engine.Succeeded || len(s.desk.Journal()) == 0 {
				t.Errorf("the run is %s, %+v; it did %v", h.Status, h.Error, s.desk.Journal())
			}
			p.Header = a.token("understudy:act")
			if status, res := p.Call(t, "get_run", byhand.Object{"run_id": run}); status != http.StatusOK || byhand.IsError(res) {
				t.Errorf("with another token: %d %v", status, res)
			}
		})
	}
}

// stream reads events into a channel, which it closes at the end.
func (s *secured) stream(h http.Header) (over chan bool) {
	s.t.Helper()
	res := visit(s.t.Context(), s.t, s.url+"/events", h)
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("events: %v", res)
	}
	over = make(chan bool)
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}()
	return over
}
