package mcpserver

import (
	"context"
	"errors"
	"net/http"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Allow says whether a run may still use a kind; an engine asks it before each
// step, so that a right that was lost counts at once. The rights are those of
// the client that began the run or continued it last, and never more than those of
// this server.
func (s *Server) Allow(run, client string, k steps.Kind) error {
	for _, c := range s.work.behind(run, client) {
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

// grantKey is where the grant stands in what the SDK keeps of a token.
const grantKey = "understudy/grant"

// identified tells the SDK whose request it is, so that a session counts only
// for who began it, and a handler learns what its caller was granted.
func identified(next http.Handler) http.Handler {
	tell := sdkauth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		g, ok := auth.From(ctx)
		if !ok {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: g.Name, Expiration: g.Expires, Extra: map[string]any{grantKey: g}}, nil
	}, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return tell(next)
}

// grantOf is the grant of a request over HTTP, if the server asks who calls.
func grantOf(req serverRequest) (auth.Grant, bool) {
	x := req.GetExtra()
	if x == nil || x.TokenInfo == nil {
		return auth.Grant{}, false
	}
	g, ok := x.TokenInfo.Extra[grantKey].(auth.Grant)
	return g, ok
}

// operates refuses who may not change what others may do.
func operates(r *http.Request) error {
	if g, ok := auth.From(r.Context()); !ok || !g.Operator {
		e := steps.Errorf(steps.Denied, "only an operator changes modes")
		e.Next = "use a token of understudy token add NAME --operator"
		return e
	}
	return nil
}
