package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"understudy/mcpserver/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Allow says whether a run may still use a kind; an engine asks it before each
// step, so that a right that was lost counts at once. The rights are those of
// the client that began the run or continued it last, and never more than those of
// this server.
func (s *Server) Allow(run, client string, k steps.Kind) error {
	for _, c := range s.inflight.callersOf(run, client) {
		p, err := s.policyNow(c)
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
func (s *Server) policyNow(c caller) (access.Policy, error) {
	p := c.policy.Narrowed(s.modes.Of(c.self))
	if c.grant == nil {
		return p, nil
	}
	g, err := c.grant.Current()
	if err != nil {
		return p, errors.New("the token of " + c.grant.Name + " was taken back")
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

func (s *Server) rights() access.Rights {
	return access.Rights{Policy: s.o.Policy, Modes: s.modes.All()}
}

// Rights are what the clients of this server may do, in words that access.Allows
// reads.
func (s *Server) Rights() string {
	raw, err := json.Marshal(s.rights())
	if err != nil { // they are plain words
		panic(err)
	}
	return string(raw)
}

// setMode sets the mode of a client by name. It tells the owner of the data
// folder, if that is another process.
func (s *Server) setMode(ctx context.Context, client string, mode access.Mode) error {
	s.modes.Set(client, mode)
	if m, ok := s.isOpen().(interface {
		SetPolicy(ctx context.Context, policy string) error
	}); ok {
		return m.SetPolicy(ctx, s.Rights())
	}
	return nil
}
