package httpd

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/auth"
	"understudy/mcpserver/viewer"
)

// Headers that the server writes itself, over whatever a client sent.
const (
	exchangeHeader = "X-Understudy-Exchange" // names the HTTP request that a call came in
	ModeHeader     = "X-Understudy-Mode"     // the mode of the path
)

// Exchanges lead from a call to the HTTP request that it came in. For versions
// with sessions the SDK keeps the two apart, because a client may drop a request
// and fetch the reply later; this server takes a dropped request for a client
// that went away, as it mostly is.
type Exchanges struct {
	mu   sync.Mutex
	open map[string]*exchange
}

// exchange is an HTTP request that is being answered.
type exchange struct {
	ctx     context.Context
	release func() // of the slot that was taken for it; nil: none was
}

// begin notes a request and names it in a header.
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

// Connection is the context of the request that a call came in, by the headers of
// the call; nil over other transports.
func (x *Exchanges) Connection(h http.Header) context.Context {
	x.mu.Lock()
	defer x.mu.Unlock()
	if e := x.open[h.Get(exchangeHeader)]; e != nil {
		return e.ctx
	}
	return nil
}

// Typed is what a person typed into the form on a page that makes a call, by the
// headers of the call; false: no page makes it.
func (x *Exchanges) Typed(h http.Header) (viewer.Typed, bool) {
	ctx := x.Connection(h)
	if ctx == nil {
		return viewer.Typed{}, false
	}
	t, ok := ctx.Value(typedKey{}).(viewer.Typed)
	return t, ok
}

// typedKey is where the request of a page has what was typed there: it stands in no
// argument, which would be checked, logged and told.
type typedKey struct{}

// ClaimSlot takes over the slot of a request, for a run that outlasts it.
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

// grantKey is where the grant stands in what the SDK keeps of a token.
const grantKey = "understudy/grant"

// identified tells the SDK whose request it is, so that a session only works for
// who began it, and a handler learns what its caller was granted.
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

// GrantOf is the grant of a request, if the server asks who calls.
func GrantOf(x *mcp.RequestExtra) (auth.Grant, bool) {
	if x == nil || x.TokenInfo == nil {
		return auth.Grant{}, false
	}
	g, ok := x.TokenInfo.Extra[grantKey].(auth.Grant)
	return g, ok
}
