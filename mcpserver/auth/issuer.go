package auth

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"understudy/steps"
)

// Scopes of a signed token. One with neither mode is refused.
const (
	ScopeAsk      = "understudy:ask"
	ScopeAct      = "understudy:act"
	ScopeOperator = "understudy:operator"
	ScopeAllRuns  = "understudy:runs"
	scopeToolset  = "understudy:toolset:" // followed by the name of the toolset
)

// algorithms are the accepted signature algorithms. All are asymmetric, so that a
// verifier cannot sign.
var algorithms = []string{oidc.RS256, oidc.ES256, oidc.EdDSA}

// Issuer verifies tokens that an identity provider signed. It fetches the keys when
// the first token needs them, caches them, and fetches them again for a token with an
// unknown key, at most once per refetchInterval.
type Issuer struct {
	url, audience string
	host          string // of the issuer; part of the names of its clients
	now           func() time.Time
	transport     *throttledTransport
	client        *http.Client

	mu           sync.Mutex
	verifier     *oidc.IDTokenVerifier
	verifierMade time.Time // when the verifier was made, which caches keys
}

// refetchInterval is the shortest time between two requests to the same address of the
// issuer.
const refetchInterval = 10 * time.Second

// Limits of a response of the issuer.
const (
	issuerTimeout = 10 * time.Second
	maxIssuerBody = 1 << 20
)

// NewIssuer accepts the tokens of an issuer for an audience. It sends no request yet.
func NewIssuer(address, audience string) (*Issuer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, steps.Errorf(steps.Invalid, "%q is no address of an issuer: wanted one such as https://id.example.com", address)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, steps.Errorf(steps.Invalid, "the issuer %s is reached without TLS, so anyone on the network path could forge keys", address).
			WithNext("use its https address")
	}
	if audience == "" {
		return nil, steps.Errorf(steps.Invalid, "no audience is set, so tokens for other servers would be accepted").
			WithNext("give the aud value of this server's tokens with --audience")
	}
	i := &Issuer{url: address, host: u.Hostname(), audience: audience, now: time.Now}
	i.transport = &throttledTransport{next: http.DefaultTransport, now: func() time.Time { return i.now() }}
	i.client = &http.Client{
		Timeout: issuerTimeout, Transport: i.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return i, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (i *Issuer) URL() string { return i.url }

func (*Issuer) recognizes(credential string) bool { return strings.Count(credential, ".") == 2 }

// claims are the claims that package oidc does not check.
type claims struct {
	Scope stringList `json:"scope"`
	Scp   stringList `json:"scp"` // the name that some issuers use
	// NotBefore is in seconds since 1970.
	NotBefore float64 `json:"nbf"`
}

// maxClockSkew is how far the clock of an issuer may be ahead of ours.
const maxClockSkew = time.Minute

// checkStarted fails for a token that is not valid yet, or that claims to be issued in the
// future.
func (c claims) checkStarted(issued, now time.Time) error {
	if late := now.Add(maxClockSkew); issued.After(late) || c.NotBefore > float64(late.Unix()) {
		return errors.New("it is not valid yet")
	}
	return nil
}

// decisiveClaims lists the claims on which a decision depends.
var decisiveClaims = []string{"iss", "aud", "exp", "nbf", "iat", "sub", "scope", "scp"}

// checkClaimNames refuses claims that are given twice or in another case. encoding/json
// takes the last of several spellings, so a claim that the issuer lets its users name
// could replace one of its own.
func checkClaimNames(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		for _, known := range decisiveClaims {
			if strings.EqualFold(name, known) && name != known {
				return fmt.Errorf("the claim %q is written %q", known, name)
			}
		}
		if seen[name] {
			return fmt.Errorf("the claim %q occurs twice", name)
		}
		seen[name] = true
		if err := d.Decode(new(json.RawMessage)); err != nil {
			return err
		}
	}
	return nil
}

// checkCanonical refuses a token whose base64 is not the canonical encoding: one token
// would otherwise have many spellings.
func checkCanonical(credential string) error {
	for part := range strings.SplitSeq(credential, ".") {
		if _, err := base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return err
		}
	}
	return nil
}

// stringList is decoded from a list of strings, or from one string with spaces between.
type stringList []string

// UnmarshalJSON accepts both forms.
func (w *stringList) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*w = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(w))
}

// errUnready is the error when a token cannot be checked, because the issuer does not
// respond as it should.
var errUnready = errors.New("the issuer of tokens gives invalid answers")

// errScope is the error of a good token that allows nothing here.
var errScope = errors.New("the token has no scope for this server")

func (i *Issuer) verify(ctx context.Context, credential string) (Grant, error) {
	v, err := i.ready(ctx)
	if err != nil {
		return Grant{}, err
	}
	if err := checkCanonical(credential); err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	token, err := v.Verify(ctx, credential)
	if err != nil && i.transport.broken() {
		return Grant{}, fmt.Errorf("%w: %w", errUnready, err)
	}
	if err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	var raw json.RawMessage
	var c claims
	if err := errors.Join(token.Claims(&raw), checkClaimNames(raw), token.Claims(&c)); err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := c.checkStarted(token.IssuedAt, i.now()); err != nil {
		return Grant{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := checkName(token.Subject); err != nil {
		return Grant{}, fmt.Errorf("%w: its subject: %w", ErrRefused, err)
	}
	g := Grant{Name: token.Subject + "@" + i.host, Expires: token.Expiry, Signed: true}
	return g, g.applyScopes(slices.Concat(c.Scope, c.Scp))
}

// applyScopes fills in the rights that the scopes of a token give.
func (g *Grant) applyScopes(scopes []string) error {
	for _, s := range scopes {
		switch {
		case s == ScopeAct, s == ScopeAsk && g.Mode == "":
			g.Mode = strings.TrimPrefix(s, "understudy:")
		case s == ScopeOperator:
			g.Operator, g.AllRuns = true, true
		case s == ScopeAllRuns:
			g.AllRuns = true
		case strings.HasPrefix(s, scopeToolset):
			g.Toolsets = append(g.Toolsets, steps.Toolset(strings.TrimPrefix(s, scopeToolset)))
		}
	}
	if g.Mode == "" {
		return errScope
	}
	return nil
}

// keyLifetime is the longest time for which keys are kept: a withdrawn key counts no longer
// than that.
const keyLifetime = time.Hour

// ready returns the verifier, after asking the issuer for its keys if they are too old.
func (i *Issuer) ready(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.verifier != nil && i.now().Sub(i.verifierMade) < keyLifetime {
		return i.verifier, nil
	}
	ctx = oidc.ClientContext(context.WithoutCancel(ctx), i.client) // a client that disconnects must not fail the fetch for others
	p, err := oidc.NewProvider(ctx, i.url)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnready, err)
	}
	i.verifierMade = i.now()
	i.verifier = p.VerifierContext(ctx, &oidc.Config{
		ClientID: i.audience, SupportedSigningAlgs: algorithms, Now: func() time.Time { return i.now() },
	})
	return i.verifier, nil
}

// throttledTransport is an http.RoundTripper that fetches each URL at most once per
// refetchInterval and repeats the last response in between, so that clients with made-up
// keys cause no traffic.
type throttledTransport struct {
	next http.RoundTripper
	now  func() time.Time

	mu   sync.Mutex
	last map[string]cachedResponse
}

type cachedResponse struct {
	at     time.Time
	status int
	header http.Header
	body   []byte
	err    error
}

// RoundTrip fetches a URL, or returns the last response.
func (s *throttledTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.last[r.URL.String()]
	if !ok || s.now().Sub(f.at) >= refetchInterval {
		f = s.fetch(r)
		if s.last == nil {
			s.last = map[string]cachedResponse{}
		}
		s.last[r.URL.String()] = f
	}
	if f.err != nil {
		return nil, f.err
	}
	return &http.Response{
		Status: http.StatusText(f.status), StatusCode: f.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: f.header.Clone(), Body: io.NopCloser(bytes.NewReader(f.body)), ContentLength: int64(len(f.body)), Request: r,
	}, nil
}

// broken reports whether the last request to some address failed.
func (s *throttledTransport) broken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.last {
		if f.err != nil || f.status != http.StatusOK {
			return true
		}
	}
	return false
}

func (s *throttledTransport) fetch(r *http.Request) cachedResponse {
	f := cachedResponse{at: s.now()}
	res, err := s.next.RoundTrip(r)
	if err != nil {
		f.err = err
		return f
	}
	defer res.Body.Close()
	f.status, f.header = res.StatusCode, res.Header
	f.body, f.err = io.ReadAll(io.LimitReader(res.Body, maxIssuerBody))
	return f
}
