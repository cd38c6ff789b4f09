// Package bulk does one thing with many runs: it makes a plan of what would happen to each
// of them, and carries the plan out, a few runs at a time.
//
// A plan is never changed. What was done already is read from the runs: each item has a
// key, with which the engine accepts a request once. So a plan that was cut short is
// carried out again from its beginning, and nothing is done twice; a run to which something
// else happened since is left alone.
package bulk

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
)

// Act is what is done with each run of a plan.
type Act string

// The acts.
const (
	Resume Act = "resume"
	Stop   Act = "stop"
	Fork   Act = "fork"
	Remove Act = "rm"
)

// A Plan says what happens to which runs.
type Plan struct {
	ID     string    `json:"plan"`
	Act    Act       `json:"act"`
	Where  string    `json:"where"`
	From   string    `json:"from,omitempty"` // the step at which the runs continue; empty: the one that did not succeed
	AtOnce int       `json:"at_once"`
	By     string    `json:"by"`
	Owner  string    `json:"owner,omitempty"`
	MadeAt time.Time `json:"made_at"`
	Items  []Item    `json:"runs"`
	Left   []Left    `json:"left_out"`
}

// An Item is a run with which something is done.
type Item struct {
	Run      string `json:"run_id"`
	Workflow string `json:"workflow,omitempty"`
	Seq      uint64 `json:"seq"` // number of events when the plan was made
	Attempt  int    `json:"attempt"`
	Key      string `json:"key"` // of the request
	From     string `json:"from,omitempty"`
	Again    int    `json:"acts_again,omitempty"` // steps that acted and would act again

	State ItemState `json:"state,omitempty"` // how far it is, as read from the runs; not stored
}

// Left is a run with which nothing is done.
type Left struct {
	Run      string `json:"run_id"`
	Workflow string `json:"workflow,omitempty"`
	Why      string `json:"why"`
}

// most bounds the runs of a plan.
const most = 10_000

// usualAtOnce is how many runs are under way at a time unless a plan says otherwise, and
// mostAtOnce how many it may say.
const usualAtOnce, mostAtOnce = 4, 100

// draw makes a plan of what would happen to the runs for which where holds.
func draw(ctx context.Context, runs engine.Runs, p Plan) (Plan, error) {
	if p.Where == "" {
		return p, steps.Errorf(steps.Invalid, "wanted an expression that says which runs").WithNext(`write something like status == "failed" && workflow == "invoice"`)
	}
	if p.Act == Fork && p.From == "" {
		return p, steps.Errorf(steps.Invalid, "a fork needs the step to begin at").WithNext("name it in from")
	}
	list, err := runs.List(ctx, engine.Query{Where: p.Where, Limit: most + 1})
	if err == nil && len(list) > most {
		err = steps.Errorf(steps.Invalid, "a plan has at most %d runs, and there are more", most).WithNext("narrow the expression")
	}
	if err != nil {
		return p, err
	}
	p.ID, p.MadeAt, p.AtOnce = engine.NewKey(), time.Now().UTC(), cmp.Or(p.AtOnce, usualAtOnce)
	p.Items, p.Left = []Item{}, []Left{}
	for _, h := range list {
		item := Item{Run: h.ID, Workflow: h.Workflow, Seq: h.Seq, Attempt: h.Attempt, Key: engine.NewKey()}
		if why := p.consider(ctx, runs, h, &item); why != "" {
			p.Left = append(p.Left, Left{h.ID, h.Workflow, words.Line(why)})
			continue
		}
		p.Items = append(p.Items, item)
	}
	return p, context.Cause(ctx)
}

// consider says why nothing would be done with a run, or fills in what would be.
func (p Plan) consider(ctx context.Context, runs engine.Runs, h engine.Header, item *Item) (why string) {
	under := h.Status == engine.Running || h.Status == engine.Queued
	switch {
	case p.Act == Stop && !under && h.Status != engine.Waiting && h.Status != engine.Paused:
		return "has ended: " + string(h.Status)
	case p.Act == Stop:
		return ""
	case under:
		return "is being executed"
	case p.Act == Remove && (h.Status == engine.Waiting || h.Status == engine.Paused):
		return "is not over: " + string(h.Status)
	case p.Act == Remove:
		return ""
	}
	return p.considerContinuing(ctx, runs, h, item)
}

// considerContinuing is consider for a run that would continue, or be forked.
func (p Plan) considerContinuing(ctx context.Context, runs engine.Runs, h engine.Header, item *Item) (why string) {
	plan, err := runs.Plan(ctx, h.ID, engine.ResumeRequest{From: p.From, Queue: true})
	switch {
	case err != nil:
		return err.Error()
	case p.Act == Resume && plan.Doubt && p.From == "":
		return fmt.Sprintf("is doubtful: step %s may have acted; decide about it alone", plan.From)
	case p.Act == Resume && plan.Gone != "" && p.From == "":
		return plan.Summary()
	}
	item.From = cmp.Or(p.From, plan.From)
	for _, s := range plan.Again {
		if s.Acts {
			item.Again++
		}
	}
	return ""
}

// Summary says in one sentence what would happen.
func (p Plan) Summary() string {
	acting, again := 0, 0
	for _, i := range p.Items {
		again += i.Again
		acting += min(i.Again, 1)
	}
	text := fmt.Sprintf("%s %s, %d at once", p.Act, count(len(p.Items), "run"), p.AtOnce)
	if again > 0 {
		text += fmt.Sprintf("; %s of %d of them act again", count(again, "step"), acting)
	}
	if len(p.Left) > 0 {
		text += fmt.Sprintf("; %d left out", len(p.Left))
	}
	return text
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
