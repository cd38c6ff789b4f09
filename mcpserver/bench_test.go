package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop/fake"
	"understudy/store"
	"understudy/store/storetest"
)

// BenchmarkCall compares calls through our layers with calls of the SDK's bare
// server, over the same transports and in the same run: the difference is what
// the layers cost. The runs are in a store on the disk, and no pictures are
// taken. BenchmarkCommit is what one durable commit costs there.
func BenchmarkCall(b *testing.B) {
	for _, wire := range []struct {
		say  string
		open func(*testing.B, *benched) *mcp.ClientSession
	}{{"stdio", overPipes}, {"http", overHTTP}} {
		for _, c := range []struct{ say, tool string }{{"bare", ""}, {"reads", "look"}, {"acts", "touch"}} {
			b.Run(wire.say+"/"+c.say, func(b *testing.B) {
				session := wire.open(b, newBenched(b, c.tool))
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					callOnce(b, session, c.tool)
					took = append(took, time.Since(began))
				}
				reportMedian(b, took)
			})
		}
		b.Run(wire.say+"/reads by 16", func(b *testing.B) {
			on := newBenched(b, "look")
			b.SetParallelism(8) // of two processors
			b.RunParallel(func(pb *testing.PB) {
				session := wire.open(b, on)
				for pb.Next() {
					callOnce(b, session, "look")
				}
			})
		})
	}
}

// BenchmarkCommit stores one event durably.
func BenchmarkCommit(b *testing.B) {
	st, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	var took []time.Duration
	for seq := uint64(0); b.Loop(); seq++ {
		began := time.Now()
		if err := st.Append(b.Context(), "run", storetest.Batch("run", 1, seq, 1)); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	reportMedian(b, took)
}

// reportMedian reports what half of the times stay below: a machine that does
// other things now and then spoils the mean.
func reportMedian(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
}

// benched is a server that is measured.
type benched struct {
	*mcp.Server
	serve func(context.Context, io.Reader, io.Writer) error
	http  http.Handler
}

// newBenched is a server of ours with a kind that does nothing, or a bare one.
func newBenched(b *testing.B, tool string) *benched {
	if tool == "" {
		return bare()
	}
	st, err := store.Open(b.TempDir(), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	idle := func(context.Context, *steps.Env, nothing) (nothing, error) { return nothing{}, nil }
	kinds := []steps.Kind{
		steps.Define(steps.Kind{Name: "look", Summary: "For tests.", Toolset: steps.Core, Reads: true}, nothing{}, idle),
		steps.Define(steps.Kind{Name: "touch", Summary: "For tests.", Toolset: steps.Core, Touches: steps.Act}, nothing{}, idle),
	}
	e := &engine.Engine{Store: st, Files: st, Kinds: kinds, Desk: desk{fake.New()}, Lease: engine.NewLease(64)}
	s := New(Options{Open: func(context.Context) (engine.Runs, error) { return e, nil }, Kinds: kinds, MaxConcurrent: 64})
	b.Cleanup(func() {
		_ = s.Close(context.Background())
		_ = e.Shutdown(context.Background())
		_ = st.Close()
	})
	return &benched{s.MCP(), s.ServeStdio, s.Handler()}
}

func bare() *benched {
	s := mcp.NewServer(&mcp.Implementation{Name: "bare"}, nil)
	s.AddTool(&mcp.Tool{Name: "bare", InputSchema: json.RawMessage(`{"type": "object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	serve := func(ctx context.Context, in io.Reader, out io.Writer) error {
		return s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	return &benched{s, serve, mux}
}

func callOnce(b *testing.B, session *mcp.ClientSession, tool string) {
	if tool == "" {
		tool = "bare"
	}
	if res, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: tool}); err != nil || res.IsError {
		b.Fatal(res, err)
	}
}

func overPipes(b *testing.B, s *benched) *mcp.ClientSession {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.serve(context.Background(), fromClient, toClient)
	}()
	session := greet(b, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	b.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close(); <-done })
	return session
}

func overHTTP(b *testing.B, s *benched) *mcp.ClientSession {
	site := httptest.NewServer(s.http)
	b.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	return greet(b, &mcp.StreamableClientTransport{Endpoint: site.URL + "/mcp"})
}

func greet(b *testing.B, wire mcp.Transport) *mcp.ClientSession {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), wire, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return session
}
