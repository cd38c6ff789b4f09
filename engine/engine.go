package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
	"understudy/workflows/expression"
)

// Engine executes workflows. Its exported fields are set before its first use.
type Engine struct {
	Store Store
	Files Files
	// Maintainer maintains the store; nil: it cannot be maintained.
	Maintainer Maintainer
	Kinds      []steps.Kind
	// Desk is the desktop that all runs share.
	Desk Desk
	// Desktops assigns a desktop to each run instead; nil: all share Desk.
	Desktops Desktops
	Lease    Lease
	// Limits bound how many runs with a label are executed.
	Limits Limits
	// Pictures takes pictures of steps; nil: none are taken.
	Pictures Pictures
	// Watch starts recording what a person does on a desktop after a takeover; nil:
	// nothing is recorded.
	Watch func(ctx context.Context, on desktop.Info) (EndWatch, error)
	// Passwords are the password fields seen so far, which kinds blank on the
	// pictures they take; nil: only those found on the picture itself.
	Passwords *observe.Passwords
	// Probe answers what expressions ask about the desktop, with template pictures
	// from the folders of the run; nil: expressions may not ask.
	Probe func(open func(context.Context) (*desktop.Desktop, error), dir string, roots []string) expression.Probe
	// Allow decides about the runs of no caller, as [Caller] has it.
	Allow func(run, client string, k steps.Kind) error
	// Roots are folders in which every run may use files.
	Roots []string
	// Private are paths that no run may use, even inside its roots.
	Private []string
	// PictureRoots are folders from which every run may read template pictures too.
	PictureRoots []string
	// Observe is called for each event after it is stored, with its data and the
	// header after it, in order for each run. It must not block; may be nil.
	Observe func(h Header, ev Event, fact any)
	Log     *slog.Logger
	// Elsewhere means that workers of a fleet execute what this engine begins and
	// continues. The store must be a Queue.
	Elsewhere bool
	// HeldElsewhere returns the person who has taken over the desktop of a run at its
	// worker; nil: nobody has.
	HeldElsewhere func(ctx context.Context, run string) string
	// Handed adds the secrets that the process which began a run has for the worker
	// that takes the run; nil: there are none.
	Handed func(ctx context.Context, run string, secrets map[string]string)
	// Dir is the working folder of runs that name none, and Environ the environment
	// of the programs of runs that other processes began.
	Dir     string
	Environ []string
	// Certain is how long a successful append proves that a run belongs to this
	// engine; 0: forever, because no other process can take it.
	Certain time.Duration

	every        uint64           // events between snapshots; 0: snapshotEvery
	keeps        int              // bytes of values that a run may keep; 0: maxKept
	beforeEffect func(*worker)    // for tests: called before each effect is decided
	beforeAct    func(run string) // for tests: called between the stored start of a step and its action

	today   storedToday
	lastAct steps.LastAct // when steps last acted on the shared desktop
	workers
	holds
	notifier
	requests sync.Map // those with keys that are under way: key → chan struct{}, closed at the end
	shown    sync.Map // client → *observe.ShownTrees
	keyboard sync.Map // client → *steps.Keyboard
	opened   sync.Map // the desktop used last, see runDesktop.openedKey
}

// Desk is a desktop that is opened when it is first needed.
type Desk interface {
	Open(ctx context.Context) (*desktop.Desktop, error)
	// Drop closes a desktop whose state is unknown; the next Open connects again.
	Drop(*desktop.Desktop)
}

// Request describes a run to start.
type Request struct {
	Bundle      Bundle            `json:"bundle"`
	Call        string            `json:"call,omitempty"` // one kind, instead of a document
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
	Terms
	// Environ is the environment of child processes. It may hold secrets, so it is
	// never stored: whoever continues a run supplies another.
	Environ []string `json:"environ,omitempty"`
	// Key is from NewKey, or empty. It becomes the id of the run, so a repeated
	// request starts nothing.
	Key string `json:"key,omitempty"`

	caller *Caller
}

// Terms tell for whom a run is executed, where, and what it may use.
type Terms struct {
	Client  string        `json:"client,omitempty"` // that began the run
	Owner   string        `json:"owner,omitempty"`  // credential that the run belongs to; empty: the person at the machine
	Dir     string        `json:"dir,omitempty"`
	Desktop DesktopChoice `json:"desktop,omitzero"`
	Roots   []string      `json:"roots,omitempty"`   // folders in which the run may use files, in addition to those of the engine
	Private []string      `json:"private,omitempty"` // paths excluded from the folders, in addition to those of the engine
	// Sandbox restricts commands to writing in Roots.
	Sandbox bool `json:"sandbox,omitempty"`
	// Applications and NoTerminals are those of steps.Children.
	Applications []string `json:"applications,omitempty"`
	NoTerminals  bool     `json:"no_terminals,omitempty"`
	// Storage limits what the run may store, if it belongs to a credential.
	Storage  Storage  `json:"storage,omitzero"`
	Needs    []string `json:"needs,omitempty"`    // labels that the worker must have, in a fleet
	Priority int      `json:"priority,omitempty"` // in a fleet; 0 goes first
	// Rights are what the client may do, in the form in which its server keeps them
	// for when the run continues by itself.
	Rights json.RawMessage `json:"rights,omitempty"`
	// Server is the name under which that server, in a fleet, answers what the client
	// may do now.
	Server      string `json:"server,omitempty"`
	WorkflowID  string `json:"workflow_id,omitempty"`
	TraceID     string `json:"trace_id,omitempty"`
	ExecutionID string `json:"execution_id,omitempty"`
	Schedule    string `json:"schedule,omitempty"` // name of the schedule that began the run
	// Labels are words by which the run is found and limited, with those of its document.
	Labels []string `json:"labels,omitempty"`
	// TraceParent is the span of the client, in the format of W3C Trace Context.
	TraceParent string `json:"trace_parent,omitempty"`
}

func (e *Engine) log() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// trees returns the trees that a client has been shown.
func (e *Engine) trees(client string) *observe.ShownTrees {
	v, _ := e.shown.LoadOrStore(client, &observe.ShownTrees{})
	return v.(*observe.ShownTrees) //nolint:forcetypeassert // nothing else is stored
}

// CommandLine is the client of a person at the command line, who sees the screen.
const CommandLine = "command line"

// keys returns what the run knows of the windows that may get its keys. A single call of
// a client goes by what the answers have told the client, and a run of it begins there.
func (w *worker) keys() *steps.Keyboard {
	switch {
	case w.keyboard != nil:
	case w.s.Created.Client == CommandLine || w.s.Created.Schedule != "":
		w.keyboard = &steps.Keyboard{Again: w.s.Attempt > 1}
	default:
		v, _ := w.e.keyboard.LoadOrStore(w.s.Created.Client, &steps.Keyboard{Told: true})
		of := v.(*steps.Keyboard) //nolint:forcetypeassert // nothing else is stored
		if w.keyboard = of; w.s.Created.Call == "" {
			w.keyboard = of.For(w.s.Attempt > 1)
		}
	}
	return w.keyboard
}

// leaveKeyboard tells the client's next calls where its run has worked last.
func (w *worker) leaveKeyboard() {
	if v, ok := w.e.keyboard.Load(w.s.Created.Client); ok && w.keyboard != nil && w.s.Created.Call == "" {
		v.(*steps.Keyboard).Follow(w.keyboard) //nolint:forcetypeassert // nothing else is stored
	}
}

// Forget drops what is remembered of a client that has gone.
func (e *Engine) Forget(client string) {
	e.shown.Delete(client)
	e.keyboard.Delete(client)
	e.opened.Delete(client)
	if e.Desktops != nil {
		go e.Desktops.Forget(client)
	}
}

// launchAfter records the event that begins an attempt, and launches the attempt.
func (e *Engine) launchAfter(w *worker, t EventType, data any) (Header, error) {
	if err := w.record(t, "", data); err != nil {
		return Header{}, err
	}
	return e.launch(w)
}

// launch stores the beginning of an attempt and starts its worker. The worker of a
// new run starts at once, so that the beginning and the first effects share one
// commit; launch then returns when anything is stored.
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
	if err := e.workers.add(w, &e.holds); err != nil {
		return Header{}, err
	}
	if w.stored == 0 && w.s.Status != Waiting {
		h := headerOf(&w.s, w.header, w.layout)
		h.ResumeFrom = ""
		go w.work()
		if _, stored := <-w.first; !stored {
			return Header{}, w.err
		}
		return h, nil // that of the beginning, although the first commit may hold later events
	}
	if w.err = w.flush(w.lazy()); w.err != nil || w.s.Status == Waiting {
		e.retire(w)
		close(w.done)
		return w.header, w.err
	}
	h := w.header
	go w.work()
	h.ResumeFrom = "" // the run is being executed
	return h, nil
}

// retire ends the execution of a run and releases its leases.
func (e *Engine) retire(w *worker) {
	e.Lease.Release(w.id)
	for _, l := range w.labelLimits() {
		l.Release(w.id)
	}
	e.workers.remove(w)
	e.Notify(w.id)
}

// Shutdown stops all runs with the cause shutdown, so that they can be resumed, and
// waits for them.
func (e *Engine) Shutdown(ctx context.Context) error {
	for id, h := range e.holds.all() {
		if err := e.giveBack(ctx, id, h, errShutDown.Error()); err != nil {
			e.log().Warn("the return of a desktop could not be recorded", "run", id, "error", err)
		}
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
