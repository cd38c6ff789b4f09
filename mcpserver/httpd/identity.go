package httpd

import (
	"context"
	"net/http"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/auth"
)

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
