package mcpserver

import (
	"errors"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Allow returns nil if a run may still use a kind. An engine calls it before each step, so
// that revoking a right takes effect at once. The rights are those of the client that
// began the run or continued it last, within those of this server.
func (s *Server) Allow(run, client string, k steps.Kind) error {
	return s.clients.allow(s.inflight.callersOf(run, client), client, k)
}

func (s *clients) allow(callers []caller, client string, k steps.Kind) error {
	for _, caller := range callers {
		if err := s.subjectNow(caller).May(access.Of(k)).Denied(); err != nil {
			return err
		}
	}
	return s.modes.Allow(s.policy, client, k)
}

// subjectNow returns the current rights of a caller, which never exceed those at the
// time of its call.
func (s *clients) subjectNow(by caller) access.Subject {
	now := by.Subject
	now.Policy = now.Narrowed(s.modes.Of(by.self))
	if by.grant == nil {
		return now
	}
	g, err := by.grant.Current()
	if err != nil {
		now.Gone = errors.New("the token of " + by.grant.Name + " was taken back")
		return now
	}
	now.Policy, now.All = now.Narrowed(grantLimits(g)).Narrowed(s.modes.Of(g.Name)), now.All && g.AllRuns
	return now
}

func grantLimits(g auth.Grant) access.Limits {
	return access.Limits{Mode: access.Mode(g.Mode), Toolsets: g.Toolsets}
}

// AllowFor is Allow for the worker of a fleet that executes a run. After a restart, the
// client is known from the run.
func (s *Server) AllowFor(run string, m engine.Mandate, k steps.Kind) error {
	callers := s.inflight.callersOf(run, m.Client)
	if len(callers) == 0 {
		who, err := s.clients.makerOf("run "+run, m.Client, m.Owner, m.Rights, m.At)
		if err != nil {
			return err
		}
		callers = []caller{who}
	}
	return s.clients.allow(callers, m.Client, k)
}

// mandate returns what the worker of a fleet must know about the client that continues
// a run.
func (r *runner) mandate(c *call) *engine.Mandate {
	if !r.o.Fleet {
		return nil
	}
	return &engine.Mandate{Client: c.id(), Owner: c.Owner, Rights: c.rightsToStore(), At: time.Now()}
}
