package mcpserver

import (
	"context"
	"errors"
	"slices"

	"understudy/mcpserver/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// allow says whether a run may still use a kind. An engine calls it before each
// step, so that a right that was revoked is lost at once. The rights are those of
// the client that began the run or continued it last, within those of this server.
func (s *clients) allow(run, client string, k steps.Kind) error {
	for _, caller := range s.inflight.callersOf(run, client) {
		p, err := s.policyNow(caller)
		if err != nil {
			return &steps.Error{Code: steps.Denied, Err: err, Next: "the operator can make a new token: understudy token add NAME"}
		}
		if why := p.Refuses(access.Of(k)); why != nil {
			return why.Denied()
		}
	}
	return s.rights().Allow(client, k)
}

// policyNow is what a caller may do by now: never more than when it called.
func (s *clients) policyNow(by caller) (access.Policy, error) {
	p := by.policy.Narrowed(s.modes.Of(by.self))
	if by.grant == nil {
		return p, nil
	}
	g, err := by.grant.Current()
	if err != nil {
		return p, errors.New("the token of " + by.grant.Name + " was taken back")
	}
	return p.Narrowed(limitsOf(g)).Narrowed(s.modes.Of(g.Name)), nil
}

// limitsOf are the limits of a credential.
func limitsOf(g auth.Grant) access.Limits {
	l := access.Limits{Mode: access.Mode(g.Mode), Toolsets: g.Toolsets}
	if slices.Contains(l.Toolsets, access.All) {
		l.Toolsets = nil
	}
	return l
}

func (s *clients) rights() access.Rights {
	return access.Rights{Policy: s.policy, Modes: s.modes.All()}
}

// setMode sets the mode of a client by name. It tells the owner of the data
// folder, if that is another process.
func (s *clients) setMode(ctx context.Context, client string, mode access.Mode) error {
	s.modes.Set(client, mode)
	if m, ok := s.runs.opened().(interface {
		SetRights(ctx context.Context, rights access.Rights) error
	}); ok {
		return m.SetRights(ctx, s.rights())
	}
	return nil
}
