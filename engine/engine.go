package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// Engine runs workflows. Its exported fields are set before its first use.
type Engine struct {
	Store Store
	Files Files
	// Keeper looks after the store; nil: it cannot be.
	Keeper Keeper
	Kinds  []steps.Kind
	Desk   Desk
	Lease  *Lease
	// Pictures takes pictures of steps; nil: none are taken.
	Pictures Pictures
	// Probe answers what expressions ask of the desktop; nil: they may not ask.
	Probe func(Desk) expression.Probe
	// Allow says whether a client may use a kind, at each step; nil: always.
	Allow func(client string, k steps.Kind) error
	// Roots are folders in which every run may touch files.
	Roots []string
	Log   *slog.Logger

	every uint64 // events between snapshots; 0: as many as is good

	once  sync.Once
	life  context.Context // of what must outlast its callers
	hub   hub
	mu    sync.Mutex
	works map[string]*worker
	ended bool // no new runs
	shown map[string]*steps.Trees
	ids   *ulid.MonotonicEntropy
	// kept is what is never stored of runs that wait or pause, until they go on.
	kept map[string]Belongings
}

// Desk is the desktop, opened when it is first needed.
type Desk interface {
	Open(ctx context.Context) (*desktop.Desktop, error)
	// Drop closes a desktop whose state is not known any more; the next Open
	// connects again.
	Drop(*desktop.Desktop)
}

// Request says what to run.
type Request struct {
	Bundle      Bundle            `json:"bundle"`
	Call        string            `json:"call,omitempty"` // a single kind, instead of a document
	Args        map[string]any    `json:"args,omitempty"`
	Inputs      map[string]any    `json:"inputs,omitempty"`
	Secrets     map[string]string `json:"secrets,omitempty"`
	From        string            `json:"from,omitempty"`
	To          string            `json:"to,omitempty"`
	Fallbacks   *bool             `json:"follow_fallback,omitempty"`
	JumpsAtEnd  *bool             `json:"execute_jumps_at_end,omitempty"`
	DryRun      bool              `json:"dry_run,omitempty"`
	StepThrough bool              `json:"step_through,omitempty"`
	Queue       bool              `json:"queue,omitempty"` // wait for the desktop
	Client      string            `json:"client,omitempty"`
	Dir         string            `json:"dir,omitempty"`
	WorkflowID  string            `json:"workflow_id,omitempty"`
	TraceID     string            `json:"trace_id,omitempty"`
	ExecutionID string            `json:"execution_id,omitempty"`
	Roots       []string          `json:"roots,omitempty"` // folders in which files may be touched, beside those of the engine
	// Environ is the environment of child processes. It may hold secrets, so
	// it is never stored: who continues a run brings another.
	Environ []string `json:"environ,omitempty"`
	// Key is from NewKey, or empty. It becomes the id of the run, so a request
	// that is sent again starts nothing again.
	Key string `json:"key,omitempty"`
}

func (e *Engine) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

func (e *Engine) open() {
	e.once.Do(func() {
		e.life = context.Background()
		e.works, e.shown, e.kept = map[string]*worker{}, map[string]*steps.Trees{}, map[string]Belongings{}
		e.ids = ulid.Monotonic(ulid.DefaultEntropy(), 0)
		if e.Lease == nil {
			e.Lease = NewLease(1)
		}
	})
}

func (e *Engine) newID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.ToLower(ulid.MustNew(ulid.Now(), e.ids).String())
}

// trees are the trees that a client was shown.
func (e *Engine) trees(client string) *steps.Trees {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shown[client] == nil {
		e.shown[client] = &steps.Trees{}
	}
	return e.shown[client]
}

// Forget drops what was kept for a client that is gone.
func (e *Engine) Forget(client string) {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.shown, client)
}

// Start begins a run and returns as soon as its beginning is stored.
func (e *Engine) Start(ctx context.Context, r Request) (Header, error) {
	e.open()
	if h, done, err := e.begun(ctx, r.Key); done || err != nil {
		return h, err
	}
	p, err := e.program(&r.Bundle, r.Call, r.Args)
	if err != nil {
		return Header{}, err
	}
	if err := e.room(p, r.Queue || r.DryRun); err != nil {
		return Header{}, err
	}
	w := e.worker(e.idFor(r.Key), p)
	created, err := w.creation(ctx, r)
	if err != nil {
		return Header{}, err
	}
	w.header, w.environ = Header{ID: w.id, StartedAt: time.Now().UTC(), Call: r.Call, Reads: readsOnly(p)}, r.Environ
	if err := w.record(EvCreated, "", created); err != nil {
		return Header{}, err
	}
	return e.launch(w)
}

// program is the program of a document, or of a single call.
func (e *Engine) program(b *Bundle, call string, args map[string]any) (*workflows.Program, error) {
	if call == "" {
		return b.Compile(e.Kinds)
	}
	k, ok := steps.Find(e.Kinds, call)
	if !ok {
		return nil, steps.Errorf(steps.Invalid, "there is no kind of step called %q", call)
	}
	return workflows.Single(k, args), nil
}

// room refuses a run that would act while the desktop is in use, unless its
// caller wants to wait.
func (e *Engine) room(p *workflows.Program, queue bool) error {
	if queue || !e.Lease.Busy() || !acts(p) {
		return nil
	}
	holders, _ := e.Lease.Holders()
	return errBusy(holders)
}

// acts says whether a program has a step that acts on the desktop.
func acts(p *workflows.Program) bool {
	found := false
	p.Walk(func(n *workflows.Node) {
		found = found || n.Kind != nil && n.Kind.Touches == steps.Act || n.Call != nil && acts(n.Call)
	})
	return found
}

// readsOnly says whether every step of a program only reads.
func readsOnly(p *workflows.Program) bool {
	reads := true
	p.Walk(func(n *workflows.Node) {
		reads = reads && (n.Kind == nil || n.Kind.Reads) && (n.Call == nil || readsOnly(n.Call))
	})
	return reads
}

func (e *Engine) worker(id string, p *workflows.Program) *worker {
	return &worker{
		e: e, id: id, program: p, layout: newLayout(p), secrets: secrets{},
		done: make(chan struct{}), posted: make(chan struct{}, 1),
	}
}

// creation is the first event of a run.
func (w *worker) creation(ctx context.Context, r Request) (Created, error) {
	p := w.program
	inputs, err := w.accept(r.Inputs, r.Secrets)
	if err != nil {
		return Created{}, err
	}
	o := p.Options
	c := Created{
		Workflow: p.Name, Client: r.Client, Dir: r.Dir, Roots: r.Roots, DryRun: r.DryRun, StepThrough: r.StepThrough, Call: r.Call,
		From: first(r.From, o.StartFrom), To: first(r.To, o.EndAt),
		WorkflowID: first(r.WorkflowID, o.WorkflowID), TraceID: first(r.TraceID, o.TraceID),
		ExecutionID: first(r.ExecutionID, o.ExecutionID), JumpsAtEnd: o.JumpsAtEnd, Scope: *newScope(p, inputs),
	}
	if r.JumpsAtEnd != nil {
		c.JumpsAtEnd = *r.JumpsAtEnd
	}
	c.Fallbacks = o.FollowFallback && r.To == ""
	if r.Fallbacks != nil {
		c.Fallbacks = *r.Fallbacks
	}
	if r.Call != "" {
		c.Args = w.secrets.mask(r.Args)
	} else if c.Document, err = r.Bundle.keep(ctx, w.e.Files); err != nil {
		return c, err
	}
	if c.To != "" {
		if _, ok := p.Node(c.To); !ok {
			return c, steps.Errorf(steps.Invalid, "there is no step with the id %q to end at", c.To)
		}
	}
	if c.Start, err = w.layout.startAt(c.From); err != nil {
		return c, err
	}
	if c.From != "" && c.WorkflowID != "" {
		err = w.inherit(ctx, &c)
	}
	return c, err
}

func first(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// inherit gives a run that begins in the middle what the workflow's last run
// knew.
func (w *worker) inherit(ctx context.Context, c *Created) error {
	for h, err := range w.e.Store.Runs(ctx, Query{WorkflowID: c.WorkflowID, Limit: 1}) {
		if err != nil {
			return err
		}
		last, err := fold(ctx, w.e.Store, h.ID, nil)
		if err != nil {
			return fmt.Errorf("state of the last run of %s: %w", c.WorkflowID, err)
		}
		old := last.Scopes[1]
		c.Parent = h.ID
		c.Scope.Steps, c.Scope.Lists = old.Steps, old.Lists
		env := maps.Clone(old.Env)
		maps.Copy(env, c.Scope.Env)
		c.Scope.Env = env
	}
	return nil
}

// accept checks the inputs of a run, and takes the secrets out of them.
func (w *worker) accept(given map[string]any, secret map[string]string) (map[string]any, error) {
	all := maps.Clone(w.program.Inputs)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, given)
	for name, v := range secret {
		all[name] = v
	}
	checked, problems := w.program.CheckInputs(all)
	missing := map[string]bool{}
	for _, v := range w.program.Missing(all) {
		missing[v.Name] = v.Secret
	}
	problems = slices.DeleteFunc(problems, func(p steps.Problem) bool { return len(p.Path) > 0 && missing[p.Path[0]] })
	if len(problems) > 0 {
		return nil, refuseInputs(problems)
	}
	for _, v := range w.program.Variables {
		if !v.Secret {
			continue
		}
		if value, ok := checked[v.Name]; ok {
			w.secrets[v.Name] = fmt.Sprint(value)
		}
		checked[v.Name] = reference(v.Name)
	}
	masked, _ := w.secrets.mask(checked).(map[string]any)
	return masked, nil
}

func refuseInputs(problems []steps.Problem) error {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	e := steps.Errorf(steps.Invalid, "the inputs do not fit: %s", strings.Join(lines, "\n"))
	e.Next = "give each with --input name=value, or under inputs"
	return e
}

// lacks are the secrets that a run needs and does not have.
func (w *worker) lacks() []string {
	var names []string
	for _, v := range w.program.Variables {
		if _, ok := w.secrets[v.Name]; v.Secret && v.Required && !ok {
			names = append(names, v.Name)
		}
	}
	return names
}

// launch stores the beginning of an attempt and sets its worker to work.
func (e *Engine) launch(w *worker) (Header, error) {
	if names := w.lacks(); len(names) > 0 && w.stop == nil {
		q := Question{Sort: AskSecret, Step: names[0], Choices: names, Text: "the run needs the secret " + join(names)}
		if err := w.record(EvAsked, "", q); err != nil {
			return Header{}, err
		}
	}
	if err := w.flush(w.lazy()); err != nil {
		return Header{}, err
	}
	if w.s.Status == Waiting {
		e.Entrust(w.id, Belongings{w.secrets, w.environ})
		close(w.done)
		return w.header, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return Header{}, steps.AsError(&steps.Error{Code: steps.Unavailable, Err: errShutDown})
	}
	if _, ok := e.works[w.id]; ok {
		return Header{}, steps.Errorf(steps.Busy, "run %s is being executed already", w.id)
	}
	e.works[w.id] = w
	h := w.header
	go w.work()
	return h, nil
}

// retire forgets a worker that has ended.
func (e *Engine) retire(w *worker) {
	e.Lease.Release(w.id)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.works, w.id)
	if w.s.Status == Waiting || w.s.Status == Paused {
		e.kept[w.id] = Belongings{w.secrets, w.environ}
	} else {
		delete(e.kept, w.id)
	}
	e.hub.tell(w.id)
}

func (e *Engine) at(id string) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.works[id]
}

// Wait waits until a run ends, waits or pauses, or the context ends.
func (e *Engine) Wait(ctx context.Context, id string) (Header, error) {
	e.open()
	if w := e.at(id); w != nil {
		select {
		case <-w.done:
			if w.err != nil {
				return e.withError(ctx, id, w.err)
			}
			return w.header, nil
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
	return e.Get(ctx, id)
}

// withError is the header of a run that could not be continued.
func (e *Engine) withError(ctx context.Context, id string, cause error) (Header, error) {
	h, err := e.Get(ctx, id)
	if err != nil {
		return h, errors.Join(cause, err)
	}
	code := steps.CodeOf(cause)
	if errors.Is(cause, ErrFull) {
		code = steps.Unavailable
	}
	h.Error = &ErrorRecord{Code: code, Message: cause.Error(), Next: "mend the cause, then resume the run"}
	return h, nil
}

// Get is the header of a run.
func (e *Engine) Get(ctx context.Context, id string) (Header, error) {
	e.open()
	h, _, err := e.Store.Run(ctx, id)
	if err != nil {
		return Header{}, noRun(id, err)
	}
	return e.present(h), nil
}

func noRun(id string, err error) error {
	if !errors.Is(err, ErrNoRun) {
		return err
	}
	x := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%w: %s", err, id)}
	x.Next = "list the runs to see which there are"
	return x
}

// present corrects a stored status by who runs the run: nobody means that it
// was interrupted.
func (e *Engine) present(h Header) Header {
	if h.Status != Running && h.Status != Queued {
		return h
	}
	w := e.at(h.ID)
	switch {
	case w == nil:
		h.Status = Interrupted
	case w.queued.Load():
		h.Status = Queued
	}
	return h
}

// List lists runs, the newest first.
func (e *Engine) List(ctx context.Context, q Query) ([]Header, error) {
	e.open()
	var out []Header
	stored := q
	if slices.Contains(q.Status, Interrupted) || slices.Contains(q.Status, Queued) {
		stored.Status = append(slices.Clone(q.Status), Running)
	}
	stored.Limit = 0
	for h, err := range e.Store.Runs(ctx, stored) {
		if err != nil {
			return out, err
		}
		h = e.present(h)
		if len(q.Status) > 0 && !slices.Contains(q.Status, h.Status) {
			continue
		}
		if out = append(out, h); q.Limit > 0 && len(out) == q.Limit {
			break
		}
	}
	return out, nil
}

// Events are the events of a run from a number on.
func (e *Engine) Events(ctx context.Context, id string, from uint64) ([]Event, error) {
	e.open()
	var out []Event
	for ev, err := range e.Store.Events(ctx, id, from) {
		if err != nil {
			return out, noRun(id, err)
		}
		if out = append(out, ev); len(out) == eventPage {
			break
		}
	}
	return out, nil
}

// eventPage is how many events one answer holds at most.
const eventPage = 1000

// News is a channel on which the news arrives that a run has new events; ""
// is every run. The function ends it.
func (e *Engine) News(id string) (<-chan struct{}, func()) {
	e.open()
	return e.hub.watch(id)
}

// File reads what is stored under a hash.
func (e *Engine) File(ctx context.Context, sort FileSort, hash string) ([]byte, error) {
	return e.Files.Get(ctx, sort, hash)
}

// Active are the runs that are executed now.
func (e *Engine) Active() []string {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.works))
}

// Shutdown stops every run with the cause shutdown, so that each can be
// resumed, and waits for them.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.open()
	e.mu.Lock()
	e.ended = true
	works := slices.Collect(maps.Values(e.works))
	e.mu.Unlock()
	for _, w := range works {
		w.interrupt(ByShutdown, errShutDown.Error())
	}
	for _, w := range works {
		select {
		case <-w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
