package inbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/audit"
	"understudy/internal/operations"
	"understudy/internal/words"
	"understudy/steps"
)

// A Caller is the client of an operation, with its rights.
type Caller struct {
	Name  string
	Owner string
	// All means that it may read what others did.
	All bool
	// May returns an error if the caller may not change what belongs to an owner.
	// Nil means that it may change all.
	May func(e Need) error
}

// Open returns the sources of an operation, as far as its caller may see them.
type Open func(ctx context.Context) (Sources, error)

// Operations returns all operations on the inbox.
func Operations() []operations.Operation[Open, Caller] {
	return []operations.Operation[Open, Caller]{
		operations.New(operations.Declaration{
			Command: "ls", Tool: "inbox", Reads: true, Lists: "causes",
			Summary: "List what needs a person, by cause: runs that failed, wait, are paused or were cut short, desktops about to end, schedules that began no run.",
		}, list),
		operations.New(operations.Declaration{
			Command: "dismiss", Tool: "dismiss", Idempotent: true, Lists: "dismissed",
			Summary: "Dismiss entries of the inbox, with a reason that is kept with who gave it and when.",
			Details: "CAUSE is the id of a cause, for all its entries, or the id of one run. Nothing else\nhappens to a run, and it returns to the inbox when something new happens to it.",
		}, dismiss),
		operations.New(operations.Declaration{
			Command: "audit", Tool: "audit_trail", Reads: true, Lists: "acts",
			Summary: "List who did what: started, resumed, answered, took over, stopped, dismissed and removed runs, edited workflows, changed schedules and tokens.",
		}, listActs),
	}
}

type listArgs struct{}

func list(ctx context.Context, open Open, _ Caller, _ *listArgs) (operations.Result, error) {
	causes, err := causesOf(ctx, open)
	lines := []string{"CAUSE\tTROUBLE\tCOUNT\tNEWEST\tWORKFLOW\tSTEP\tCODE\tIN THE WAY\tTEXT"}
	for _, c := range causes {
		lines = append(lines, strings.Join([]string{
			c.ID, string(c.Trouble), fmt.Sprint(c.Count), c.Newest.Local().Format(time.DateTime),
			cell(c.Workflow), cell(c.Step), cell(c.Code), cell(c.Blocker), cell(c.Text),
		}, "\t"))
	}
	text := "nothing needs you"
	if len(causes) > 0 {
		text = operations.Table(lines)
	}
	return operations.Result{Value: causes, Text: text}, err
}

// widest is how wide a column of a list may be.
const widest = 80

func cell(text string) string {
	if text == "" {
		return "-"
	}
	return words.Shorten(words.Line(strings.ReplaceAll(text, "\t", " ")), widest)
}

func causesOf(ctx context.Context, open Open) ([]Cause, error) {
	s, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return s.Causes(ctx, time.Now())
}

type dismissArgs struct {
	Cause  string `json:"cause" arg:"CAUSE" jsonschema:"the id of a cause, or of one run"`
	Reason string `json:"reason" jsonschema:"why, for the record"`
}

func dismiss(ctx context.Context, open Open, c Caller, a *dismissArgs) (operations.Result, error) {
	if strings.TrimSpace(a.Reason) == "" {
		return operations.Result{}, steps.Errorf(steps.Invalid, "wanted a reason, which is kept with the dismissal")
	}
	s, err := open(ctx)
	if err != nil {
		return operations.Result{}, err
	}
	found, err := s.find(ctx, a.Cause)
	if err != nil {
		return operations.Result{}, err
	}
	for _, e := range found { // all or none
		if c.May == nil {
			continue
		}
		if err := c.May(e); err != nil {
			return operations.Result{}, err
		}
	}
	keys := []string{}
	for _, e := range found {
		act := audit.Act{By: c.Name, Owner: e.Owner, Verb: audit.Dismissed, Run: e.Run, Workflow: e.of.Workflow, Thing: e.Key, Detail: a.Reason}
		if err := s.Trail.Add(act); err != nil {
			return operations.Result{}, err
		}
		keys = append(keys, e.Key)
	}
	return operations.Result{Value: keys, Text: "dismissed " + strings.Join(keys, ", ")}, nil
}

// find returns the entries of a cause, or those of a run.
func (s Sources) find(ctx context.Context, name string) (found []Need, err error) {
	causes, err := s.Causes(ctx, time.Now())
	for _, c := range causes {
		for _, e := range c.Entries {
			if c.ID == name || e.Run != "" && e.Run == name {
				found = append(found, e)
			}
		}
	}
	if err == nil && len(found) == 0 {
		err = steps.Errorf(steps.NotFound, "nothing in the inbox has the cause or run %q", name).WithNext("list the inbox")
	}
	return found, err
}

type auditArgs struct {
	Run string `json:"run_id,omitempty" flag:"run" jsonschema:"only what was done with this run"`
	By  string `json:"by,omitempty" jsonschema:"only what this client or person did"`
}

func listActs(ctx context.Context, open Open, c Caller, a *auditArgs) (operations.Result, error) {
	s, err := open(ctx)
	if err != nil {
		return operations.Result{}, err
	}
	acts, err := s.Trail.Acts("", func(x audit.Act) bool {
		return (c.All || x.Owner == c.Owner) && (a.Run == "" || x.Run == a.Run) && (a.By == "" || x.By == a.By)
	})
	slices.Reverse(acts)
	lines := []string{"AT\tBY\tACT\tRUN\tOF\tDETAIL"}
	for _, x := range acts {
		lines = append(lines, strings.Join([]string{x.At.Local().Format(time.DateTime), cell(x.By), string(x.Verb), cell(x.Run), cell(cmp.Or(x.Workflow, x.Thing)), cell(x.Detail)}, "\t"))
	}
	return operations.Result{Value: acts, Text: operations.Table(lines)}, err
}
