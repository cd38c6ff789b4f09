package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/mcpserver/tasks"
	"understudy/steps"
	"understudy/workflows"
)

// A task is an attempt of a run, and its id names both: a run may be resumed, and a task
// that has ended never changes. All that is said of a task comes from the events of its
// run, so it is kept as long as the run, whatever becomes of client and server.

// usualTaskAfter is how long a call waits for its run before it is answered with a task: a
// client need not ask for the result of a run that is short.
const usualTaskAfter = 2 * time.Second

// How long a client waits before it asks for a task again: while its run works, and while
// a person thinks.
const (
	pollWorking = 2 * time.Second
	pollAsking  = 5 * time.Second
)

func taskID(h engine.Header) string { return fmt.Sprintf("%s.%d", h.ID, h.Attempt) }

// attemptIn returns the run and the attempt that the id of a task names.
func attemptIn(id string) (run string, attempt int, err error) {
	run, number, _ := strings.Cut(id, ".")
	if attempt, err = strconv.Atoi(number); err != nil || taskID(engine.Header{ID: run, Attempt: attempt}) != id {
		return "", 0, tasks.ErrNoTask
	}
	return run, attempt, nil
}

// takesTask reports whether the call may be answered with a task. A client of the
// extension that cannot ask questions may not: nobody would answer those of its run.
func (c *call) takesTask() bool {
	return c.req != nil && (tasks.Asked(c.req) || tasks.Declared(c.req) && c.askCall().Elicits())
}

// followAsTask begins a run and waits a moment for it. A run that takes longer, or asks
// something, becomes a task, which outlives the call and the client. A client of the
// experiment is always given the task that it asked for.
func (r *runner) followAsTask(ctx context.Context, c *call, b begin, answer show) (*reply, error) {
	runs, h, err := r.record(ctx, c, b)
	if err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeout(ctx, r.taskAfter)
	defer cancel()
	next, err := runs.Wait(timed, h.ID)
	switch {
	case err == nil && next.Status.Ended() && !tasks.Asked(c.req):
		r.inflight.forgetRun(h.ID)
		return answer(context.WithoutCancel(ctx), runs, next)
	case err == nil:
		h = next
	case ctx.Err() != nil:
		if h, err = r.abandon(ctx, c, runs, h, err); err != nil {
			return nil, err
		}
		return answer(context.WithoutCancel(ctx), runs, h)
	case timed.Err() == nil:
		return nil, err
	}
	r.outlive(runs, h.ID, r.http.ClaimSlot(headers(c.req)))
	a, err := engine.AttemptOf(context.WithoutCancel(ctx), runs, r.o.Kinds, h.ID, h.Attempt)
	if err != nil {
		return nil, err
	}
	return &reply{pending: tasks.Handle(r.stateOf(c, a))}, nil
}

// outlive lets a run continue after the end of its call and its client, until it comes to
// rest; then it releases the slot of the run.
func (r *runner) outlive(runs engine.Runs, id string, release func()) {
	rest := r.forgetAtRest(context.Background(), runs, id)
	r.inflight.orphaned.Go(func() {
		<-rest
		release()
	})
}

// stateOf returns the task of an attempt, without its result.
func (r *runner) stateOf(c *call, a engine.Attempt) tasks.Task {
	t := tasks.Task{ID: taskID(a.Header), Status: tasks.Completed, Created: a.Began, Updated: a.UpdatedAt, Poll: pollWorking}
	message := words.Say("run %s: %s%s", a.ID, stepCount(a.Executed, a.Total), moreThanOnce(a.Executed, a.Total))
	switch {
	case !a.Status.Ended() || a.Status == engine.Interrupted && a.Auto && !a.Past:
		t.Status = tasks.Working
		message += words.Say(", %s", a.Status)
	case a.Status == engine.Cancelled:
		t.Status = tasks.Cancelled
		if f := failureOfRun(a.Header); f != nil {
			message = f.text()
		}
	}
	if a.Status == engine.Waiting && a.Question != nil {
		t.Status, t.Poll = tasks.InputRequired, pollAsking
		message = words.Told(a.Question.Text)
		if q := r.asker.Open(c.askCall(), a.Header); q != nil {
			t.Requests = mcp.InputRequestMap{a.QuestionID(): q}
		} else { // this client cannot put it to a person
			message += "\nnext: " + nextOfQuestion(a.Header)
		}
	}
	t.Message = contentOf(message).Text
	return t
}

// runTasks are the tasks of the runs that a client may see.
type runTasks struct{ *Server }

// Lasts implements tasks.Source.
func (s runTasks) Lasts(name string) bool {
	t := s.tools.named[s.tools.ours(name)]
	return t != nil && t.lasts
}

// attempt returns the attempt of a task, as a call of a tool by the sender of a request
// may see it.
func (s runTasks) attempt(ctx context.Context, from tasks.Request, tool, id string) (*call, engine.Runs, engine.Attempt, error) {
	var a engine.Attempt
	run, number, err := attemptIn(id)
	if err != nil {
		return nil, nil, a, err
	}
	session, _ := from.GetSession().(*mcp.ServerSession)
	sender, _ := from.(serverRequest)
	req := &mcp.CallToolRequest{Session: session, Extra: sender.GetExtra(), Params: &mcp.CallToolParamsRaw{Name: tool, Meta: from.GetParams().GetMeta()}}
	c := &call{caller: s.clients.caller(req), req: req, tool: s.tools.named[tool]}
	if err := c.blockedError(c.May(c.tool.Tool)); err != nil {
		return nil, nil, a, err
	}
	runs, err := s.runsOf(ctx, c)
	if err == nil {
		a, err = engine.AttemptOf(ctx, runs, s.o.Kinds, run, number)
	}
	a.Attempt = number
	return c, runs, a, taskError(err)
}

// taskError returns the protocol error for an error. A task that does not exist and one
// that the sender may not see look alike.
func taskError(err error) error {
	_, wire := errors.AsType[*jsonrpc.Error](err)
	switch {
	case err == nil, wire:
		return err
	case steps.CodeOf(err) == steps.NotFound:
		return tasks.ErrNoTask
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: contentOf(failureOf(err).text()).Text}
}

// Task implements tasks.Source.
func (s runTasks) Task(ctx context.Context, from tasks.Request, id string) (tasks.Task, error) {
	c, runs, a, err := s.attempt(ctx, from, "get_run", id)
	if err != nil {
		return tasks.Task{}, err
	}
	t := s.stateOf(c, a)
	if t.Status == tasks.Completed {
		t.Result, err = s.result(ctx, c, runs, a)
	}
	return t, taskError(err)
}

// result returns the result of the call that began an attempt, as it would have been sent.
func (s runTasks) result(ctx context.Context, c *call, runs engine.Runs, a engine.Attempt) (*mcp.CallToolResult, error) {
	v := workflows.Usual
	if a.Call == "" {
		p, err := compiledDocument(ctx, runs, a.Header, s.o.Kinds)
		if err != nil {
			return nil, err
		}
		v = p.Options.Verbosity
	}
	out, err := s.showAny(c, v)(ctx, runsAt{runs, a}, a.Header)
	if out, err = s.finish(ctx, c, out, err); err != nil {
		return nil, err
	}
	return s.sent(out), nil
}

// runsAt are runs of which one is reported as it was at the end of an attempt.
type runsAt struct {
	engine.Runs
	attempt engine.Attempt
}

// Report implements engine.Runs.
func (r runsAt) Report(ctx context.Context, _ string, p engine.Page) (engine.Report, error) {
	return r.attempt.Report(ctx, r.Runs, p)
}

// Update implements tasks.Source.
func (s runTasks) Update(ctx context.Context, from tasks.Request, id string, answers map[string]json.RawMessage) error {
	c, runs, a, err := s.attempt(ctx, from, "answer_run", id)
	if err != nil || a.Past || a.Status != engine.Waiting || a.Question == nil {
		return err
	}
	var res mcp.ElicitResult
	if json.Unmarshal(answers[a.QuestionID()], &res) != nil || res.Action == "" {
		return nil
	}
	if err := s.permitRun(ctx, c, a.ID); err != nil {
		return taskError(err)
	}
	if res.Action != "accept" { // else the client would be asked the same again
		_, err := runs.Stop(ctx, a.ID, engine.ByUser, "the question of the run was declined")
		return taskError(err)
	}
	if a.Question.Sort != engine.AskSecret {
		return s.give(ctx, c, runs, a, &res)
	}
	s.inflight.detached.Go(func() { // the person has opened the page, and may take long
		if err := s.give(s.inflight.life, c, runs, a, &res); err != nil {
			s.o.Log.Warn("a secret did not reach its run", "run", a.ID, "error", err)
		}
	})
	return nil
}

// give gives the answer to the question of a run, which then continues without a call.
func (s runTasks) give(ctx context.Context, c *call, runs engine.Runs, a engine.Attempt, res *mcp.ElicitResult) error {
	answer := s.asker.Answered(ctx, a.Header, res)
	if answer == nil {
		return nil
	}
	if _, err := s.answer(ctx, c, runs, a.ID, *answer); err != nil {
		return taskError(err)
	}
	s.outlive(runs, a.ID, func() {})
	s.changes.startWatching()
	return nil
}

// Cancel implements tasks.Source.
func (s runTasks) Cancel(ctx context.Context, from tasks.Request, id string) error {
	_, runs, a, err := s.attempt(ctx, from, "stop_execution", id)
	if err != nil || a.Past || a.Status.Ended() {
		return err
	}
	_, err = runs.Stop(ctx, a.ID, engine.ByUser, "the client cancelled the task")
	if steps.CodeOf(err) == steps.Invalid { // it has ended meanwhile
		return nil
	}
	return taskError(err)
}

// Result implements tasks.Source.
func (s runTasks) Result(ctx context.Context, from tasks.Request, id string) (*mcp.CallToolResult, error) {
	c, runs, a, err := s.attempt(ctx, from, "get_run", id)
	if err != nil {
		return nil, err
	}
	for !a.Past {
		if a.Header, err = runs.Wait(ctx, a.ID); err != nil {
			return nil, taskError(err)
		}
		ask := c.askCall()
		ask.Meta = tasks.Related(id)
		_, answered, err := s.askQuestion(ctx, c, ask, runs, &a.Header)
		if err != nil {
			return nil, taskError(err)
		}
		if !answered {
			break
		}
		s.outlive(runs, a.ID, func() {})
	}
	if _, _, a, err = s.attempt(ctx, from, "get_run", id); err != nil {
		return nil, err
	}
	res, err := s.result(ctx, c, runs, a)
	return res, taskError(err)
}
