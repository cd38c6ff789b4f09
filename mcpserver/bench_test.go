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
	"understudy/internal/testing/fake"
	"understudy/internal/testing/storetest"
	"understudy/mcpserver/httpd"
	"understudy/steps"
	"understudy/store"
)

// BenchmarkCall compares calls through our layers with calls of a bare server of the
// SDK, over the same transports and versions in the same run: the difference is the cost
// of the layers. The runs are stored on disk, and no pictures are taken. Between the
// calls that act, one event is committed there: "commits" is the cost of the layers in
// such commits.
func BenchmarkCall(b *testing.B) {
	for _, wire := range []struct {
		say  string
		open func(*testing.B, *benched) *mcp.ClientSession
	}{{"stdio", overPipes}, {"http " + modern, overHTTP(modern)}, {"http " + legacy, overHTTP(legacy)}} {
		var bare time.Duration
		for _, c := range []struct{ say, tool string }{{"bare", ""}, {"reads", "look"}, {"acts", "touch"}} {
			b.Run(wire.say+"/"+c.say, func(b *testing.B) {
				on := newBenched(b, c.tool)
				session := wire.open(b, on)
				var calls, commits []time.Duration
				for b.Loop() {
					calls = append(calls, timed(func() { callOnce(b, session, c.tool) }))
					if c.tool == "touch" {
						commits = append(commits, timed(func() { on.commit(b) }))
					}
				}
				p50 := reportMedian(b, calls)
				if c.tool == "" {
					bare = p50
					return
				}
				b.ReportMetric(float64((p50 - bare).Microseconds()), "added-µs")
				if commits != nil {
					b.ReportMetric(float64(p50-bare)/float64(median(commits)), "commits")
				}
			})
		}
		b.Run(wire.say+"/reads by 16", func(b *testing.B) {
			on := newBenched(b, "look")
			b.SetParallelism(8) // per processor
			b.RunParallel(func(pb *testing.PB) {
				session := wire.open(b, on)
				for pb.Next() {
					callOnce(b, session, "look")
				}
			})
		})
	}
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// reportMedian reports the median of the times, because other load spoils the mean.
func reportMedian(b *testing.B, took []time.Duration) time.Duration {
	p50 := median(took)
	b.ReportMetric(float64(p50.Microseconds()), "p50-µs")
	return p50
}

func median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}

// benched is the server of a benchmark.
type benched struct {
	*mcp.Server
	serve func(context.Context, io.Reader, io.Writer) error
	http  http.Handler
	store *store.Store
	seq   uint64
}

// commit stores one event durably.
func (s *benched) commit(b *testing.B) {
	if err := s.store.Append(b.Context(), "run", storetest.Batch("run", 1, s.seq, 1)); err != nil {
		b.Fatal(err)
	}
	s.seq++
}

// newBenched makes a server of ours with a kind that does nothing, or a bare one.
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
	e := &engine.Engine{Store: st, Files: st, Kinds: kinds, Desk: desk{fake.New()}, Lease: engine.Lease{Places: 64}}
	s := New(Options{Open: func(context.Context) (Backend, error) { return backendOf(e), nil }, Kinds: kinds, MaxConcurrent: 64})
	b.Cleanup(func() {
		_ = s.Close(context.Background())
		_ = e.Shutdown(context.Background())
		_ = st.Close()
	})
	return &benched{Server: s.mcp, serve: s.ServeStdio, http: s.http.Handler(), store: st}
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
	mux.Handle("/mcp", httpd.Streamable(s, httpd.DefaultTimeouts.Session))
	return &benched{Server: s, serve: serve, http: mux}
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
	session := greet(b, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, "")
	b.Cleanup(func() { _ = toServer.Close(); _ = fromServer.Close(); <-done })
	return session
}

func overHTTP(version string) func(*testing.B, *benched) *mcp.ClientSession {
	return func(b *testing.B, s *benched) *mcp.ClientSession {
		site := httptest.NewServer(s.http)
		b.Cleanup(func() { site.CloseClientConnections(); site.Close() })
		return greet(b, &mcp.StreamableClientTransport{Endpoint: site.URL + "/mcp"}, version)
	}
}

// legacy is the last version with sessions.
const legacy = "2025-11-25"

func greet(b *testing.B, wire mcp.Transport, version string) *mcp.ClientSession {
	o := &mcp.ClientSessionOptions{ProtocolVersion: version}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).Connect(b.Context(), wire, o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close() })
	return session
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
