package mcpserver

import (
	"errors"

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
		if why := p.refuses(ruleOf(k)); why != nil {
			return why.denied(k.Name)
		}
	}
	return s.rights().allow(client, k)
}

// policyNow is what a caller may do by now: never more than when it called.
func (s *Server) policyNow(c caller) (Policy, error) {
	p := c.policy.narrowed(s.modes.of(c.self), false, nil)
	if c.grant == nil {
		return p, nil
	}
	g, err := c.grant.Current()
	if err != nil {
		return p, errors.New("the token of " + c.grant.Name + " was taken back")
	}
	return p.granted(g).narrowed(s.modes.of(g.Name), false, nil), nil
}
