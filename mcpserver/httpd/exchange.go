package httpd

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/auth"
)

// Headers that the server writes itself, over whatever a client sent.
const (
	exchangeHeader = "X-Understudy-Exchange" // the id of the HTTP request that a call came in
	ModeHeader     = "X-Understudy-Mode"     // the mode of the path
)

// Exchanges maps a call to the HTTP request that it came in. In versions with sessions
// the SDK separates the two, because a client may drop a request and fetch the reply
// later. This server treats a dropped request as a client that went away, which is the
// usual case.
type Exchanges struct {
	mu   sync.Mutex
	open map[string]*exchange
}

// exchange is an HTTP request that is being answered.
type exchange struct {
	ctx     context.Context
	release func() // releases the slot of the request; nil: it has none
}

// begin registers a request under a new id, which it puts into a header.
func (x *Exchanges) begin(r *http.Request, release func()) (end func()) {
	id := rand.Text()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open = map[string]*exchange{}
	}
	x.open[id] = &exchange{r.Context(), release}
	r.Header.Set(exchangeHeader, id)
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if e := x.open[id]; e.release != nil {
			e.release()
		}
		delete(x.open, id)
	}
}

// Connection returns the context of the request that a call came in, by the headers of
// the call; nil for other transports.
func (x *Exchanges) Connection(h http.Header) context.Context {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.open[h.Get(exchangeHeader)]; e != nil {
		return e.ctx
	}
	return nil
}

// ClaimSlot takes over the slot of a request for a run that outlasts the request.
func (x *Exchanges) ClaimSlot(h http.Header) (release func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := x.open[h.Get(exchangeHeader)]
	if e == nil || e.release == nil {
		return func() {}
	}
	release, e.release = e.release, nil
	return release
}

// grantKey is the key of the grant in the SDK's TokenInfo.
const grantKey = "understudy/grant"

// withTokenInfo passes the grant of a request to the SDK, so that a session works only for
// the client that began it, and handlers learn the rights of their caller.
func withTokenInfo(next http.Handler) http.Handler {
	tell := sdkauth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		g, ok := auth.From(ctx)
		if !ok {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: g.Name, Expiration: g.Expires, Extra: map[string]any{grantKey: g}}, nil
	}, &sdkauth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	return tell(next)
}

// GrantOf returns the grant of a request, if the server asks for credentials.
func GrantOf(x *mcp.RequestExtra) (auth.Grant, bool) {
	if x == nil || x.TokenInfo == nil {
		return auth.Grant{}, false
	}
	g, ok := x.TokenInfo.Extra[grantKey].(auth.Grant)
	return g, ok
}
