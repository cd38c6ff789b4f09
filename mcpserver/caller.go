package mcpserver

import (
	"net/http"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/auth"
	"understudy/mcpserver/httpd"
)

// modern is the first protocol version without sessions: each request says for
// itself who asks and what it understands.
const modern = "2026-07-28"

// caller is who asks: the name of the client, its session if it has one, the
// version that it speaks, what its credential grants, and what it may do.
type caller struct {
	name, session, version string
	self                   string      // what the client calls itself
	grant                  *auth.Grant // nil: nobody was asked who they are
	policy                 Policy
}

// id names the caller in runs, and tells apart the sessions of one client.
func (c caller) id() string {
	if c.session == "" {
		return c.name
	}
	return c.name + "#" + c.session
}

func (c caller) modern() bool { return c.version >= modern }

// server side of a request, whatever its sort.
type serverRequest interface {
	ProtocolVersion() string
	ClientInfo() *mcp.Implementation
	GetExtra() *mcp.RequestExtra
	GetSession() mcp.Session
}

// caller finds out who sent a request.
func (s *Server) caller(req serverRequest) caller {
	self := selfName(req.ClientInfo())
	c := caller{name: self, self: self, version: req.ProtocolVersion(), policy: s.o.Policy}
	if session := req.GetSession(); session != nil && !c.modern() {
		c.session = session.ID()
	}
	if g, ok := httpd.GrantOf(req.GetExtra()); ok {
		c.grant, c.name = &g, g.Name+"/"+self
		c.policy = c.policy.granted(g)
		c.policy = c.policy.narrowed(s.modes.of(g.Name), false, nil)
	}
	if !c.modern() {
		c.policy = c.policy.narrowed(s.modes.of(self), false, nil)
	}
	if h := headers(req); h != nil {
		c.policy = narrowedBy(c.policy, h)
	}
	return c
}

// clientName is the name of the client in an id.
func clientName(id string) string {
	name, _, _ := strings.Cut(id, "#")
	return name
}

// namesOf are the names by which the client in an id may be given a mode: as it
// calls itself, and that of its credential.
func namesOf(id string) []string {
	name := clientName(id)
	credential, self, _ := strings.Cut(name, "/")
	return []string{name, credential, self}
}

// longestSelf is how much of its own name a client may say.
const longestSelf = 64

// selfName is what a client calls itself, as far as it can stand in a log, a
// page and an id.
func selfName(info *mcp.Implementation) string {
	if info == nil {
		return "unknown"
	}
	name := []rune(strings.Map(func(r rune) rune {
		if r == '#' || !unicode.IsPrint(r) {
			return '-'
		}
		return r
	}, info.Name))
	if len(name) == 0 {
		return "unknown"
	}
	return string(name[:min(len(name), longestSelf)])
}

func headers(req serverRequest) http.Header {
	if x := req.GetExtra(); x != nil {
		return x.Header
	}
	return nil
}

// narrowedBy limits a policy by what a request says of itself.
func narrowedBy(p Policy, h http.Header) Policy {
	toolsets, err := ParseToolsets(h.Get("X-MCP-Toolsets"))
	if err != nil {
		toolsets = nil
	}
	mode := Mode(h.Get(httpd.ModeHeader))
	return p.narrowed(mode, h.Get("X-MCP-Readonly") == "true", toolsets)
}
