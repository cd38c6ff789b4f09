package schedules

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/internal/words"
	"understudy/steps"
)

// A Caller is the client of an operation, with its rights and its server.
type Caller struct {
	Owner  string // the credential that owns its schedules; empty means the person at the machine
	Client string
	Rights json.RawMessage // kept with its schedules
	// May returns an error if the caller may not see a schedule, or change it. Nil
	// means that it may see and change all.
	May func(s Schedule, change bool) error
	// Check returns an error if the caller may not run a workflow with inputs, and
	// otherwise the converted inputs and the workflow.
	Check func(s Schedule, inputs map[string]any) (map[string]any, *engine.Bundle, error)
	// Folder opens the folder that a schedule watches, if the caller may use it; nil: it
	// may use every folder.
	Folder func(Schedule) (*os.Root, error)
	// Server is the server of a fleet that handles the call; empty means one machine.
	Server string
	// History returns the last runs of a schedule. It may be nil.
	History func(ctx context.Context, name string) ([]engine.Header, error)
	// OnDue is called when a run is due. It may be nil.
	OnDue func()
	// Changed is told of each change to a schedule, in words. It may be nil.
	Changed func(s Schedule, what string)
}

func (c Caller) changed(s Schedule, what string) {
	if c.Changed != nil {
		c.Changed(s, what)
	}
}

func (c Caller) may(s Schedule, change bool) error {
	if c.May == nil {
		return nil
	}
	return c.May(s, change)
}

func (c Caller) seeFiles(e *Entry) error {
	if c.Folder == nil {
		c.Folder = OpenFolder
	}
	return e.seeFiles(c.Folder)
}

// hasRoom returns an error if the schedules of a client would be too many or too large
// with a new one.
func (c Caller) hasRoom(ctx context.Context, on Store, s Schedule) error {
	if c.May == nil {
		return nil
	}
	most := mostBytes
	if c.Server != "" {
		most = mostWithFleet
	}
	all, err := on.List(ctx)
	if all == nil { // damaged ones do not count, but it must be known which there are
		return c.unread(err)
	}
	number, size := 1, s.size()
	for _, e := range all {
		if e.Owner == c.Owner && !e.OfPerson() {
			number, size = number+1, size+e.size()
		}
	}
	if number > mostSchedules || size > most {
		return steps.Errorf(steps.Denied, "with this one the schedules of a client would be %d, with %d bytes; wanted at most %d and %d", number, size, mostSchedules, most).
			WithNext("remove some that are not needed any more, or keep large inputs in files")
	}
	return nil
}

type (
	// An Operation is something that can be done with schedules.
	Operation = operations.Operation[Store, Caller]
	// Result is the result of an operation.
	Result = operations.Result
)

// Operations returns all operations on schedules.
func Operations() []Operation {
	return []Operation{
		operations.New(operations.Declaration{
			Command: "add", Tool: "add_schedule", Summary: "Run a saved workflow at times, when a webhook is called, or when a file arrives.",
			Details: "Give one of --cron, --hook and --files:\n\n" +
				"    understudy schedule add nightly report --cron '30 2 * * *' --zone Europe/Berlin\n" +
				"    understudy schedule add orders order --hook\n" +
				"    understudy schedule add scans read-scan --files '/srv/scans/*.pdf'\n\n" +
				"`understudy serve` begins the runs. In a fleet a schedule keeps its workflow as it is now,\n" +
				"and any server begins the runs; for files that is the one over this data folder.",
		}, add),
		operations.New(operations.Declaration{Command: "ls", Tool: "list_schedules", Summary: "List the schedules.", Reads: true, Lists: "schedules"}, list),
		operations.New(operations.Declaration{Command: "show", Tool: "show_schedule", Summary: "Show a schedule and its latest results.", Reads: true}, show),
		operations.New(operations.Declaration{Command: "rm", Tool: "remove_schedule", Summary: "Remove a schedule. Its runs stay.", Destructive: true}, remove),
		operations.New(operations.Declaration{Command: "pause", Tool: "pause_schedule", Summary: "Stop a schedule from starting runs, until it is resumed.", Idempotent: true}, pause),
		operations.New(operations.Declaration{Command: "resume", Tool: "resume_schedule", Summary: "Let a schedule start runs again, from now on.", Idempotent: true}, resume),
		operations.New(operations.Declaration{Command: "run", Tool: "run_schedule", Summary: "Start a run of a schedule now, whatever it waits for."}, run),
	}
}

type addArgs struct {
	Name     string            `json:"name" arg:"NEW" jsonschema:"the name of the new schedule"`
	Workflow string            `json:"workflow" arg:"WORKFLOW" jsonschema:"the name of a saved workflow"`
	Cron     string            `json:"cron,omitempty" jsonschema:"five fields: minute hour day month weekday, or @hourly, @daily, @weekly, @monthly"`
	Zone     string            `json:"zone,omitempty" jsonschema:"the time zone of cron, such as Europe/Berlin (default that of the machine)"`
	CatchUp  string            `json:"catch_up,omitempty" jsonschema:"which of the times missed while no server was running are caught up: none, last (the default) or all"`
	Jitter   operations.Period `json:"jitter,omitempty" jsonschema:"delay each start by up to this long, such as 5m"`
	Hook     bool              `json:"hook,omitempty" jsonschema:"run it when a program sends a signed message to /hooks/NAME"`
	Files    string            `json:"files,omitempty" jsonschema:"run it for each file that arrives, such as /srv/in/*.csv; its path is the input file"`
	Overlap  string            `json:"overlap,omitempty" jsonschema:"while a run of it is being executed: skip (the default of cron), queue or allow"`
	Label    []string          `json:"label,omitempty" jsonschema:"words by which its runs are found and limited, such as sap"`
	Needs    []string          `json:"needs,omitempty" jsonschema:"in a fleet: labels that the worker must have, such as app=sap"`
	Input    operations.Values `json:"input,omitempty" jsonschema:"inputs of the workflow"`
}

// added is the result of add. Only this result has the secret of a webhook.
type added struct {
	view
	Secret string `json:"secret,omitempty"`
}

func add(ctx context.Context, on Store, c Caller, a *addArgs) (Result, error) {
	now := time.Now().UTC()
	s := Schedule{
		Name: a.Name, Workflow: a.Workflow, Inputs: a.Input, Cron: strings.TrimSpace(a.Cron), Zone: a.Zone, CatchUp: CatchUp(a.CatchUp), Jitter: a.Jitter,
		Files: a.Files, Hook: a.Hook, Overlap: Overlap(a.Overlap), Labels: a.Label, Needs: a.Needs, Owner: c.Owner, Client: c.Client, Rights: c.Rights, MadeAt: now,
	}
	if err := s.check(); err != nil {
		return Result{}, err
	}
	switch {
	case c.Server == "" && len(s.Needs) > 0:
		return Result{}, steps.Errorf(steps.Invalid, "needs lists labels of the workers of a fleet, and this is a single machine")
	case s.Files != "" || s.Owner != "": // other servers have neither its folder nor its tokens
		s.Server = c.Server
	}
	if s.Hook {
		s.Secret = newSecret()
	}
	if err := s.accept(c); err != nil {
		return Result{}, err
	}
	e := &Entry{Schedule: s, State: State{Considered: now}}
	if err := c.seeFiles(e); err != nil {
		return Result{}, err
	}
	err := on.Change(ctx, s.Name, func(before *Entry) (*Entry, error) {
		if before != nil {
			return before, steps.Errorf(steps.Invalid, "the name %s is taken: remove that schedule first, or choose another", s.Name)
		}
		return e, c.hasRoom(ctx, on, s)
	})
	if err != nil {
		return Result{}, err
	}
	c.changed(s, fmt.Sprintf("added: %s runs %s", s.Workflow, e.When()))
	text := fmt.Sprintf("schedule %s: %s runs %s", s.Name, s.Workflow, e.When()) + nextAt(e, now)
	if s.Hook {
		text += "\nits secret, which is shown this once: " + s.Secret
	}
	return Result{Value: added{viewOf(*e, now), s.Secret}, Text: text + unserved(ctx, on)}, nil
}

// nextAt returns words about the next time, if there is one.
func nextAt(e *Entry, now time.Time) string {
	if next := e.Next(now); !next.IsZero() {
		return ", next at " + next.Format(time.RFC3339)
	}
	return ""
}

// accept converts and checks the inputs of a schedule that are known already.
func (s *Schedule) accept(c Caller) error {
	inputs := s.Inputs
	if s.Files != "" {
		inputs = map[string]any{fileInput: s.Files}
		maps.Copy(inputs, s.Inputs)
	}
	accepted, bundle, err := c.Check(*s, inputs)
	if err != nil {
		return err
	}
	if c.Server != "" {
		s.Bundle = bundle
	}
	if s.Files != "" {
		delete(accepted, fileInput)
	}
	s.Inputs = accepted
	return nil
}

// unserved returns words about a missing server, if there is none.
func unserved(ctx context.Context, on Store) string {
	if on.Served(ctx) {
		return ""
	}
	return "\nno server begins its runs now: understudy serve"
}

// view is a schedule as it is listed.
type view struct {
	Name     string         `json:"name"`
	Workflow string         `json:"workflow"`
	When     string         `json:"when"`
	Next     time.Time      `json:"next,omitzero"`
	Overlap  Overlap        `json:"overlap"`
	CatchUp  CatchUp        `json:"catch_up,omitempty"`
	Inputs   map[string]any `json:"inputs,omitempty"`
	Paused   bool           `json:"paused,omitempty"`
	Pending  int            `json:"pending,omitempty"` // firings whose runs have not begun
	Owner    string         `json:"owner,omitempty"`
	LastNote *Note          `json:"last_note,omitempty"`
}

func viewOf(e Entry, now time.Time) view {
	v := view{
		Name: e.Name, Workflow: e.Workflow, When: strings.TrimSpace(e.When()), Next: e.Next(now), Overlap: e.Overlap, CatchUp: e.CatchUp,
		Inputs: e.Inputs, Paused: e.Paused, Pending: len(e.State.Pending), Owner: e.Owner,
	}
	if n := len(e.State.Notes); n > 0 {
		v.LastNote = &e.State.Notes[n-1]
	}
	return v
}

type listArgs struct{}

// widest is how wide a column of the list may be: each row takes as much as the widest.
const widest = 80

// unread returns the error for schedules that cannot be read, without the names of those
// of others.
func (c Caller) unread(err error) error {
	if err == nil || c.May == nil {
		return err
	}
	return steps.Errorf(steps.CodeOf(err), "there are schedules that cannot be read; the log of the server says which")
}

func list(ctx context.Context, on Store, c Caller, _ *listArgs) (Result, error) {
	all, unread := on.List(ctx)
	if all == nil {
		return Result{}, c.unread(unread)
	}
	views, now, lines := []view{}, time.Now(), []string{"NAME\tWORKFLOW\tWHEN\tNEXT\tOVERLAP\tPENDING"}
	for _, e := range all {
		if c.may(e.Schedule, false) != nil {
			continue
		}
		v := viewOf(e, now)
		views = append(views, v)
		lines = append(lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d", v.Name, words.Shorten(words.Line(v.Workflow), widest), words.Shorten(v.When, widest), v.nextWords(), v.Overlap, v.Pending))
	}
	text := operations.Table(lines)
	if unread != nil {
		text += "\n" + c.unread(unread).Error()
	}
	if len(views) > 0 {
		text += unserved(ctx, on)
	}
	return Result{Value: views, Text: text}, nil
}

func (v view) nextWords() string {
	switch {
	case v.Paused:
		return "paused"
	case v.Next.IsZero():
		return "-"
	}
	return v.Next.Format(time.RFC3339)
}

type nameArgs struct {
	Name string `json:"name" arg:"SCHEDULE" jsonschema:"the name of a schedule; list_schedules lists them"`
}

// change changes a schedule that the caller may change, in the way that what says.
func change(ctx context.Context, on Store, c Caller, name, what string, do func(*Entry) (*Entry, error)) error {
	if !validName.MatchString(name) { // to a store it may be the path of another file
		return noSchedule(name)
	}
	var of Schedule
	err := on.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e == nil || c.may(e.Schedule, false) != nil {
			return e, noSchedule(name)
		}
		if err := c.may(e.Schedule, true); err != nil {
			return e, err
		}
		of = e.Schedule
		return do(e)
	})
	if err == nil {
		c.changed(of, what)
	}
	return err
}

func noSchedule(name string) error {
	return &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("there is no schedule %s", name), Next: "list the existing schedules"}
}

// shown is a schedule with its runs and notes.
type shown struct {
	view
	Runs  []engine.Header `json:"runs,omitempty"`
	Notes []Note          `json:"notes,omitempty"`
}

func show(ctx context.Context, on Store, c Caller, a *nameArgs) (Result, error) {
	if !validName.MatchString(a.Name) { // to a store it may be the path of another file
		return Result{}, noSchedule(a.Name)
	}
	e, err := on.Get(ctx, a.Name)
	switch {
	case err != nil:
		return Result{}, c.unread(err)
	case e == nil || c.may(e.Schedule, false) != nil:
		return Result{}, noSchedule(a.Name)
	}
	out := shown{view: viewOf(*e, time.Now()), Notes: e.State.Notes}
	lines := []string{fmt.Sprintf("%s runs %s\nwhen: %s\nnext: %s\noverlap: %s", e.Name, words.Line(e.Workflow), out.When, out.nextWords(), e.Overlap)}
	if c.History != nil {
		if out.Runs, err = c.History(ctx, a.Name); err != nil {
			return Result{}, err
		}
	}
	for _, h := range out.Runs {
		lines = append(lines, fmt.Sprintf("run %s %s", h.ID, h.Status))
	}
	for _, n := range out.Notes {
		lines = append(lines, n.At.Format(time.RFC3339)+" "+words.Line(n.Text))
	}
	return Result{Value: out, Text: strings.Join(lines, "\n") + unserved(ctx, on)}, nil
}

type done struct {
	Name string `json:"name"`
	Run  string `json:"run_id,omitempty"`
}

func remove(ctx context.Context, on Store, c Caller, a *nameArgs) (Result, error) {
	err := change(ctx, on, c, a.Name, "removed", func(*Entry) (*Entry, error) { return nil, nil })
	return Result{Value: done{Name: a.Name}, Text: "removed " + a.Name}, err
}

func pause(ctx context.Context, on Store, c Caller, a *nameArgs) (Result, error) {
	err := change(ctx, on, c, a.Name, "paused", func(e *Entry) (*Entry, error) { e.Paused = true; return e, nil })
	return Result{Value: done{Name: a.Name}, Text: "paused " + a.Name}, err
}

func resume(ctx context.Context, on Store, c Caller, a *nameArgs) (Result, error) {
	text := "resumed " + a.Name
	err := change(ctx, on, c, a.Name, "resumed", func(e *Entry) (*Entry, error) {
		var err error
		if e.Paused { // the ticks and files meanwhile were not wanted
			e.Paused, e.State.Considered = false, time.Now().UTC()
			err = c.seeFiles(e)
		}
		text = "resumed " + a.Name + nextAt(e, time.Now())
		return e, err
	})
	return Result{Value: done{Name: a.Name}, Text: text}, err
}

func run(ctx context.Context, on Store, c Caller, a *nameArgs) (Result, error) {
	var id string
	err := change(ctx, on, c, a.Name, "run now", func(e *Entry) (*Entry, error) {
		switch {
		case e.Paused:
			return e, steps.Errorf(steps.Invalid, "%s is paused: resume it first", a.Name)
		case e.Files != "":
			return e, steps.Errorf(steps.Invalid, "%s runs for a file that arrives: put one into its folder", a.Name)
		case len(e.State.Pending) >= mostPending:
			return e, steps.Errorf(steps.Busy, "%d runs of %s wait already", mostPending, a.Name)
		}
		f := e.firing(time.Now(), engine.NewKey())
		id, f.Asked = f.Run, true
		e.State.Pending = append(e.State.Pending, f)
		return e, nil
	})
	if err != nil {
		return Result{}, err
	}
	if c.OnDue != nil {
		c.OnDue()
	}
	return Result{Value: done{a.Name, id}, Text: cmp.Or(id, a.Name) + unserved(ctx, on)}, nil
}
