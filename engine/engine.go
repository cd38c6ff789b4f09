package engine

import (
	"context"
	"crypto/rand"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/oklog/ulid/v2"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/observe"
	"understudy/workflows/expression"
)

// Engine runs workflows. Its exported fields are set before its first use.
type Engine struct {
	Store Store
	Files Files
	// Keeper looks after the store; nil: it cannot be.
	Keeper Keeper
	Kinds  []steps.Kind
	// Desk is the desktop of the runs.
	Desk Desk
	// Desktops gives each run its desktop instead; nil: all have the one.
	Desktops Desktops
	Lease    *Lease
	// Pictures takes pictures of steps; nil: none are taken.
	Pictures Pictures
	// Passwords are the password fields that were seen so far, which kinds blank
	// on the pictures that they take; nil: those that a picture shows as such.
	Passwords *observe.Passwords
	// Probe answers what expressions ask of the desktop, with pictures from
	// the folders of the run; nil: they may not ask.
	Probe func(open func(context.Context) (*desktop.Desktop, error), dir string, roots []string) expression.Probe
	// Allow says whether a run may use a kind, at each step, on behalf of the
	// client that began it or, later, continued it; nil: always.
	Allow func(run, client string, k steps.Kind) error
	// Roots are folders in which every run may touch files.
	Roots []string
	// Private are out of bounds for every run, inside its roots too.
	Private []string
	// PictureRoots are folders in which every run may look for pictures too.
	PictureRoots []string
	Log          *slog.Logger

	every   uint64        // events between snapshots; 0: as many as is good
	between func(*worker) // called before each effect is decided, by tests; nil: nothing

	stirred steps.LastAct // by steps, on the one desktop

	once  sync.Once
	life  context.Context // of what must outlast its callers
	hub   hub
	mu    sync.Mutex
	works map[string]*worker
	ended bool // no new runs
	shown map[string]*observe.ShownTrees
	ids   *ulid.MonotonicEntropy
	// kept is what is never stored of runs that wait or pause, until they go on.
	kept map[string]Unstored
	// broke says why runs could not be continued, for those who ask later.
	broke map[string]error
	// opened is the desktop that a step used last; nil before.
	opened atomic.Pointer[desktop.Desktop]
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
	Owner       string            `json:"owner,omitempty"` // the credential that it belongs to
	Dir         string            `json:"dir,omitempty"`
	Desktop     DesktopChoice     `json:"desktop,omitzero"`
	WorkflowID  string            `json:"workflow_id,omitempty"`
	TraceID     string            `json:"trace_id,omitempty"`
	ExecutionID string            `json:"execution_id,omitempty"`
	Roots       []string          `json:"roots,omitempty"`   // folders in which files may be touched, beside those of the engine
	Private     []string          `json:"private,omitempty"` // out of bounds inside the folders, beside what is so for the engine
	// Sandbox says that commands write in Dir and the roots only.
	Sandbox bool `json:"sandbox,omitempty"`
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
		e.works, e.shown, e.kept = map[string]*worker{}, map[string]*observe.ShownTrees{}, map[string]Unstored{}
		e.broke = map[string]error{}
		e.ids = ulid.Monotonic(rand.Reader, 0)
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

func (e *Engine) trees(client string) *observe.ShownTrees {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shown[client] == nil {
		e.shown[client] = &observe.ShownTrees{}
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

// launch stores the beginning of an attempt and sets its worker to work. A run
// that is new shares that commit with what it does first: its worker begins at
// once, and launch returns when anything is stored.
func (e *Engine) launch(w *worker) (Header, error) {
	if names := w.lacks(); len(names) > 0 && w.stops.stop == nil {
		q := Question{Sort: AskSecret, Step: names[0], Choices: names, Text: "the run needs the secret " + join(names)}
		if err := w.record(EvAsked, "", q); err != nil {
			return Header{}, err
		}
	}
	if err := e.claim(w); err != nil {
		return Header{}, err
	}
	if w.stored == 0 && w.s.Status != Waiting {
		h := headerOf(&w.s, w.header, w.layout)
		h.ResumeFrom = ""
		go w.work()
		return w.created(h)
	}
	if w.err = w.flush(w.lazy()); w.err != nil || w.s.Status == Waiting {
		e.retire(w)
		close(w.done)
		return w.header, w.err
	}
	h := w.header
	go w.work()
	h.ResumeFrom = "" // it is under way
	return h, nil
}

// created gives the header with which a new run began, once it is stored. What was
// stored with it is news to whoever asks for more.
func (w *worker) created(h Header) (Header, error) {
	if _, stored := <-w.first; !stored {
		return Header{}, w.err
	}
	return h, nil
}

// claim makes a worker the one that executes its run.
func (e *Engine) claim(w *worker) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return &steps.Error{Code: steps.Unavailable, Err: errShutDown}
	}
	if _, ok := e.works[w.id]; ok {
		return steps.Errorf(steps.Busy, "run %s is being executed already", w.id)
	}
	e.works[w.id] = w
	return nil
}

func (e *Engine) retire(w *worker) {
	e.Lease.Release(w.id)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.works, w.id)
	delete(e.broke, w.id)
	switch {
	case w.err != nil: // what is kept is still wanted
		e.broke[w.id] = w.err
	case w.s.Status == Waiting || w.s.Status == Paused:
		e.kept[w.id] = Unstored{w.secrets, w.environ}
	default:
		delete(e.kept, w.id)
	}
	e.hub.notify(w.id)
}

func (e *Engine) at(id string) *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.works[id]
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
		w.stops.interrupt(ByShutdown, errShutDown.Error())
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
