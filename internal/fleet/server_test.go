package fleet

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/schedules"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/steps/kinds"
)

// server is one of MCP and of pages, over the runs of the fleet.
type server struct {
	*stage
	url    string
	tokens *auth.Tokens
	end    func() // as when its process is ended

	schedules schedules.Store
}

// serve starts a server under a name, with the tokens of a file.
func (s *stage) serve(name string, tokens *auth.Tokens, adjust ...func(*mcpserver.Options)) *server {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	o := mcpserver.Options{Kinds: s.Kinds, Dir: s.t.TempDir(), Folder: s.t.TempDir(), Version: "test", Structured: true, Fleet: true, Server: name, Log: slog.New(slog.NewTextHandler(s.t.Output(), nil))}
	if tokens != nil {
		o.Gate = auth.New(auth.Options{Tokens: tokens, Log: o.Log})
	}
	var m *mcpserver.Server
	o.Open = func(context.Context) (mcpserver.Backend, error) {
		c, err := NewClient(ctx, s.store("client"), s.Kinds)
		if err == nil {
			err = c.Serve(ctx, name, m.AllowFor)
		}
		return mcpserver.Backend{Runs: c, WhileHeld: c.WhileHeld, Live: c.Live, Forget: c.Forget}, err
	}
	o.Schedules = &Schedules{Client: func(ctx context.Context) (*Client, error) {
		runs, err := m.Runs(ctx)
		c, _ := runs.(*Client)
		return c, err
	}}
	for _, f := range adjust {
		f(&o)
	}
	m = mcpserver.New(o)
	if _, err := m.Runs(ctx); err != nil {
		s.t.Fatal(err)
	}
	m.RunSchedules()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- m.ServeHTTP(serving, l) }()
	out := &server{stage: s, url: "http://" + l.Addr().String(), tokens: tokens, schedules: o.Schedules}
	out.end = func() {
		stop()
		if err := <-served; err != nil {
			s.t.Errorf("server %s: %v", name, err)
		}
		served <- nil
		cancel()
	}
	s.t.Cleanup(out.end)
	return out
}

// client is one of MCP, with a new token where the server asks for one.
func (s *server) client(x auth.Token) byhand.Visitor {
	s.t.Helper()
	v := byhand.Visitor{Version: byhand.Modern, Address: s.url + "/mcp"}
	if s.tokens != nil {
		token, err := s.tokens.Add(x)
		if err != nil {
			s.t.Fatal(err)
		}
		v.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	return v.Greet(s.t)
}

func (s *stage) newTokens() *auth.Tokens {
	return auth.NewTokens(filepath.Join(s.t.TempDir(), "tokens.json"))
}

var aHoldAndAnAct = byhand.Object{"queue": true, "steps": []any{
	byhand.Object{"id": "a", "tool_name": "act", "arguments": byhand.Object{"name": "a"}},
	byhand.Object{"id": "h", "tool_name": "hold", "arguments": byhand.Object{"name": "go"}},
	byhand.Object{"id": "b", "tool_name": "act", "arguments": byhand.Object{"name": "b"}},
}}

func with(args byhand.Object, key string, value any) byhand.Object {
	out := byhand.Object{key: value}
	maps.Copy(out, args)
	return out
}

// began is the run that a client begins without waiting for it.
func (s *server) began(v byhand.Visitor, args byhand.Object) string {
	s.t.Helper()
	_, res := v.Call(s.t, "execute_sequence", with(args, "wait", false))
	run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	if run == "" {
		s.t.Fatalf("nothing was begun: %v", res)
	}
	return run
}

// TestAServerOfAFleet has clients of MCP whose runs a worker executes, each with what
// is its own.
func TestAServerOfAFleet(t *testing.T) {
	s := newStage(t)
	defer s.work("w", "app=sap")()
	srv := s.serve("srv", s.newTokens())
	ann := srv.client(auth.Token{Name: "ann", Mode: auth.Act, Runs: auth.OwnRuns})
	bob := srv.client(auth.Token{Name: "bob", Mode: auth.Act, Runs: auth.OwnRuns})
	looker := srv.client(auth.Token{Name: "looker", Mode: auth.Ask, Runs: auth.OwnRuns})

	_, list := ann.Ask(t, "tools/list", byhand.Object{})
	if text := fmt.Sprint(list); strings.Contains(text, "name:act ") || !strings.Contains(text, "execute_sequence") || !strings.Contains(text, "needs") {
		t.Errorf("the tools are %s", text)
	}
	if _, res := looker.Call(t, "execute_sequence", aHoldAndAnAct); res["error"] == nil {
		t.Errorf("who may only look acts: %v", res)
	}
	run := srv.began(ann, with(aHoldAndAnAct, "needs", []string{"app=sap"}))
	s.until(run, "a w")
	for who, v := range map[string]byhand.Visitor{"bob": bob, "looker": looker} {
		if _, res := v.Call(t, "list_runs", byhand.Object{}); strings.Contains(fmt.Sprint(res), run) {
			t.Errorf("%s sees the run of another: %v", who, res)
		}
		for _, tool := range []string{"get_run", "stop_execution", "resume_run"} {
			if _, res := v.Call(t, tool, byhand.Object{"run_id": run}); byhand.Dig(res, "result", "_meta", "understudy/error", "code") != "not_found" && !strings.Contains(fmt.Sprint(res), "no such run") {
				t.Errorf("%s: %s of the run of another: %v", who, tool, res)
			}
		}
	}
	if _, res := ann.Call(t, "list_runs", byhand.Object{"status": "running"}); !strings.Contains(fmt.Sprint(res), run) {
		t.Errorf("who began the run does not see it: %v", res)
	}
	s.letGo("go")
	_, res := ann.Call(t, "get_run", byhand.Object{"run_id": run, "wait_ms": 60000})
	if byhand.Dig(res, "result", "structuredContent", "status") != "succeeded" || s.did(run) != "a w, b w" {
		t.Errorf("the run did %q: %v", s.did(run), res)
	}
	for header, page := range map[string]int{ann.Header.Get("Authorization"): 1, bob.Header.Get("Authorization"): 0} {
		if n := strings.Count(srv.page("/runs", header), run); min(n, 1) != page {
			t.Errorf("the list of runs has it %d times", n)
		}
	}
}

func (s *server) page(path, authorization string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

// TestProgressOfARunOfAFleet holds that who waits for a call hears of each step.
func TestProgressOfARunOfAFleet(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	srv := s.serve("srv", nil)
	v := srv.client(auth.Token{})
	method, params := byhand.Calling("execute_sequence", aHoldAndAnAct)
	params["_meta"] = byhand.Object{"progressToken": "p"}
	s.letGo("go")
	res, err := v.Send(t.Context(), 7, method, params)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(raw); !strings.Contains(text, "notifications/progress") || !strings.Contains(text, " act") || !strings.Contains(text, "succeeded") {
		t.Errorf("the client heard %s", text)
	}
}

// TestRightsThatAreTakenBackAreLostAtTheNextStep holds the same of a fleet as of one
// machine, also when the server was started again meanwhile.
func TestRightsThatAreTakenBackAreLostAtTheNextStep(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("server started again: %t", again), func(t *testing.T) {
			s := newStage(t)
			defer s.work("w")()
			tokens := s.newTokens()
			srv := s.serve("srv", tokens)
			ann := srv.client(auth.Token{Name: "ann", Mode: auth.Act})
			run := srv.began(ann, aHoldAndAnAct)
			s.until(run, "a w")
			if again {
				srv.end()
				s.serve("srv", tokens)
			}
			if err := tokens.Remove("ann"); err != nil {
				t.Fatal(err)
			}
			s.letGo("go")
			if h := s.rest(run); h.Status != engine.Failed || h.Error.Code != steps.Denied || s.did(run) != "a w" {
				t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(run))
			}
		})
	}
}

// TestARunOutlivesItsServer holds that a run goes on when its server is ended, with
// the rights that it had.
func TestARunOutlivesItsServer(t *testing.T) {
	for _, row := range []struct {
		sentence string
		tokens   bool // its client has one
		again    bool // the server is started again
		exclude  []string
		did      string
	}{
		{"of a person, whom nobody asked who it is", false, false, nil, "a w, b w"},
		{"of a person, to a server that allows less by now", false, true, []string{"act"}, "a w"},
		{"of a token, to a server that is started again", true, true, nil, "a w, b w"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			s := newStage(t)
			defer s.work("w")()
			var tokens *auth.Tokens
			if row.tokens {
				tokens = s.newTokens()
			}
			srv := s.serve("srv", tokens)
			v := srv.client(auth.Token{Name: "ann", Mode: auth.Act})
			method, params := byhand.Calling("execute_sequence", aHoldAndAnAct) // it waits
			go func() {
				if res, err := v.Send(context.WithoutCancel(t.Context()), 7, method, params); err == nil {
					_ = res.Body.Close()
				}
			}()
			var run string
			for late := scratch.Deadline(t); run == "" && time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
				if list, err := s.List(t.Context(), engine.Query{}); err == nil && len(list) > 0 {
					run = list[0].ID
				}
			}
			s.until(run, "a w")
			srv.end()
			if row.again {
				s.serve("srv", tokens, func(o *mcpserver.Options) { o.Policy = access.Policy{Exclude: row.exclude} })
			}
			s.letGo("go")
			if h := s.rest(run); s.did(run) != row.did {
				t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(run))
			}
		})
	}
}

// TestResumeUsesTheRightsOfTheCaller has a run of one go on for another, who may do less.
func TestResumeUsesTheRightsOfTheCaller(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	defer s.work("w")()
	tokens := s.newTokens()
	srv := s.serve("srv", tokens)
	ann := srv.client(auth.Token{Name: "ann", Mode: auth.Act})
	run := srv.began(ann, aHoldAndAnAct)
	s.until(run, "a w")
	if _, res := ann.Call(t, "stop_execution", byhand.Object{"run_id": run}); byhand.IsError(res) {
		t.Fatalf("stop: %v", res)
	}
	if h := s.rest(run); h.Status != engine.Cancelled {
		t.Fatalf("the run is %s", h.Status)
	}
	if err := tokens.Remove("ann"); err != nil {
		t.Fatal(err)
	}
	boss := srv.client(auth.Token{Name: "boss", Mode: auth.Act})
	s.letGo("go")
	if _, res := boss.Call(t, "resume_run", byhand.Object{"run_id": run}); byhand.IsError(res) || s.did(run) != "a w, b w" {
		t.Errorf("the run did %q: %v", s.did(run), res)
	}
	if h, err := s.Get(t.Context(), run); err != nil || h.Owner != "ann" || h.Attempt != 2 {
		t.Errorf("the run is of %q, in attempt %d, %v", h.Owner, h.Attempt, err)
	}
}
