package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

type accessFlags struct {
	address           string
	hosts, origins    []string
	methods           []string
	tokenFile         string
	issuer, audience  string
	public            string
	certFile, keyFile string
	insecure          bool
	runMB, dayMB      uint32
}

func (g *accessFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.address, "addr", defaultAddress, "the address to listen on")
	f.StringSliceVar(&g.hosts, "allow-host", nil, "names by which the server may be called beside localhost")
	f.StringSliceVar(&g.origins, "allow-origin", nil, "origins of pages that may call the server, such as https://example.com")
	f.StringSliceVar(&g.methods, "auth", nil, "how clients say who they are: token, oidc, user (they are programs of yours on this machine), or none; token where there are any, and user otherwise")
	f.StringVar(&g.tokenFile, "token-file", "", "the clients and the hashes of their tokens (default tokens.json in the data folder)")
	f.StringVar(&g.issuer, "issuer", "", "the address of the issuer of signed tokens, for --auth oidc")
	f.StringVar(&g.audience, "audience", "", "what the issuer writes into the aud of tokens for this server")
	f.StringVar(&g.public, "public-url", "", "the address of the server as clients know it, when that is another one, such as https://desk.example.com")
	f.StringVar(&g.certFile, "tls-cert", "", "the file of the TLS certificate; it is read again when it changes")
	f.StringVar(&g.keyFile, "tls-key", "", "the file of its key")
	f.Uint32Var(&g.runMB, "max-run-mb", 1_000, "how many megabytes one run of a token may store; 0: no bound")
	f.Uint32Var(&g.dayMB, "max-day-mb", 10_000, "how many megabytes the runs of one token may store in a day; 0: no bound")
	f.BoolVar(&g.insecure, "insecure", false, "serve other machines without TLS: whoever is on the way can read and act")
}

// What --auth takes.
const (
	byNothing = "none"
	byUser    = "user"
	byToken   = "token"
	byIssuer  = "oidc"
)

type credentials struct {
	authenticator *auth.Authenticator
	sameUser      *auth.SameUser
	tokens        string // the file that says who may call
}

func (a *app) credentialsFor(cmd *cobra.Command, g *accessFlags) (d credentials, err error) {
	if err := g.check(cmd); err != nil {
		return d, err
	}
	tokens, err := a.tokens(g.tokenFile)
	if err != nil {
		return d, err
	}
	d.tokens = tokens.Path()
	if len(g.methods) == 0 {
		g.methods = []string{g.usual(tokens)}
	}
	switch g.methods[0] {
	case byNothing:
		return d, g.alone()
	case byUser:
		if err := g.alone(); err != nil {
			return d, err
		}
		d.sameUser, err = auth.NewSameUser(a.log())
		return d, err
	}
	d.authenticator, err = a.authenticatorFor(g, tokens)
	return d, err
}

// authenticatorFor makes what asks clients for credentials.
func (a *app) authenticatorFor(g *accessFlags, tokens *auth.Tokens) (_ *auth.Authenticator, err error) {
	o := auth.Options{Public: g.public, Log: a.log()}
	if slices.Contains(g.methods, byIssuer) {
		if o.Issuer, err = auth.NewIssuer(g.issuer, g.audience); err != nil {
			return nil, err
		}
	}
	if slices.Contains(g.methods, byToken) {
		o.Tokens = tokens
		list, err := tokens.List()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 && o.Issuer == nil {
			return nil, steps.Errorf(steps.Invalid, "no client could reach the server: %s names none", tokens.Path()).
				WithNext("understudy token add NAME --mode ask")
		}
	}
	return auth.New(o), g.private()
}

func (g *accessFlags) check(cmd *cobra.Command) error {
	if _, _, err := net.SplitHostPort(g.address); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("--addr: %w", err), Next: "such as " + defaultAddress}
	}
	for _, m := range g.methods {
		alone := m == byNothing || m == byUser
		if !alone && m != byToken && m != byIssuer || alone && len(g.methods) > 1 {
			return usage(cmd, "--auth %s: wanted token, oidc, both, user, or none", m)
		}
	}
	if (g.issuer != "" || g.audience != "") && len(g.methods) == 0 {
		g.methods = []string{byIssuer}
	}
	if g.public != "" {
		if u, err := url.Parse(g.public); err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.Scheme != "https" && u.Scheme != "http" {
			return usage(cmd, "--public-url %s: wanted one such as https://desk.example.com", g.public)
		}
	}
	if (g.certFile == "") != (g.keyFile == "") {
		return usage(cmd, "--tls-cert and --tls-key go together")
	}
	return nil
}

// private refuses to send tokens where others can read them.
func (g *accessFlags) private() error {
	if !g.reachable() || g.certFile != "" || g.insecure {
		return nil
	}
	return steps.Errorf(steps.Invalid, "--addr %s: other machines can reach this address, and without TLS whoever is on the way can read the tokens", g.address).
		WithNext("give --tls-cert and --tls-key; or use 127.0.0.1 and a tunnel; or say --insecure when something in front of the server speaks TLS")
}

// usual is how clients say who they are when no flag says so. Where the system
// does not tell users apart, those of this machine have to be trusted.
func (g *accessFlags) usual(tokens *auth.Tokens) string {
	_, err := os.Stat(tokens.Path())
	switch {
	case g.tokenFile != "" || g.reachable() || !errors.Is(err, fs.ErrNotExist):
		return byToken
	case auth.TellsUsers():
		return byUser
	}
	return byNothing
}

// alone refuses to ask nobody for a credential where other machines can call.
func (g *accessFlags) alone() error {
	if !g.reachable() {
		return nil
	}
	return steps.Errorf(steps.Invalid, "--addr %s: other machines can reach this address, and whoever reaches the server can use the desktop", g.address).
		WithNext("use --auth token or --auth oidc; or 127.0.0.1, and a tunnel to reach it from elsewhere")
}

func (g *accessFlags) reachable() bool {
	return onNetwork(g.host())
}

// onNetwork says whether a host is one that other machines are on the way to.
func onNetwork(host string) bool {
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (g *accessFlags) host() string {
	host, _, _ := net.SplitHostPort(g.address)
	return host
}

// names are those by which the server may be called: what the flags say, and of
// an address that others can reach also the numbers and the name of this machine.
// None of them can be made to lead here by who owns another name.
func (g *accessFlags) names() []string {
	names := slices.Clone(g.hosts)
	if u, err := url.Parse(g.public); err == nil && u.Hostname() != "" {
		names = append(names, u.Hostname())
	}
	if !g.reachable() {
		return names
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, x := range addresses {
		if n, ok := x.(*net.IPNet); ok {
			names = append(names, n.IP.String())
		}
	}
	return append(names, g.host())
}

// listen listens on the address, with TLS when there is a certificate.
func (g *accessFlags) listen(log *slog.Logger) (l net.Listener, scheme string, err error) {
	var config *tls.Config
	if g.certFile != "" {
		if config, err = tlsConfig(g.certFile, g.keyFile, log); err != nil {
			return nil, "", err
		}
	}
	if l, err = net.Listen("tcp", g.address); err != nil {
		return nil, "", &steps.Error{Code: steps.Unavailable, Err: err, Next: "choose another address with --addr"}
	}
	if config == nil {
		return l, "http", nil
	}
	return tls.NewListener(l, config), "https", nil
}

// says is what a person should know about who may call.
func (d credentials) says() string {
	switch {
	case d.authenticator != nil:
		return ", for who has a credential"
	case d.sameUser != nil:
		return ", for programs of this user"
	}
	return ", for every user of this machine"
}

// tokens are the clients of a file; without one, those of the data folder.
func (a *app) tokens(file string) (*auth.Tokens, error) {
	if file != "" {
		path, err := filepath.Abs(file)
		return auth.NewTokens(path), err
	}
	home, err := a.folder()
	return auth.NewTokens(filepath.Join(home, "tokens.json")), err
}
