package mcpserver

//lint:file-ignore SA1019 Older clients still ask for log messages, which the protocol will drop.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/words"
	"understudy/mcpserver/viewer"
	"understudy/workflows"
)

// recovering turns a panic into an error of one request.
func (s *Server) recovering(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.o.Log.Error("request panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the server's log has the details"}
			}
		}()
		return next(ctx, method, req)
	}
}

// translating makes a call of a tool of another program one of ours, before anything else
// looks at it.
func (s *Server) translating(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if c, ok := req.(*mcp.CallToolRequest); ok && s.tools.named[c.Params.Name] == nil {
			s.translate(c.Params)
		}
		return next(ctx, method, req)
	}
}

// translate gives a call the name and the arguments of the tool that it means here, if
// there is one.
func (s *Server) translate(p *mcp.CallToolParamsRaw) {
	if s.tools.saved.translate(p) {
		return
	}
	ours := s.tools.ours(p.Name)
	var args map[string]any
	if s.tools.named[ours] == nil || len(p.Arguments) > 0 && json.Unmarshal(p.Arguments, &args) != nil {
		return
	}
	_, args = workflows.ForeignCall(s.o.Kinds, p.Name, args)
	if raw, err := json.Marshal(args); err == nil {
		p.Name, p.Arguments = ours, raw
	}
}

// middleware wraps every request: it refuses headers that cannot be followed, and shows
// each client only its tools.
func (s *Server) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		from, ok := req.(serverRequest)
		if ok {
			err = checkToolsets(headers(from))
		}
		for _, uri := range subscriptionsIn(req) {
			if err == nil {
				err = s.changes.permit(ctx, from, uri)
			}
		}
		if err == nil {
			res, err = next(ctx, method, req)
		}
		err = encodable(err, req)
		if c, ok := req.(*mcp.CallToolRequest); ok && s.noSuchTool(c.Params.Name, err) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.tools.unknownMessage(c.Params.Name)}
		}
		if set, ok := req.(*mcp.ServerRequest[*mcp.SetLoggingLevelParams]); ok && err == nil {
			s.levels.set(set.Session, set.Params.Level)
		}
		if ok && err == nil {
			res = s.visible(res, from)
		}
		return res, err
	}
}

// shortening writes lists of tools without hints that say what the protocol supposes anyway.
func shortening(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if _, lists := req.(*mcp.ListToolsRequest); !lists || err != nil {
			return res, err
		}
		if list, ok := res.(*mcp.ListToolsResult); ok {
			return shortList{list}, nil
		}
		return shortResult{res}, nil
	}
}

// A shortList is a list of tools, in which the SDK says of each that it is not idempotent.
// It embeds the SDK's own type, whose methods the SDK calls to mark a result as complete.
type shortList struct{ *mcp.ListToolsResult }

// MarshalJSON implements json.Marshaler.
func (l shortList) MarshalJSON() ([]byte, error) { return shortened(l.ListToolsResult) }

// A shortResult is a list of tools to which the layer of tasks has added.
type shortResult struct{ mcp.Result }

// MarshalJSON implements json.Marshaler.
func (l shortResult) MarshalJSON() ([]byte, error) { return shortened(l.Result) }

func shortened(list any) ([]byte, error) {
	raw, err := json.Marshal(list)
	return bytes.ReplaceAll(raw, []byte(`"idempotentHint":false,`), nil), err
}

// icon is the picture of this program. Only greetings have it: the SDK repeats in each
// result who the server is.
var icon = sync.OnceValue(func() mcp.Icon {
	svg := base64.StdEncoding.EncodeToString([]byte(viewer.Icon()))
	return mcp.Icon{Source: "data:image/svg+xml;base64," + svg, MIMEType: "image/svg+xml", Sizes: []string{"any"}}
})

// about tells clients who the server is.
func (o *Options) about(icons ...mcp.Icon) *mcp.Implementation {
	return &mcp.Implementation{Name: "understudy", Title: "Understudy", Version: o.Version, Icons: icons}
}

// listLifetime is how long clients may keep lists that change rarely. They are told of
// each change besides.
const listLifetime = time.Minute

// cacheable says how long a client may keep a result. Each is for one client: its rights
// decide what it is shown.
func cacheable(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	c.CacheScope = "private"
	switch req.(type) {
	case *mcp.DiscoverRequest, *mcp.ListToolsRequest, *mcp.ListPromptsRequest, *mcp.ListResourceTemplatesRequest:
		c.TTLMs = int(listLifetime.Milliseconds())
	}
}

// visible completes a greeting, and removes from a list what the sender of the request
// may not see.
func (s *Server) visible(res mcp.Result, from serverRequest) mcp.Result {
	switch list := res.(type) {
	case *mcp.InitializeResult:
		out := *list
		out.ServerInfo = s.o.about(icon())
		return &out
	case *mcp.DiscoverResult:
		out := *list
		out.Meta = maps.Clone(out.Meta)
		if out.Meta == nil {
			out.Meta = mcp.Meta{}
		}
		out.Meta[mcp.MetaKeyServerInfo] = s.o.about(icon())
		return &out
	case *mcp.ListToolsResult:
		return s.tools.visible(list, s.clients.caller(from).listSubject)
	case *mcp.ListResourcesResult:
		return s.library.viewFor(s.clients.caller(from).listSubject).visible(list)
	}
	return res
}

// encodable returns an error that can be encoded, with a message that forges nothing. For
// a missing resource the SDK puts the unencoded URI into the data of the error, and a
// message that cannot be written ends the whole session.
func encodable(err error, req mcp.Request) error {
	if err == nil {
		return nil
	}
	wire, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		return &jsonrpc.Error{Message: contentOf(words.Told(err.Error())).Text}
	}
	fixed := *wire
	fixed.Message = words.Line(err.Error())
	if len(wire.Data) == 0 || json.Valid(wire.Data) {
		return &fixed
	}
	fixed.Data = nil
	if read, ok := req.(*mcp.ReadResourceRequest); ok {
		fixed.Data, _ = json.Marshal(map[string]string{"uri": read.Params.URI})
	}
	return &fixed
}

// noSuchTool reports whether a call failed because the tool does not exist.
func (s *Server) noSuchTool(name string, err error) bool {
	refused, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && s.tools.named[name] == nil && refused.Code == jsonrpc.CodeInvalidParams && strings.HasPrefix(refused.Message, "unknown tool")
}
