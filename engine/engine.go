package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

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
	// Watch begins to record what a person does on a desktop that he took over; nil:
	// it is not recorded.
	Watch func(ctx context.Context, on desktop.Info) (EndWatch, error)
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
	// Observe is called for each event once it is stored, with its data and the header
	// after it, in order for each run. It must not block; may be nil.
	Observe func(h Header, ev Event, fact any)
	Log     *slog.Logger
	// Elsewhere says that workers elsewhere execute what this engine begins and
	// continues. Its store is a Queue.
	Elsewhere bool
	// HeldElsewhere is the person who has the desktop of a run at its worker; nil: nobody.
	HeldElsewhere func(ctx context.Context, run string) string
	// Handed puts in the secrets that who began a run has for the worker that
	// takes it; nil: nobody has any.
	Handed func(ctx context.Context, run string, secrets map[string]string)
	// Dir is the folder of runs that name none, and Environ the environment of the
	// programs of runs that others began.
	Dir     string
	Environ []string
	// Certain is how long an append proves that a run is this engine's; 0: for
	// good, for no other process can take it.
	Certain time.Duration

	every   uint64           // events between snapshots; 0: snapshotEvery
	between func(*worker)    // called before each effect is decided, by tests; nil: nothing
	napping func(run string) // called between the stored start of a step and its act, by tests; nil: nothing

	today   storedToday
	stirred steps.LastAct // by steps, on the one desktop
	workers workers
	holds   holds
	hub     hub
	shown   sync.Map  // client → *observe.ShownTrees
	opened  sync.Map  // the desktop that steps used last, see runDesktop.openedKey
	once    sync.Once // sets a Lease where there is none
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
	Needs       []string          `json:"needs,omitempty"`    // labels of the worker, in a fleet
	Priority    int               `json:"priority,omitempty"` // in a fleet; 0 goes first
	WorkflowID  string            `json:"workflow_id,omitempty"`
	TraceID     string            `json:"trace_id,omitempty"`
	ExecutionID string            `json:"execution_id,omitempty"`
	Schedule    string            `json:"schedule,omitempty"` // that begins it
	// TraceParent is the span of the client that asks for it, as W3C Trace Context writes it.
	TraceParent string   `json:"trace_parent,omitempty"`
	Roots       []string `json:"roots,omitempty"`   // folders in which files may be touched, beside those of the engine
	Private     []string `json:"private,omitempty"` // out of bounds inside the folders, beside what is so for the engine
	// Sandbox says that commands write in Dir and the roots only.
	Sandbox bool `json:"sandbox,omitempty"`
	// Storage bounds what the run may store, if a credential begins it.
	Storage Storage `json:"storage,omitzero"`
	// Rights are what who begins it may do, as the server that asks keeps it for
	// when the run goes on by itself.
	Rights json.RawMessage `json:"rights,omitempty"`
	// Server is the name under which that server answers what they may do by now, in a fleet.
	Server string `json:"server,omitempty"`
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

// lease returns Lease, or one with a single place if none was set.
func (e *Engine) lease() *Lease {
	e.once.Do(func() {
		if e.Lease == nil {
			e.Lease = NewLease(1)
		}
	})
	return e.Lease
}

// trees returns the trees that a client has been shown.
func (e *Engine) trees(client string) *observe.ShownTrees {
	v, _ := e.shown.LoadOrStore(client, &observe.ShownTrees{})
	return v.(*observe.ShownTrees) //nolint:forcetypeassert // nothing else is stored
}

// Forget drops what is remembered of a client that has gone.
func (e *Engine) Forget(client string) {
	e.shown.Delete(client)
	e.opened.Delete(client)
	if f, ok := e.Desktops.(interface{ Forget(client string) }); ok {
		go f.Forget(client)
	}
}

// launchAfter records the event with which an attempt begins, and launches it.
func (e *Engine) launchAfter(w *worker, t EventType, data any) (Header, error) {
	if err := w.record(t, "", data); err != nil {
		return Header{}, err
	}
	return e.launch(w)
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
	if e.Elsewhere {
		return e.enqueue(w)
	}
	if err := e.workers.add(w); err != nil {
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

// retire ends the execution of a run: its lease is free again.
func (e *Engine) retire(w *worker) {
	e.lease().Release(w.id)
	e.workers.remove(w)
	e.hub.notify(w.id)
}

// Active returns the runs that are being executed.
func (e *Engine) Active() []string { return e.workers.runs() }

// Unstored returns what is kept of a run that waits or is paused.
func (e *Engine) Unstored(id string) Unstored { return e.workers.unstored(id) }

// RestoreUnstored gives a run that waits or is paused what another process kept of it.
func (e *Engine) RestoreUnstored(id string, u Unstored) { e.workers.keep(id, u) }

// Shutdown stops every run with the cause shutdown, so that each can be
// resumed, and waits for them.
func (e *Engine) Shutdown(ctx context.Context) error {
	if err := e.takeBackAll(ctx, errShutDown.Error()); err != nil {
		e.log().Warn("that desktops were given back could not be recorded", "error", err)
	}
	active := e.workers.close()
	for _, w := range active {
		w.stops.interrupt(ByShutdown, errShutDown.Error())
	}
	for _, w := range active {
		select {
		case <-w.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
