package bulk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/fileio"
	"understudy/internal/operations"
	"understudy/internal/words"
	"understudy/steps"
)

// Folder is the folder that keeps plans, which need not exist yet.
type Folder string

// A Caller is the client of an operation, with its rights.
type Caller struct {
	Name  string
	Owner string // the credential that owns its plans; empty: the person at the machine
	All   bool   // it may see the plans of others
	Runs  Access
	Do    Doer
	// Later continues something after the operation has returned; nil: the operation waits.
	Later func(func(ctx context.Context))
	Log   func(p Plan, err error) // is told of what failed later
}

// A PlanOperation is something that can be done with plans.
type PlanOperation = operations.Operation[Folder, Caller]

// Operations returns all operations on plans.
func Operations() []PlanOperation {
	return []PlanOperation{
		operations.New(operations.Declaration{
			Command: "make", Tool: "plan_runs",
			Summary: "Plan to resume, stop, fork or remove all runs for which an expression holds. Nothing happens to them yet: carry_out does it.",
		}, makePlan),
		operations.New(operations.Declaration{
			Command: "do", Tool: "carry_out", Idempotent: true, Destructive: true,
			Summary: "Do what a plan says with its runs, a few at a time.",
			Details: "A plan that was cut short goes on where it ended, and nothing is done twice. A run\nto which something else happened since the plan was made is left alone.",
		}, carryOutPlan),
		operations.New(operations.Declaration{
			Command: "show", Tool: "show_plan", Reads: true,
			Summary: "Show a plan, and how far it is.",
		}, showPlan),
	}
}

type makeArgs struct {
	Act    string `json:"act" arg:"ACT" jsonschema:"resume, stop, fork or rm"`
	Where  string `json:"where" flag:"where" jsonschema:"an expression over status, workflow, labels, started, step, code, blocker, outcome, schedule, client and others, such as status == 'failed' && started > 'yesterday'"`
	From   string `json:"from,omitempty" jsonschema:"the id of the step at which the runs continue, for a fork always"`
	AtOnce int    `json:"at_once,omitempty" flag:"at-once" jsonschema:"how many runs are under way at a time (default 4)"`
}

func makePlan(ctx context.Context, in Folder, c Caller, a *makeArgs) (operations.Result, error) {
	p, err := Make(ctx, in, c, Plan{Act: Act(a.Act), Where: a.Where, From: a.From, AtOnce: a.AtOnce})
	if err != nil {
		return operations.Result{}, err
	}
	out, err := in.progressOf(ctx, c, p)
	return operations.Result{Value: out, Text: p.Text()}, err
}

// Make completes a plan that has its act and which runs it is about, and keeps it.
func Make(ctx context.Context, in Folder, c Caller, p Plan) (Plan, error) {
	if known := []Act{Resume, Stop, Fork, Remove}; !slices.Contains(known, p.Act) {
		return p, steps.Errorf(steps.Invalid, "act %q: wanted resume, stop, fork or rm", p.Act)
	}
	if p.AtOnce < 0 || p.AtOnce > mostAtOnce {
		return p, steps.Errorf(steps.Invalid, "at_once is %d: wanted 1 to %d", p.AtOnce, mostAtOnce)
	}
	runs, err := c.Runs(ctx)
	if err != nil {
		return p, err
	}
	p.By, p.Owner, p.Where = c.Name, c.Owner, strings.TrimSpace(p.Where)
	p, err = draw(ctx, runs, p)
	if err == nil {
		err = in.keep(p)
	}
	return p, err
}

// Text shows a plan before it is carried out.
func (p Plan) Text() string {
	lines := []string{"RUN\tWORKFLOW\tWHAT"}
	for _, i := range p.Items {
		what := string(p.Act)
		if i.From != "" {
			what += " at " + cell(i.From)
		}
		if i.Again > 0 {
			what += fmt.Sprintf(", %s again", count(i.Again, "act"))
		}
		lines = append(lines, strings.Join([]string{i.Run, cell(i.Workflow), what}, "\t"))
	}
	for _, l := range p.Left {
		lines = append(lines, strings.Join([]string{l.Run, cell(l.Workflow), "left out: " + cell(l.Why)}, "\t"))
	}
	return operations.Table(lines) + "\nplan " + p.ID + ": " + p.Summary()
}

const widest = 100

func cell(text string) string {
	if text == "" {
		return "-"
	}
	return words.Shorten(words.Line(strings.ReplaceAll(text, "\t", " ")), widest)
}

type planArgs struct {
	Plan string `json:"plan" arg:"PLAN" jsonschema:"the id of a plan"`
}

func carryOutPlan(ctx context.Context, in Folder, c Caller, a *planArgs) (operations.Result, error) {
	return CarryOut(ctx, in, c, a.Plan)
}

// briefly is how long CarryOut waits for a plan that goes on after it has returned.
const briefly = time.Second

// CarryOut does what a plan says that was not done yet.
func CarryOut(ctx context.Context, in Folder, c Caller, plan string) (operations.Result, error) {
	p, err := in.read(c, plan)
	if err != nil {
		return operations.Result{}, err
	}
	if c.Later == nil {
		err = in.carryOut(ctx, c, p)
		out, unread := in.progressOf(context.WithoutCancel(ctx), c, p)
		out.Problem = "" // the error says it
		return operations.Result{Value: out, Text: out.text()}, errors.Join(err, unread)
	}
	ended, over := make(chan struct{}), false
	c.Later(func(ctx context.Context) {
		defer close(ended)
		c.Log(p, in.carryOut(ctx, c, p))
	})
	select { // what is refused is refused at once, and the answer says so
	case <-ended:
		over = true
	case <-time.After(briefly):
	case <-ctx.Done():
	}
	out, err := in.progressOf(ctx, c, p)
	text := out.text()
	if !over {
		text = "under way: " + p.Summary() + "; show_plan tells how far it is"
	}
	return operations.Result{Value: out, Text: text}, err
}

// mostProblem bounds what is kept of a plan that failed.
const mostProblem = 2000

// carryOut does what is left of a plan, and keeps what failed for those who look at it.
func (in Folder) carryOut(ctx context.Context, c Caller, p Plan) error {
	err := p.carryOut(ctx, c.Runs, c.Do)
	if err == nil {
		_ = os.Remove(in.problemPath(p.ID)) // usually there is none
		return nil
	}
	return errors.Join(err, fileio.Write(in.problemPath(p.ID), []byte(words.Shorten(err.Error(), mostProblem)), 0o600))
}

func (in Folder) problemPath(id string) string { return filepath.Join(string(in), id+".problem") }

func showPlan(ctx context.Context, in Folder, c Caller, a *planArgs) (operations.Result, error) {
	p, err := in.read(c, a.Plan)
	if err != nil {
		return operations.Result{}, err
	}
	out, err := in.progressOf(ctx, c, p)
	return operations.Result{Value: out, Text: p.Text() + "\n" + out.text()}, err
}

// Progress is a plan and how far it is.
type Progress struct {
	Plan
	Summary string                `json:"summary"`
	Count   map[ItemState]int     `json:"count"`
	Ended   map[engine.Status]int `json:"ended"`             // of the runs that were done
	Problem string                `json:"problem,omitempty"` // what failed when it was last carried out
}

func (in Folder) progressOf(ctx context.Context, c Caller, p Plan) (Progress, error) {
	out := Progress{Plan: p, Summary: p.Summary(), Count: map[ItemState]int{}, Ended: map[engine.Status]int{}}
	problem, err := os.ReadFile(in.problemPath(p.ID))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, err
	}
	out.Problem = string(problem)
	runs, err := c.Runs(ctx)
	if err != nil {
		return out, err
	}
	out.Items = slices.Clone(p.Items)
	for n, i := range p.Items {
		state, h, err := p.state(ctx, runs, i)
		if err != nil {
			state = Open
		}
		out.Items[n].State = state
		out.Count[state]++
		if state == Done && h.Status != "" {
			out.Ended[h.Status]++
		}
	}
	return out, nil
}

func (p Progress) text() string {
	parts := []string{fmt.Sprintf("plan %s: %d of %d done", p.ID, p.Count[Done], len(p.Items))}
	for _, s := range engine.Statuses() {
		if n := p.Ended[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	for _, s := range []ItemState{Begun, Open, Changed} {
		if n := p.Count[s]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, s))
		}
	}
	text := strings.Join(parts, ", ")
	if changed := p.changed(); len(changed) > 0 {
		text += "\nleft alone, because they changed since: " + strings.Join(changed, ", ")
	}
	if p.Problem != "" {
		text += "\n" + p.Problem
	}
	return text
}

// mostNamed bounds the runs that a text names.
const mostNamed = 20

// changed returns the runs to which something else happened since the plan was made.
func (p Progress) changed() (ids []string) {
	for _, i := range p.Items {
		switch {
		case i.State != Changed:
		case len(ids) == mostNamed:
			return append(ids, "…")
		default:
			ids = append(ids, i.Run)
		}
	}
	return ids
}

func (in Folder) path(id string) string { return filepath.Join(string(in), id+".json") }

// keep writes a plan durably, since a request with its keys may arrive before the machine
// fails.
func (in Folder) keep(p Plan) error {
	if in == "" {
		return steps.Errorf(steps.Unavailable, "this server keeps no plans")
	}
	raw, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return fileio.Write(in.path(p.ID), raw, 0o600)
}

// read returns a plan that the caller may see.
func (in Folder) read(c Caller, id string) (p Plan, err error) {
	missing := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("there is no plan %q", words.Shorten(id, 40)), Next: "make one"}
	if len(id) != len(engine.NewKey()) || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") != "" {
		return p, missing
	}
	raw, err := os.ReadFile(in.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return p, missing
	}
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err == nil && p.Owner != c.Owner && !c.All {
		return p, missing
	}
	return p, err
}

// List returns the ids of the plans, the newest first.
func (in Folder) List() (ids []string) {
	files, _ := filepath.Glob(in.path("*"))
	for _, f := range slices.Backward(files) {
		ids = append(ids, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	return ids
}
