package mcpserver

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop/fake"
	"understudy/store/storetest"
)

// BenchmarkCall compares a call through our layers, over a store in memory, with
// one of the SDK's bare server: the difference is what the layers cost.
func BenchmarkCall(b *testing.B) {
	store := storetest.NewMemory()
	echo := steps.Define(steps.Kind{Name: "echo", Summary: "For tests.", Toolset: steps.Core, Reads: true}, nothing{},
		func(context.Context, *steps.Env, nothing) (nothing, error) { return nothing{}, nil })
	kinds := []steps.Kind{echo}
	e := &engine.Engine{Store: store, Files: store, Kinds: kinds, Desk: desk{fake.New()}, Lease: engine.NewLease(1)}
	s := New(Options{Open: func(context.Context) (engine.Runs, error) { return e, nil }, Kinds: kinds})

	bare := mcp.NewServer(&mcp.Implementation{Name: "bare"}, nil)
	bare.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type": "object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})

	for _, c := range []struct {
		say, tool string
		server    *mcp.Server
	}{{"bare", "echo", bare}, {"reads", "echo", s.MCP()}} {
		b.Run(c.say, func(b *testing.B) {
			session := benchSession(b, c.server)
			for b.Loop() {
				if res, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: c.tool}); err != nil || res.IsError {
					b.Fatal(res, err)
				}
			}
		})
	}
}

func benchSession(b *testing.B, s *mcp.Server) *mcp.ClientSession {
	ours, theirs := mcp.NewInMemoryTransports()
	server, err := s.Connect(b.Context(), ours, nil)
	if err != nil {
		b.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), theirs, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close(); _ = server.Wait() })
	return session
}
