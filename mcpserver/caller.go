package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/httpd"
)

const modern = httpd.Modern

// caller is the sender of a request: the name of the client, its session if it has one,
// its protocol version, what its credential grants, and what it may do.
type caller struct {
	name, session, version string
	self                   string      // the name that the client gives itself
	grant                  *auth.Grant // nil: the server asks for no credentials
	access.Subject
	listSubject access.Subject // for lists, which must not depend on the name that a modern client gives itself
}

// id returns the name of the caller in runs, which tells the sessions of one client
// apart.
func (c caller) id() string {
	if c.session == "" {
		return c.name
	}
	return c.name + "#" + digest(c.session)
}

// digest returns a hash that distinguishes sessions without disclosing them, because the
// id of the client is part of each run.
func digest(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:4])
}

func (c caller) modern() bool { return c.version >= modern }

// serverRequest is any request that a server receives.
type serverRequest interface {
	ProtocolVersion() string
	ClientInfo() *mcp.Implementation
	GetExtra() *mcp.RequestExtra
	GetSession() mcp.Session
}

// clients identifies the clients of a server, and decides what they may do.
type clients struct {
	policy   access.Policy
	gate     *auth.Authenticator // nil: the server asks for no credentials
	modes    *access.Modes
	runs     *lazyRuns
	pictures access.Pictures
}

// caller returns the sender of a request.
func (s *clients) caller(req serverRequest) caller {
	self := selfName(req.ClientInfo())
	c := caller{name: self, self: self, version: req.ProtocolVersion()}
	if session := req.GetSession(); session != nil && !c.modern() {
		c.session = session.ID()
	}
	if g, ok := httpd.GrantOf(req.GetExtra()); ok {
		c.grant, c.name = &g, g.Name+"/"+self
	}
	c.listSubject = s.subject(c.grant)
	c.listSubject.Policy = c.listSubject.Narrowed(limitsFromHeaders(headers(req)))
	c.Subject = c.listSubject
	c.Policy = c.Narrowed(s.modes.Of(self))
	if !c.modern() {
		c.listSubject = c.Subject
	}
	return c
}

// httpCaller returns the sender of a request that is no message of the protocol.
func (s *clients) httpCaller(r *http.Request, self string) caller {
	c := caller{name: self, self: self}
	if g, ok := auth.From(r.Context()); ok {
		c.grant, c.name = &g, g.Name+"/"+self
	}
	c.Subject = s.subject(c.grant)
	c.Policy = c.Narrowed(s.modes.Of(self))
	return c
}

// subject returns the rights of the holder of a credential, or of the person at the
// machine if there is none.
func (s *clients) subject(g *auth.Grant) access.Subject {
	if g == nil {
		return access.Subject{Policy: s.policy, All: true}
	}
	return access.Subject{Policy: s.policy.Narrowed(grantLimits(*g)).Narrowed(s.modes.Of(g.Name)), Owner: g.Name, All: g.AllRuns}
}

// runsFor returns the runs that a subject may see and change with a tool.
func (s *clients) runsFor(ctx context.Context, who access.Subject, t access.Tool) (engine.Runs, error) {
	runs, err := s.runs.get(ctx)
	if err != nil {
		return nil, err
	}
	return access.RunsFor(runs, who, t, &s.pictures), nil
}

// maxSelfName bounds the name that a client gives itself.
const maxSelfName = 64

// selfName returns the name that a client gives itself, without characters that cannot
// be part of a log, a page or an id.
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
	return string(name[:min(len(name), maxSelfName)])
}

func headers(req serverRequest) http.Header {
	if x := req.GetExtra(); x != nil {
		return x.Header
	}
	return nil
}

// traceParent returns the trace context of the sender of a call, from its metadata or
// else the headers of its request.
func (c *call) traceParent() string {
	if c.req == nil {
		return ""
	}
	if c.req.Params != nil {
		if text, ok := c.req.Params.Meta["traceparent"].(string); ok {
			return trimTraceParent(text)
		}
	}
	return trimTraceParent(headers(c.req).Get("Traceparent"))
}

// trimTraceParent trims a trace context to the length that one can have, because it is
// stored with the run.
func trimTraceParent(text string) string {
	const longest = 55 // in version 00
	text = strings.TrimSpace(text)
	return text[:min(len(text), longest)]
}

// toolsetsHeader lists the toolsets to which a client restricts itself.
const toolsetsHeader = "X-MCP-Toolsets"

// limitsFromHeaders returns the limits in the headers of a request: those that the
// client asks for, and the mode of the path. A toolset that does not exist allows
// nothing.
func limitsFromHeaders(h http.Header) access.Limits {
	toolsets, _ := access.ParseToolsets(h.Get(toolsetsHeader)) // checkToolsets reports the error
	return access.Limits{Mode: access.Mode(h.Get(httpd.ModeHeader)), ReadOnly: h.Get("X-MCP-Readonly") == "true", Toolsets: toolsets}
}

// checkToolsets returns the protocol error for a request whose headers name a toolset that
// does not exist.
func checkToolsets(h http.Header) error {
	if _, err := access.ParseToolsets(h.Get(toolsetsHeader)); err != nil {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: toolsetsHeader + ": " + err.Error()}
	}
	return nil
}
