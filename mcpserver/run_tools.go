package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// decision is the choice for a step that may have acted.
type decision string

// resumption is the choice for the step at which a run continues.
type resumption string

// runTools are the tools for runs.
type runTools struct{ *runner }

func (s runTools) tools() []*tool {
	of := func(name, summary string, t tool) tool {
		t.Name, t.summary = name, summary
		t.Toolset, t.Risk = steps.Runs, steps.Normal
		t.result = cmp.Or(t.result, runSchema())
		return t
	}
	return []*tool{
		define(of("get_run", "What a run did, step by step.", tool{Tool: access.Tool{Reads: true}, app: true}), onRuns(s.runner, s.get)),
		define(of("list_runs", "List runs, the newest first.", tool{Tool: access.Tool{Reads: true}, result: listOf("runs")}), onRuns(s.runner, s.list)),
		define(of("resume_run", "Continue a run that failed, was stopped or waits for an answer, without repeating what succeeded.",
			tool{Tool: access.Tool{Always: true}, acts: true, lasts: true, app: true, destructive: true, openWorld: true}), s.resume),
		define(of("answer_run", "Give a waiting run the answer or the choice that it waits for.",
			tool{Tool: access.Tool{Always: true}, lasts: true, destructive: true, openWorld: true, unlisted: true}), s.answerRun),
		define(of("stop_execution", "Stop one run, or all your own. What was done stays; it can be resumed.",
			tool{Tool: access.Tool{Always: true}, idempotent: true, result: listOf("stopped")}), onRuns(s.runner, s.stop)),
		define(of("take_over", "Pause a run and hold its desktop for a person, so that nothing else acts there. Call it again within a minute to keep it.",
			tool{destructive: true, idempotent: true, unlisted: true}), onRuns(s.runner, s.takeOver)),
		define(of("hand_back", "Give back the desktop of a run that was taken over. resume_run then continues the run.",
			tool{unlisted: true}), onRuns(s.runner, s.handBack)),
	}
}

// onRuns makes a tool that is given the runs which its caller may see and change.
func onRuns[A any](r *runner, do func(ctx context.Context, c *call, runs engine.Runs, a A) (*reply, error)) func(context.Context, *call, A) (*reply, error) {
	return func(ctx context.Context, c *call, a A) (*reply, error) {
		runs, err := r.runsOf(ctx, c)
		if err != nil {
			return nil, err
		}
		return do(ctx, c, runs, a)
	}
}

type getRunArgs struct {
	RunID       string              `json:"run_id"`
	WaitMS      int                 `json:"wait_ms,omitempty" jsonschema:"at most 60000"`
	Verbosity   workflows.Verbosity `json:"verbosity,omitempty"`
	StepsOffset int                 `json:"steps_offset,omitempty" jsonschema:"first step to list, from 0"`
	StepsLimit  int                 `json:"steps_limit,omitempty" jsonschema:"how many steps to list"`
	Image       bool                `json:"include_image,omitempty"`
}

// longPoll bounds the wait of get_run: many clients time out after a minute.
const longPoll = time.Minute

func (s runTools) get(ctx context.Context, c *call, runs engine.Runs, a getRunArgs) (*reply, error) {
	h, err := runs.Get(ctx, a.RunID)
	if err != nil {
		return nil, err
	}
	if wait := min(time.Duration(a.WaitMS)*time.Millisecond, longPoll); wait > 0 && !atRest(h.Status) {
		if h, err = s.poll(ctx, c, runs, h, wait); err != nil {
			return nil, err
		}
	}
	r, err := runs.Report(ctx, a.RunID, engine.Page{Offset: a.StepsOffset, Limit: a.StepsLimit})
	if err != nil {
		return nil, err
	}
	v := cmp.Or(a.Verbosity, workflows.Usual)
	f := failureOfRun(h)
	out := &reply{value: viewOf(r, f, v), text: runText(r) + stepsText(ctx, s.o.Kinds, runs, r, v)}
	if f != nil {
		out.text += "\n" + f.text()
	}
	if a.Image {
		err = out.lastPicture(ctx, runs, r)
	}
	return out, err
}

// poll waits for a run, up to a limit.
func (s runTools) poll(ctx context.Context, c *call, runs engine.Runs, h engine.Header, wait time.Duration) (engine.Header, error) {
	p := s.startProgress(ctx, c, h)
	defer p.end()
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	next, err := awaitRest(timed, runs, h, p)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return runs.Get(ctx, h.ID)
	}
	return next, err
}

type listRunsArgs struct {
	Status   engine.Status `json:"status,omitempty"`
	Workflow string        `json:"workflow,omitempty"`
	Calls    bool          `json:"calls,omitempty" jsonschema:"also single calls"`
	Before   string        `json:"before,omitempty" jsonschema:"a run"`
	Limit    int           `json:"limit,omitempty" jsonschema:"default 20"`
}

// runLine is a run in a list.
type runLine struct {
	RunID     string        `json:"run_id"`
	Workflow  string        `json:"workflow"`
	Status    engine.Status `json:"status"`
	StartedAt time.Time     `json:"started_at"`
	Executed  int           `json:"executed"`
	Total     int           `json:"total"`
	Error     string        `json:"error,omitempty"`

	Outcome engine.RunOutcome `json:"outcome,omitempty"`
}

func lineOf(h engine.Header) runLine {
	l := runLine{RunID: h.ID, Workflow: h.Workflow, Status: h.Status, StartedAt: h.StartedAt, Executed: h.Executed, Total: h.Total, Outcome: h.Conclusion().Outcome}
	if h.Error != nil {
		l.Error = string(h.Error.Code)
	}
	return l
}

func linesOf(list []engine.Header) []runLine {
	lines := []runLine{}
	for _, h := range list {
		lines = append(lines, lineOf(h))
	}
	return lines
}

func (l runLine) text() words.Marked {
	name := words.Marked("(no name)")
	if l.Workflow != "" {
		name = words.Quoted(l.Workflow)
	}
	at := l.StartedAt.Local()
	text := words.Say("%s %s %s, %s%s, started %s %s", l.RunID, name, l.Status, stepCount(l.Executed, l.Total), moreThanOnce(l.Executed, l.Total), at.Format(time.DateOnly), at.Format(time.TimeOnly))
	if l.Error != "" {
		text += words.Say(", %s", l.Error)
	}
	if l.Outcome != "" {
		text += words.Say("; %s", string(l.Outcome))
	}
	return text
}

func (s runTools) list(ctx context.Context, _ *call, runs engine.Runs, a listRunsArgs) (*reply, error) {
	q := engine.Query{Workflow: a.Workflow, Calls: a.Calls, Before: a.Before, Limit: a.Limit}
	if q.Limit <= 0 {
		q.Limit = 20
	}
	if a.Status != "" {
		q.Status = []engine.Status{a.Status}
	}
	list, err := runs.List(ctx, q)
	if err != nil {
		return nil, err
	}
	lines, text := linesOf(list), []words.Marked{}
	for _, l := range lines {
		text = append(text, l.text())
	}
	if len(text) == 0 {
		text = []words.Marked{"no runs"}
		if !a.Calls {
			text[0] += "; with calls: true single calls of tools are listed too"
		}
	}
	return &reply{value: map[string]any{"runs": lines}, text: words.Join(text, "\n")}, nil
}

type resumeArgs struct {
	RunID    string              `json:"run_id"`
	From     string              `json:"from,omitempty" jsonschema:"default the step that failed"`
	Inputs   map[string]any      `json:"inputs,omitempty"`
	Answer   any                 `json:"answer,omitempty" jsonschema:"to its question"`
	Decision resumption          `json:"decision,omitempty" jsonschema:"for a step that may already have acted; done: it was completed by hand"`
	Workflow map[string]any      `json:"workflow,omitempty" jsonschema:"the whole document, corrected"`
	Wait     *bool               `json:"wait,omitempty"`
	Queue    bool                `json:"queue,omitempty"`
	Verbose  workflows.Verbosity `json:"verbosity,omitempty"`
	Image    bool                `json:"include_image,omitempty"`
}

func (s runTools) resume(ctx context.Context, c *call, a resumeArgs) (*reply, error) {
	answers := a.Answer != nil
	if a.Decision != "" {
		runs, h, err := s.runOf(ctx, c, a.RunID)
		if err != nil {
			return nil, err
		}
		answers = answers || a.Decision != engine.DoneByHand && h.Status == engine.Waiting && h.Question != nil
		if !answers {
			err = decidable(ctx, runs, h, &a)
		}
		if err != nil {
			return nil, err
		}
	}
	if answers {
		if err := c.blockedError(c.May(access.Tool{Name: "answer_run", Always: true})); err != nil {
			return nil, err
		}
		return s.answerRun(ctx, c, answerArgs{a.RunID, a.Answer, decision(a.Decision), a.Wait, a.Verbose, a.Image})
	}
	changed, err := s.packChanged(ctx, c, a)
	if err != nil {
		return nil, err
	}
	if err := s.withoutSecrets(ctx, c, a, changed); err != nil {
		return nil, err
	}
	return s.continueRun(ctx, c, a.RunID, a.Wait, a.Verbose, func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		r := s.resumeRequest(c, engine.ResumeRequest{From: a.From, Inputs: a.Inputs, Secrets: c.typed.Secrets, Decision: string(a.Decision), Bundle: changed, Queue: a.Queue})
		if c.typed.Fork {
			return runs.Fork(ctx, a.RunID, a.From, r)
		}
		return runs.Resume(ctx, a.RunID, r)
	})
}

// decidable returns an error if a run would do a step that the decision leaves out. The
// engine takes a decision only for the step at which the run stands, and skips only one
// that may have acted.
func decidable(ctx context.Context, runs engine.Runs, h engine.Header, a *resumeArgs) error {
	if a.From == h.ResumeFrom {
		a.From = ""
	}
	switch {
	case a.Decision == engine.Redo:
	case a.From != "":
		return steps.Errorf(steps.Invalid, "the run stopped at step %s, which decision is about, and from names step %s", h.ResumeFrom, a.From).
			WithNext("omit from or decision")
	case a.Decision == engine.SkipStep:
		p, err := runs.Plan(ctx, h.ID, engine.ResumeRequest{})
		if err == nil && !p.Doubt {
			err = steps.Errorf(steps.Invalid, "step %s has not acted, so it is not in doubt and would be executed", p.From).
				WithNext(`name the step after it in "from", or set "decision": "done" if a person did it`)
		}
		return err
	}
	return nil
}

// withoutSecrets refuses inputs that contain a secret: it would have passed through the
// client and its model. The run itself asks for missing secrets.
func (s runTools) withoutSecrets(ctx context.Context, c *call, a resumeArgs, changed *engine.Bundle) error {
	if len(a.Inputs) == 0 {
		return nil
	}
	runs, h, err := s.runOf(ctx, c, a.RunID)
	if err != nil || h.Call != "" {
		return err
	}
	var p *workflows.Program
	if changed != nil {
		p, err = changed.Compile(s.o.Kinds)
	} else {
		p, err = compiledDocument(ctx, runs, h, s.o.Kinds)
	}
	if err != nil {
		return err
	}
	var names []string
	for _, v := range p.Variables {
		if _, given := a.Inputs[v.Name]; given && v.Secret {
			names = append(names, v.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return steps.Errorf(steps.Invalid, "inputs hold a secret (%s), and secrets are given by the person, not through a client", strings.Join(names, ", ")).
		WithNext(fmt.Sprintf("resume_run {\"run_id\": %q} without it asks the person on a page of this machine; or %s", h.ID, secretCommand(h.ID, names)))
}

// packChanged returns the document that replaces that of the run, or nil.
func (s runTools) packChanged(ctx context.Context, c *call, a resumeArgs) (*engine.Bundle, error) {
	var bundle engine.Bundle
	var program *workflows.Program
	switch typed := c.typed; {
	case typed.Document != "":
		runs, h, err := s.runOf(ctx, c, a.RunID)
		if err != nil {
			return nil, err
		}
		if bundle, program, err = s.library.viewFor(c.Subject).Mended(ctx, runs, h, typed.Name, typed.Document); err != nil {
			return nil, err
		}
	case a.Workflow != nil:
		text, err := words.JSON(a.Workflow, "  ")
		if err != nil {
			return nil, err
		}
		if bundle, program, err = s.library.viewFor(c.Subject).pack(c.tool.Name, s.o.Dir, []byte(text)); err != nil {
			return nil, err
		}
	default:
		return nil, nil
	}
	return &bundle, c.blockedError(c.MayRun(program))
}

type answerArgs struct {
	RunID   string              `json:"run_id"`
	Value   any                 `json:"value,omitempty" jsonschema:"the answer to its question"`
	Choice  decision            `json:"choice,omitempty" jsonschema:"of a step that may have acted"`
	Wait    *bool               `json:"wait,omitempty"`
	Verbose workflows.Verbosity `json:"verbosity,omitempty"`
	Image   bool                `json:"include_image,omitempty"`
}

func (s runTools) answerRun(ctx context.Context, c *call, a answerArgs) (*reply, error) {
	return s.continueRun(ctx, c, a.RunID, a.Wait, a.Verbose, func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		return s.answer(ctx, c, runs, a.RunID, engine.Answer{Value: a.Value, Choice: string(a.Choice), Secrets: c.typed.Secrets})
	})
}

// continueRun continues a run, under the policy of the caller.
func (s runTools) continueRun(ctx context.Context, c *call, id string, wait *bool, v workflows.Verbosity, b begin) (*reply, error) {
	state, err := s.asker.ParseState(c.askCall())
	if err != nil {
		return nil, err
	}
	if state.Run != "" {
		return s.resumeAsked(ctx, c, state)
	}
	if err := s.permitRun(ctx, c, id); err != nil {
		return nil, err
	}
	return s.followOrDetach(ctx, c, wait, cmp.Or(v, workflows.Usual), b)
}

type takeoverArgs struct {
	RunID string `json:"run_id"`
}

func (s runTools) takeOver(ctx context.Context, c *call, runs engine.Runs, a takeoverArgs) (*reply, error) {
	if err := c.MayAll(s.o.Kinds, func(k steps.Kind) bool { return k.ByHand }).Denied(); err != nil {
		return nil, err
	}
	h, err := runs.TakeOver(ctx, a.RunID, engine.Takeover{By: c.name})
	return textReply(lineOf(h), words.Say("you have the desktop of run %s; hand_back gives it back", a.RunID), err)
}

func (s runTools) handBack(ctx context.Context, c *call, runs engine.Runs, a takeoverArgs) (*reply, error) {
	h, err := runs.HandBack(ctx, a.RunID, c.name)
	return textReply(lineOf(h), words.Say("the desktop of run %s is given back; resume_run continues the run", a.RunID), err)
}

type stopArgs struct {
	RunID  string `json:"run_id,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// owns reports whether a run belongs to this client: by its credential, or by its name
// where there are no credentials.
func (c caller) owns(h engine.Header) bool {
	if c.Owner != "" {
		return h.Owner == c.Owner
	}
	name, _, _ := strings.Cut(h.Client, "#")
	return name == c.name
}

func (s runTools) stop(ctx context.Context, c *call, runs engine.Runs, a stopArgs) (_ *reply, err error) {
	a.Reason = cmp.Or(a.Reason, "stopped by "+c.name)
	var stopped []engine.Header
	if a.RunID == "" {
		stopped, err = access.StopOwn(ctx, runs, c.owns, engine.ByUser, a.Reason)
	} else {
		var h engine.Header
		h, err = runs.Stop(ctx, a.RunID, engine.ByUser, a.Reason)
		stopped = []engine.Header{h}
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, h := range stopped {
		names = append(names, h.ID)
	}
	text := words.Marked("no run was under way")
	if len(names) > 0 {
		text = words.Say("stopped %s; resume_run continues a stopped run", words.List(names))
	}
	return &reply{value: map[string]any{"stopped": linesOf(stopped)}, text: text}, nil
}
