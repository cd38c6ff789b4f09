package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/mcpserver/tasks"
)

// taskScenarios are those of the extension for tasks, which no set of requirements has.
var taskScenarios = []string{
	"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input",
	"tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications", "tasks-required-task-error", "tasks-mrtr-composition",
}

func TestAtLengthOfficialSuiteOfTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("the official suite is fetched by npm, which is not short")
	}
	run := installed(t)
	site := serve(t)
	for _, scenario := range taskScenarios {
		t.Run(scenario, func(t *testing.T) {
			out, err := run(t, "server", "--url", site+"/mcp", "--scenario", scenario)
			t.Logf("%s", tail(out, 12))
			if err != nil {
				t.Errorf("the suite is not content: %v\n%s", err, out)
			}
		})
	}
}

// shelf holds the tasks of the fixtures in memory.
type shelf struct {
	mu    sync.Mutex
	tasks map[string]*fixture
}

// fixture is a task of a fixture.
type fixture struct {
	tasks.Task
	asked  map[string]chan *mcp.ElicitResult
	cancel context.CancelFunc
}

func (s *shelf) find(id string) (*fixture, error) {
	if f := s.tasks[id]; f != nil {
		return f, nil
	}
	return nil, tasks.ErrNoTask
}

// begin makes a task of work, which may ask.
func (s *shelf) begin(work func(context.Context, *fixture) (*mcp.CallToolResult, error)) *mcp.CallToolResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	f := &fixture{asked: map[string]chan *mcp.ElicitResult{}, cancel: cancel, Task: tasks.Task{
		ID: fmt.Sprintf("fixture-%d", len(s.tasks)), Status: tasks.Working, Created: time.Now(), Updated: time.Now(), Poll: 100 * time.Millisecond,
	}}
	s.tasks[f.ID] = f
	go func() {
		res, err := work(ctx, f)
		s.mu.Lock()
		defer s.mu.Unlock()
		f.Requests, f.Updated = nil, time.Now()
		wire, isWire := errors.AsType[*jsonrpc.Error](err)
		switch {
		case ctx.Err() != nil:
			f.Status = tasks.Cancelled
		case isWire:
			f.Status, f.Error = tasks.Failed, wire
		case err != nil:
			f.Status, f.Result = tasks.Completed, failed("%v", err)
		default:
			f.Status, f.Result = tasks.Completed, res
		}
	}()
	return tasks.Handle(f.Task)
}

// ask puts a question into a task and waits for its answer.
func (s *shelf) ask(ctx context.Context, f *fixture, key string) error {
	s.mu.Lock()
	answer := make(chan *mcp.ElicitResult, 1)
	f.asked[key] = answer
	f.Requests, f.Status = maps.Clone(f.Requests), tasks.InputRequired
	if f.Requests == nil {
		f.Requests = mcp.InputRequestMap{}
	}
	f.Requests[key] = form(key+"?", object{"confirm": object{"type": "boolean"}}, "confirm")
	s.mu.Unlock()
	select {
	case <-answer:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) Task(_ context.Context, _ tasks.Request, id string) (tasks.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.find(id)
	if err != nil {
		return tasks.Task{}, err
	}
	return f.Task, nil
}

func (s *shelf) Update(_ context.Context, _ tasks.Request, id string, answers map[string]json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.find(id)
	if err != nil {
		return err
	}
	f.Requests = maps.Clone(f.Requests)
	for key, raw := range answers {
		var res mcp.ElicitResult
		if f.asked[key] == nil || json.Unmarshal(raw, &res) != nil || res.Action == "" {
			continue
		}
		f.asked[key] <- &res
		delete(f.asked, key)
		delete(f.Requests, key)
	}
	if len(f.Requests) == 0 && f.Status == tasks.InputRequired {
		f.Status = tasks.Working
	}
	return nil
}

func (s *shelf) Cancel(_ context.Context, _ tasks.Request, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.find(id)
	if err != nil {
		return err
	}
	f.cancel()
	if !f.Status.Ended() {
		f.Status, f.Requests = tasks.Cancelled, nil
	}
	return nil
}

func (s *shelf) Result(context.Context, tasks.Request, string) (*mcp.CallToolResult, error) {
	return nil, tasks.ErrNoTask
}

func (s *shelf) Lasts(string) bool { return false }

// addTasks adds the tools that the scenarios of tasks expect.
func addTasks(s *mcp.Server) error {
	all := &shelf{tasks: map[string]*fixture{}}
	if err := tasks.Add(s, all); err != nil {
		return err
	}
	add(s, "greet", nil, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("Hello, %s!", argument(req, "name")), nil
	})
	lasting := func(name string, required bool, work func(context.Context, *mcp.CallToolRequest, *fixture) (*mcp.CallToolResult, error)) {
		add(s, name, nil, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			switch {
			case tasks.Declared(req):
				return all.begin(func(ctx context.Context, f *fixture) (*mcp.CallToolResult, error) { return work(ctx, req, f) }), nil
			case required:
				return nil, tasks.ErrUndeclared()
			}
			return work(ctx, req, nil)
		})
	}
	lasting("slow_compute", false, func(ctx context.Context, req *mcp.CallToolRequest, _ *fixture) (*mcp.CallToolResult, error) {
		var args struct{ Seconds float64 }
		_ = json.Unmarshal(req.Params.Arguments, &args)
		select {
		case <-time.After(time.Duration(args.Seconds * float64(time.Second))):
			return said("computed"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	lasting("failing_job", true, func(context.Context, *mcp.CallToolRequest, *fixture) (*mcp.CallToolResult, error) {
		return nil, errors.New("this job always fails")
	})
	lasting("protocol_error_job", false, func(context.Context, *mcp.CallToolRequest, *fixture) (*mcp.CallToolResult, error) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "this job breaks the protocol"}
	})
	lasting("confirm_delete", false, func(ctx context.Context, _ *mcp.CallToolRequest, f *fixture) (*mcp.CallToolResult, error) {
		return said("deleted"), all.ask(ctx, f, "confirm")
	})
	lasting("multi_input", false, func(ctx context.Context, _ *mcp.CallToolRequest, f *fixture) (*mcp.CallToolResult, error) {
		other := make(chan error, 1)
		go func() { other <- all.ask(ctx, f, "second") }()
		return said("both"), errors.Join(all.ask(ctx, f, "first"), <-other)
	})
	add(s, "test_tool_with_task", nil, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name := accepted(req, "user_name")
		if name == nil {
			return wants("", mcp.InputRequestMap{"user_name": form("Your name?", object{"name": object{"type": "string"}}, "name")})
		}
		return all.begin(func(context.Context, *fixture) (*mcp.CallToolResult, error) {
			return said("Hello, %v!", name["name"]), nil
		}), nil
	})
	return nil
}
