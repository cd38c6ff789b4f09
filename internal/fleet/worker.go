// Package fleet lets many machines execute the runs of one store. A Worker
// takes runs from the queue and executes them on its desktops; a Client begins,
// follows and continues runs that workers execute, and is an engine.Runs, so
// that nobody who uses one notices.
//
// Its main idea is that a worker may be wrong about itself: it may sleep and
// believe that a run is still its own. So it says that it is done only after an
// append was accepted, and proves before each act that the run is its own.
//
// Its limit is a worker that means ill: within a tenant each may write to each run.
package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"understudy/engine"
	"understudy/internal/owner"
	"understudy/internal/telemetry"
	"understudy/steps"
	"understudy/steps/desktop"
)

// Store is what a fleet shares.
type Store interface {
	engine.Store
	engine.Files
	engine.Queue
	engine.Teller
	Lease() time.Duration
	// Remove removes a run, Prune what a retention does not keep, and Check reads all.
	Remove(ctx context.Context, run string) error
	Prune(ctx context.Context, r engine.Retention) (engine.Pruned, error)
	Check(ctx context.Context) (*engine.Checkup, error)
	FileNames(ctx context.Context) (map[engine.FileSort][]string, error)
	// Records are what all share beside the runs, and ChangeRecord changes one, nil
	// where there is none.
	Records(ctx context.Context) (map[string][]byte, error)
	ChangeRecord(ctx context.Context, name string, change func(before []byte) ([]byte, error)) error
	// Ask asks the process that answers under a name, and Answer is that process.
	Ask(ctx context.Context, message []byte, name ...string) ([]byte, error)
	// Gather asks all who answer under it.
	Gather(ctx context.Context, message []byte, take func(answer []byte) (more bool), name ...string) error
	Answer(ctx context.Context, answer func(context.Context, []byte) []byte, name ...string) error
	// Tell tells who hears it under a name, and Hear hears it, in order.
	Tell(message []byte, name ...string) error
	Hear(ctx context.Context, hear func([]byte), name ...string) error
}

// Worker executes runs of a fleet.
type Worker struct {
	Store  Store
	Engine *engine.Engine
	Name   string
	Labels []string
	// Desktops is how many runs it executes at once.
	Desktops int
	Log      *slog.Logger
	// Desktop opens a lasting desktop once more, so that a person can watch it or
	// take it over; nil: nobody can.
	Desktop func(context.Context, desktop.Info) (*desktop.Desktop, error)
	// DrainTime is how long a worker that ends waits for the steps under way.
	DrainTime time.Duration

	used    atomic.Int32 // places in which runs are executed
	views   atomic.Int32 // live ones
	viewing sync.WaitGroup
}

// The names under which processes answer.
const (
	stateName  = "worker" // which runs a worker executes
	fitsName   = "fits"   // what each lacks of what a run needs
	callsName  = "calls"  // what Clients ask of the worker of a run
	secretName = "secrets"
	viewName   = "view"      // which live view of its desktops a viewer wants
	streamName = "stream"    // what a viewer and a desktop say to each other
	rightsName = "rights"    // what workers ask the server of a client
	servesName = "schedules" // whether a server sees to the schedules
)

// openTime is how long a worker may take to open a desktop for a viewer.
const openTime = 30 * time.Second

// askTime is how long another process may think about an answer.
const askTime = time.Second

// state is what a worker says of itself.
type state struct {
	Runs []string          `json:"runs"`
	Held map[string]string `json:"held,omitempty"` // by whom, the desktops of runs
}

// Run takes runs until the context ends. Then each run pauses after the step
// under way and goes back into the queue.
func (w *Worker) Run(ctx context.Context) error {
	w.Engine.Certain = w.Store.Lease() / 4
	w.Engine.Handed = w.askSecrets
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // of what goes on while it drains
	defer end()
	w.Engine.Allow = w.allow(life, w.Engine.Allow)
	says := func(context.Context, []byte) []byte {
		raw, _ := json.Marshal(state{w.Engine.Active(), w.Engine.Held()}) // strings
		return raw
	}
	calls := func(ctx context.Context, message []byte) []byte {
		return owner.AnswerRemote(ctx, w.Engine, message)
	}
	views := func(_ context.Context, message []byte) []byte {
		return owner.Reply(message, func(q viewQuestion) (viewAnswer, error) { return w.show(life, q) })
	}
	fits := func(_ context.Context, message []byte) []byte { return w.fits(message) }
	if err := errors.Join(w.Store.Answer(life, fits, fitsName), w.Store.Answer(life, says, stateName, w.Name), w.Store.Answer(life, calls, callsName, w.Name), w.Store.Answer(life, views, viewName, w.Name)); err != nil {
		return err
	}
	var seats sync.WaitGroup
	for range max(1, w.Desktops) {
		seats.Go(func() { w.takeRuns(ctx, life) })
	}
	seats.Wait()
	end()
	w.viewing.Wait()
	return nil
}

// Readings are the numbers of a worker on which so many desktops last.
func (w *Worker) Readings(lasting int) []telemetry.Reading {
	return []telemetry.Reading{
		telemetry.Gauge("understudy_desktops", "Desktops that last.", float64(lasting)),
		telemetry.Gauge("understudy_places", "How many runs may act at once.", float64(max(1, w.Desktops))),
		telemetry.Gauge("understudy_places_taken", "Runs that may act on the desktop.", float64(w.used.Load())),
	}
}

func (w *Worker) labels() []string {
	return append(slices.Clone(w.Labels), engine.WorkerLabel(w.Name))
}

func (w *Worker) takeRuns(ctx, life context.Context) {
	for w.awaitPlace(ctx) == nil {
		e, err := w.Store.Take(ctx, w.labels())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			w.Log.WarnContext(ctx, "no run can be taken", "error", err)
			_ = steps.Sleep(ctx, time.Second)
		case !w.occupy(): // a person has taken the desktop over meanwhile
			w.say(w.Log, "putting a run back", e.Later(life, 0))
		default:
			w.execute(ctx, life, e)
			w.used.Add(-1)
		}
	}
}

// A person who has taken over the desktop of a run that rests has the place of a run.
func (w *Worker) places() int { return max(1, w.Desktops) - w.Engine.Occupied() }

// occupy takes a place for a run, if there is one.
func (w *Worker) occupy() bool {
	if int(w.used.Add(1)) <= w.places() {
		return true
	}
	w.used.Add(-1)
	return false
}

// awaitPlace waits until persons have left a place, or the context ends.
func (w *Worker) awaitPlace(ctx context.Context) error {
	news, end := w.Engine.News("")
	defer end()
	for int(w.used.Load()) >= w.places() {
		select {
		case <-news:
		case <-time.After(time.Second): // a person who shows no sign of life is no news
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return ctx.Err()
}

// execute executes a run until it comes to rest, or is another's.
func (w *Worker) execute(ctx, life context.Context, e engine.Entry) {
	run, log := e.Run(), w.Log.With("run", e.Run())
	hold, release := context.WithCancel(life)
	defer release()
	if w.isExecuted(hold, run) { // its lease passed while its worker could not renew it
		w.say(log, "putting it back", e.Later(hold, w.Store.Lease()))
		return
	}
	go w.renew(hold, log, e)
	h, taken, err := w.Engine.Take(hold, run, w.Name)
	switch {
	case engine.Lost(err):
		log.InfoContext(ctx, "another worker has the run")
		return
	case err != nil:
		log.WarnContext(ctx, "the run cannot be taken now", "error", err)
		w.say(log, "putting it back", e.Later(hold, 2*time.Second))
		return
	case !taken:
		log.InfoContext(ctx, "nothing to do", "status", h.Status)
		w.say(log, "taking it from the queue", e.Done(hold))
		return
	}
	log.InfoContext(ctx, "executing", "workflow", h.Workflow, "attempt", h.Attempt)
	h, err = w.follow(ctx, hold, run)
	if !rests(h.Status) || err != nil { // another has it, or it broke off and somebody will
		log.WarnContext(ctx, "the run is not this worker's any more", "status", h.Status, "error", err)
		return
	}
	log.InfoContext(ctx, "the run rests", "status", h.Status)
	if ctx.Err() != nil && h.Status == engine.Paused {
		w.say(log, "handing it on", w.handOn(hold, run))
	}
	w.say(log, "taking it from the queue", e.Done(hold))
}

// say logs what could not be done and mends itself: the queue hands a run out
// again that nobody took from it, and who gets it sees that nothing is to do.
func (w *Worker) say(log *slog.Logger, what string, err error) {
	if err != nil {
		log.Warn(what+" failed", "error", err)
	}
}

// rests says whether a run of a fleet needs no worker.
func rests(s engine.Status) bool {
	return s == engine.Waiting || s == engine.Paused || s.Ended() && s != engine.Interrupted
}

// follow waits until the run rests. When the worker is to end, it pauses the run.
func (w *Worker) follow(ctx, hold context.Context, run string) (engine.Header, error) {
	limited, cancel := context.WithCancel(hold)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		w.say(w.Log, "pausing a run", w.Engine.Pause(hold, run))
		time.AfterFunc(max(w.DrainTime, time.Second), cancel)
	})()
	return w.Engine.Wait(limited, run)
}

// handOn puts a run that was paused for the end of the worker back into the queue.
func (w *Worker) handOn(ctx context.Context, run string) error {
	e := engine.Engine{Store: w.Store, Files: w.Store, Kinds: w.Engine.Kinds, Elsewhere: true}
	_, err := e.Continue(ctx, run)
	return err
}

// isExecuted says whether the worker that has a run says so.
func (w *Worker) isExecuted(ctx context.Context, run string) bool {
	h, _, err := w.Store.Run(ctx, run)
	if err != nil || h.Status != engine.Running || h.Worker == "" {
		return false
	}
	s, err := ask(ctx, w.Store, h.Worker)
	return err == nil && slices.Contains(s.Runs, run)
}

// ask asks a worker what it executes.
func ask(ctx context.Context, s Store, worker string) (out state, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	raw, err := s.Ask(ctx, nil, stateName, worker)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// renew renews the lease of a run. A worker that could not for a whole lease
// does not go on: the run may be another's by now.
func (w *Worker) renew(ctx context.Context, log *slog.Logger, e engine.Entry) {
	lease := w.Store.Lease()
	t := time.NewTicker(lease / 4)
	defer t.Stop()
	for renewed := time.Now(); ; {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		if time.Since(renewed) > lease {
			log.WarnContext(ctx, "the lease of the run has passed")
			return
		}
		asked := time.Now()
		if e.Renew(ctx) == nil {
			renewed = asked
		}
	}
}
