package mcpserver

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modern is the first protocol version without sessions: each request says for
// itself who asks and what it understands.
const modern = "2026-07-28"

// caller is who asks: the name of the client, its session if it has one, the
// version that it speaks, and what it may do.
type caller struct {
	name, session, version string
	policy                 Policy
}

// id names the caller in runs, and tells apart the sessions of one client.
func (c caller) id() string {
	if c.session == "" {
		return c.name
	}
	return c.name + "#" + c.session
}

// clientName is the name of the client in an id.
func clientName(id string) string {
	name, _, _ := strings.Cut(id, "#")
	return name
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
	c := caller{name: "unknown", version: req.ProtocolVersion(), policy: s.o.Policy}
	if info := req.ClientInfo(); info != nil && info.Name != "" {
		c.name = strings.ReplaceAll(info.Name, "#", "-")
	}
	if session := req.GetSession(); session != nil && !c.modern() {
		c.session = session.ID()
	}
	if mode, ok := s.modes.of(c.name); ok && !c.modern() {
		c.policy = c.policy.narrowed(mode, false, nil)
	}
	if h := headers(req); h != nil {
		c.policy = narrowedBy(c.policy, h)
	}
	return c
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
	mode := Mode(h.Get(modeHeader))
	return p.narrowed(mode, h.Get("X-MCP-Readonly") == "true", toolsets)
}
