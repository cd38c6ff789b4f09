package auth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options select the credentials that are accepted.
type Options struct {
	Tokens *Tokens // nil: no token of a file is accepted
	Issuer *Issuer // nil: no signed token is accepted
	// Public is the address of the server as clients know it, such as
	// https://desk.example.com; empty: the host of each request.
	Public string
	Log    *slog.Logger
	Now    func() time.Time // nil: time.Now
}

// Authenticator is put in front of a server, and refuses requests without a valid
// credential. Make one with New.
type Authenticator struct {
	o         Options
	verifiers []verifier
	limit     Limiter
	logins    logins
}

// New makes an authenticator.
func New(o Options) *Authenticator {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	g := &Authenticator{o: o, limit: Limiter{now: o.Now}}
	if o.Tokens != nil {
		g.verifiers = append(g.verifiers, o.Tokens)
	}
	if o.Issuer != nil {
		o.Issuer.now = o.Now
		g.verifiers = append(g.verifiers, o.Issuer)
	}
	return g
}

// publicPaths lists the addresses that need no credential, for load balancers.
var publicPaths = []string{"/health", "/status"}

// ClientPath is the prefix of the addresses for MCP clients. The login of a browser
// is not accepted there, so that no page can call a tool.
const ClientPath = "/mcp"

// Wrap puts the authenticator in front of a handler.
func (g *Authenticator) Wrap(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(metadataPath, g.metadata)
	mux.HandleFunc(metadataPath+"/", g.metadata)
	mux.HandleFunc("GET "+loginPath, g.showLogin)
	mux.HandleFunc("POST "+loginPath, g.login)
	mux.HandleFunc("POST /logout", g.logout)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		grant, err := g.grant(r)
		switch {
		case err == nil:
			r, done := g.watchCredential(r, grant)
			defer done()
			next.ServeHTTP(w, r)
		case slices.Contains(publicPaths, r.URL.Path):
			next.ServeHTTP(w, r.WithContext(asUnauthenticated(r.Context())))
		default:
			g.refuse(w, r, err)
		}
	})
	return mux
}

// recheckInterval is the interval at which the credential of an open stream is checked.
const recheckInterval = 2 * time.Second

// watchCredential ends a stream when its credential does not allow any more what it did.
// Requests by POST are not cut: a run checks its rights at every step.
func (g *Authenticator) watchCredential(r *http.Request, grant Grant) (*http.Request, func()) {
	ctx, cancel := context.WithCancel(withGrant(r.Context(), grant))
	if r.Method == http.MethodGet {
		go func() {
			tick := time.NewTicker(recheckInterval)
			defer tick.Stop()
			for ctx.Err() == nil {
				select {
				case <-tick.C:
					if !g.holds(r, grant) {
						cancel()
					}
				case <-ctx.Done():
				}
			}
		}()
	}
	return r.WithContext(ctx), cancel
}

// holds reports whether the credential of a request is still valid, and allows what it did.
func (g *Authenticator) holds(r *http.Request, was Grant) bool {
	now, err := was.Current()
	valid := err == nil
	if bearer(r) == "" { // a login, which also ends by itself
		now, valid = g.logins.find(r, g.secure(r), g.o.Now())
	}
	expired := !was.Expires.IsZero() && g.o.Now().After(was.Expires)
	return valid && !expired && now.Mode == was.Mode && now.AllRuns == was.AllRuns && slices.Equal(now.Toolsets, was.Toolsets)
}

// errNoCredential is the error of a request without a credential.
var errNoCredential = errors.New("there is no credential")

func (g *Authenticator) grant(r *http.Request) (Grant, error) {
	if credential := bearer(r); credential != "" {
		return g.check(r, credential)
	}
	if acceptsLogin(r) {
		if grant, ok := g.logins.find(r, g.secure(r), g.o.Now()); ok {
			return grant, nil
		}
	}
	return Grant{}, errNoCredential
}

// bearer returns the token of a request. Tokens in the URL are not accepted, because
// URLs are logged.
func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// formPath matches the addresses of the forms on pages.
var formPath = regexp.MustCompile(`^/(runs|workflows|desktops|inbox|plans)/|^/(plans|recordings)$`)

// acceptsLogin reports whether a login in a browser counts for a request: requests that
// change nothing, and the forms of the pages. A form must come from a page of this
// server, which the browser states and no other site can forge, and hold a token that
// only the page knows.
func acceptsLogin(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return !isClientPath(r.URL.Path)
	case http.MethodPost:
		return formPath.MatchString(r.URL.Path) && FromOwnPage(r)
	}
	return false
}

// FromOwnPage reports whether a page of this server sent a request. Browsers state the
// origin of every form.
func FromOwnPage(r *http.Request) bool {
	origin, err := url.Parse(r.Header.Get("Origin"))
	site := r.Header.Get("Sec-Fetch-Site")
	return err == nil && origin.Host != "" && origin.Host == r.Host && (site == "" || site == "same-origin")
}

// FromElsewhere reports whether a page that is not of this server sent a request.
func FromElsewhere(r *http.Request) bool { return r.Header.Get("Origin") != "" && !FromOwnPage(r) }

func isClientPath(path string) bool {
	return path == ClientPath || strings.HasPrefix(path, ClientPath+"/")
}

// longestCredential is longer than any token that an issuer signs.
const longestCredential = 16 << 10

// backoffError is the error for a sender of too many wrong credentials: how long to wait.
type backoffError time.Duration

func (w backoffError) Error() string {
	return fmt.Sprintf("too many wrong credentials came from this address; wait %d s", w.seconds())
}

func (w backoffError) seconds() int { return 1 + int(time.Duration(w).Seconds()) }

// check verifies a credential. A sender of too many wrong ones is told to wait, and
// learns nothing more about them.
func (g *Authenticator) check(r *http.Request, credential string) (Grant, error) {
	grant, err := g.verify(r.Context(), credential)
	switch {
	case err == nil:
	case errors.Is(err, ErrRefused):
		from := senderOf(r)
		if wait := g.limit.recordFailure(from); wait > 0 {
			g.o.Log.Warn("too many wrong credentials from an address; its requests are delayed", "address", from.String())
			return Grant{}, backoffError(wait)
		}
		g.o.Log.Info("credential refused", "address", from.String(), "why", err)
	case !errors.Is(err, errScope):
		g.o.Log.Error("credentials cannot be checked", "error", err)
	}
	return grant, err
}

func (g *Authenticator) verify(ctx context.Context, credential string) (Grant, error) {
	for _, v := range g.verifiers {
		if len(credential) <= longestCredential && v.recognizes(credential) {
			return v.verify(ctx, credential)
		}
	}
	return Grant{}, ErrRefused
}

// refuse replies to a request without a valid credential; a browser is sent to the
// login page.
func (g *Authenticator) refuse(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Cache-Control", "no-store")
	if errors.Is(err, errNoCredential) && acceptsLogin(r) && strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Redirect(w, r, loginPath, http.StatusSeeOther)
		return
	}
	status, message, next := g.describeRefusal(w, r, err)
	writeDenied(w, status, message, next)
}

// writeDenied replies to a request that is refused.
func writeDenied(w http.ResponseWriter, status int, message, next string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": "denied", "message": message, "next": next}})
}

// describeRefusal returns the status and texts for a refused request. They disclose no
// more than the client needs.
func (g *Authenticator) describeRefusal(w http.ResponseWriter, r *http.Request, err error) (status int, message, next string) {
	wait, late := errors.AsType[backoffError](err)
	switch {
	case late:
		w.Header().Set("Retry-After", strconv.Itoa(wait.seconds()))
		return http.StatusTooManyRequests, wait.Error(), "wait, and use the right token"
	case errors.Is(err, errNoCredential):
		w.Header().Set("WWW-Authenticate", g.challenge(r, ""))
		return http.StatusUnauthorized, "this server requires credentials", `send "Authorization: Bearer TOKEN"; the operator makes one with: understudy token add NAME`
	case errors.Is(err, errScope):
		w.Header().Set("WWW-Authenticate", g.challenge(r, "insufficient_scope"))
		return http.StatusForbidden, errScope.Error(), "get a token with the scope " + ScopeAsk + " or " + ScopeAct
	case errors.Is(err, ErrRefused):
		w.Header().Set("WWW-Authenticate", g.challenge(r, "invalid_token"))
		return http.StatusUnauthorized, ErrRefused.Error(), "get another token: understudy token ls names the clients that have one"
	case errors.Is(err, errUnready):
		w.Header().Set("Retry-After", strconv.Itoa(int(refetchInterval.Seconds())))
		return http.StatusServiceUnavailable, errUnready.Error(), "try again later"
	}
	return http.StatusServiceUnavailable, "the credentials cannot be checked", "the server's log has the details"
}

// challenge returns the WWW-Authenticate header that RFC 6750 and RFC 9728 ask for.
func (g *Authenticator) challenge(r *http.Request, problem string) string {
	params := []string{`realm="understudy"`}
	if problem != "" {
		params = append(params, fmt.Sprintf("error=%q", problem))
	}
	if g.o.Issuer != nil {
		params = append(params, fmt.Sprintf("resource_metadata=%q", g.site(r)+metadataPath+ClientPath), fmt.Sprintf("scope=%q", ScopeAsk+" "+ScopeAct))
	}
	return "Bearer " + strings.Join(params, ", ")
}

// site returns the address of the server as a client knows it. The host of the request
// was checked against the allowed ones before.
func (g *Authenticator) site(r *http.Request) string {
	if g.o.Public != "" {
		return strings.TrimSuffix(g.o.Public, "/")
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// IsPublic reports whether an origin is the public address of the server.
func (g *Authenticator) IsPublic(origin string) bool {
	u, err := url.Parse(g.o.Public)
	return err == nil && u.Host != "" && origin == u.Scheme+"://"+u.Host
}

// metadataPath is where a client finds the issuer of tokens, by RFC 9728.
const metadataPath = "/.well-known/oauth-protected-resource"

// metadata serves the metadata of RFC 9728 for a protected resource.
func (g *Authenticator) metadata(w http.ResponseWriter, r *http.Request) {
	resource := strings.TrimPrefix(r.URL.Path, metadataPath)
	if g.o.Issuer == nil || r.Method != http.MethodGet || resource != "" && !isClientPath(resource) {
		http.NotFound(w, r)
		return
	}
	resource = cmp.Or(resource, ClientPath)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"resource":                 g.site(r) + resource,
		"resource_name":            "Understudy",
		"authorization_servers":    []string{g.o.Issuer.URL()},
		"scopes_supported":         []string{ScopeAsk, ScopeAct, ScopeOperator, ScopeAllRuns},
		"bearer_methods_supported": []string{"header"},
	})
}
