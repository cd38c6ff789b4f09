package mcpserver

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guard stands around every request: it shows each client only its tools, and
// makes a panic an error of one request.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.o.Log.Error("request panicked", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the server's log has the details"}
			}
		}()
		if c, ok := req.(*mcp.CallToolRequest); ok && !s.known(c.Params.Name) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: s.unknown(c.Params.Name)}
		}
		res, err = next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			if from, ok := req.(serverRequest); ok {
				res = s.shown(list, s.caller(from).policy)
			}
		}
		return res, err
	}
}

// known says whether a tool exists: ours, or one that was added beside them.
func (s *Server) known(name string) bool {
	return s.tools[name] != nil || s.beside.has(name)
}

// shown is the list of tools without those that a policy does not offer.
func (s *Server) shown(list *mcp.ListToolsResult, p Policy) *mcp.ListToolsResult {
	out := *list
	out.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool {
		ours := s.tools[t.Name]
		return ours != nil && !p.offers(ours.rule)
	})
	return &out
}
