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

// accessFlags say where a server listens, and who may call it.
type accessFlags struct {
	Address  string   `flag:"addr" usage:"the address to listen on"`
	Hosts    []string `flag:"allow-host" usage:"host names of the server besides localhost"`
	Origins  []string `flag:"allow-origin" usage:"origins of web pages that may call the server, such as https://example.com"`
	Methods  []string `flag:"auth" usage:"how clients authenticate: token, oidc, user (any program of yours on this machine) or none (default token if there are tokens, else user)"`
	Tokens   string   `flag:"token-file" usage:"the file with the clients and the hashes of their tokens (default tokens.json in the data folder)"`
	Issuer   string   `flag:"issuer" usage:"with --auth oidc: the URL of the issuer of tokens"`
	Audience string   `flag:"audience" usage:"with --auth oidc: the audience (aud) of tokens for this server"`
	Public   string   `flag:"public-url" usage:"the URL of the server for its clients, if it is not --addr, such as https://desk.example.com"`
	CertFile string   `flag:"tls-cert" usage:"the file of the TLS certificate; reloaded when it changes"`
	KeyFile  string   `flag:"tls-key" usage:"the file of the key of --tls-cert"`
	RunMB    uint32   `flag:"max-run-mb" usage:"how many megabytes one run of a token may store; 0: no limit"`
	DayMB    uint32   `flag:"max-day-mb" usage:"how many megabytes the runs of one token may store in a day; 0: no limit"`
	Insecure bool     `flag:"insecure" usage:"serve other machines without TLS: anyone in the network between can read and act"`
}

func defaultAccess() accessFlags {
	return accessFlags{Address: defaultAddress, RunMB: 1_000, DayMB: 10_000}
}

// The values of --auth.
const (
	byNothing = "none"
	byUser    = "user"
	byToken   = "token"
	byIssuer  = "oidc"
)

type credentials struct {
	authenticator *auth.Authenticator
	sameUser      *auth.SameUser
	tokens        string // the file of the tokens
}

func (a *app) credentialsFor(cmd *cobra.Command, g *accessFlags) (d credentials, err error) {
	if err := g.check(cmd); err != nil {
		return d, err
	}
	tokens, err := a.tokens(g.Tokens)
	if err != nil {
		return d, err
	}
	d.tokens = tokens.Path()
	if len(g.Methods) == 0 {
		g.Methods = []string{g.usual(tokens)}
	}
	switch g.Methods[0] {
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

// authenticatorFor returns the check of the credentials of clients.
func (a *app) authenticatorFor(g *accessFlags, tokens *auth.Tokens) (_ *auth.Authenticator, err error) {
	o := auth.Options{Public: g.Public, Log: a.log()}
	if slices.Contains(g.Methods, byIssuer) {
		if o.Issuer, err = auth.NewIssuer(g.Issuer, g.Audience); err != nil {
			return nil, err
		}
	}
	if slices.Contains(g.Methods, byToken) {
		o.Tokens = tokens
		list, err := tokens.List()
		if err != nil {
			return nil, err
		}
		if len(list) == 0 && o.Issuer == nil {
			return nil, steps.Errorf(steps.Invalid, "no client can connect: %s lists none", tokens.Path()).
				WithNext("understudy token add NAME --mode ask")
		}
	}
	return auth.New(o), g.private()
}

func (g *accessFlags) check(cmd *cobra.Command) error {
	if _, _, err := net.SplitHostPort(g.Address); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("--addr: %w", err), Next: "such as " + defaultAddress}
	}
	for _, m := range g.Methods {
		alone := m == byNothing || m == byUser
		if !alone && m != byToken && m != byIssuer || alone && len(g.Methods) > 1 {
			return usage(cmd, "--auth %s: wanted token, oidc, both, user, or none", m)
		}
	}
	if (g.Issuer != "" || g.Audience != "") && len(g.Methods) == 0 {
		g.Methods = []string{byIssuer}
	}
	if g.Public != "" {
		if u, err := url.Parse(g.Public); err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.Scheme != "https" && u.Scheme != "http" {
			return usage(cmd, "--public-url %s: wanted one such as https://desk.example.com", g.Public)
		}
	}
	if (g.CertFile == "") != (g.KeyFile == "") {
		return usage(cmd, "--tls-cert and --tls-key go together")
	}
	return nil
}

// private refuses to send tokens where others can read them.
func (g *accessFlags) private() error {
	if !g.reachable() || g.CertFile != "" || g.Insecure {
		return nil
	}
	return steps.Errorf(steps.Invalid, "--addr %s: other machines can reach this address, and without TLS anyone on the network path can read the tokens", g.Address).
		WithNext("give --tls-cert and --tls-key; or use 127.0.0.1 and a tunnel; or add --insecure if a proxy in front of the server provides TLS")
}

// usual returns the method of authentication when no flag names one. Where the
// system cannot tell its users apart, all of this machine have to be trusted.
func (g *accessFlags) usual(tokens *auth.Tokens) string {
	_, err := os.Stat(tokens.Path())
	switch {
	case g.Tokens != "" || g.reachable() || !errors.Is(err, fs.ErrNotExist):
		return byToken
	case auth.TellsUsers():
		return byUser
	}
	return byNothing
}

// alone refuses to serve without credentials where other machines can call.
func (g *accessFlags) alone() error {
	if !g.reachable() {
		return nil
	}
	return steps.Errorf(steps.Invalid, "--addr %s: other machines can reach this address, and anyone who reaches the server can use the desktop", g.Address).
		WithNext("use --auth token or --auth oidc; or 127.0.0.1, and a tunnel to reach it from elsewhere")
}

func (g *accessFlags) reachable() bool {
	return onNetwork(g.host())
}

// onNetwork reports whether traffic to a host leaves this machine.
func onNetwork(host string) bool {
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (g *accessFlags) host() string {
	host, _, _ := net.SplitHostPort(g.Address)
	return host
}

// names returns the host names that requests may use: those of the flags and, if
// other machines can reach the address, also the name and the IP addresses of this
// machine. Owning some other name does not let anyone point one of these here.
func (g *accessFlags) names() []string {
	names := slices.Clone(g.Hosts)
	if u, err := url.Parse(g.Public); err == nil && u.Hostname() != "" {
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

// listen listens on the address, with TLS if there is a certificate.
func (g *accessFlags) listen(log *slog.Logger) (l net.Listener, scheme string, err error) {
	var config *tls.Config
	if g.CertFile != "" {
		if config, err = tlsConfig(g.CertFile, g.KeyFile, log); err != nil {
			return nil, "", err
		}
	}
	if l, err = net.Listen("tcp", g.Address); err != nil {
		return nil, "", &steps.Error{Code: steps.Unavailable, Err: err, Next: "choose another address with --addr"}
	}
	if config == nil {
		return l, "http", nil
	}
	return tls.NewListener(l, config), "https", nil
}

// says tells a person who may call.
func (d credentials) says() string {
	switch {
	case d.authenticator != nil:
		return ", for clients with a credential"
	case d.sameUser != nil:
		return ", for programs of this user"
	}
	return ", for every user of this machine"
}

// tokens returns the tokens of a file, by default of that in the data folder.
func (a *app) tokens(file string) (*auth.Tokens, error) {
	if file != "" {
		path, err := filepath.Abs(file)
		return auth.NewTokens(path), err
	}
	home, err := a.folder()
	return auth.NewTokens(filepath.Join(home, "tokens.json")), err
}
