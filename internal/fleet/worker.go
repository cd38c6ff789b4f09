// Package fleet lets many machines execute the runs of one store. A Worker takes runs
// from the queue and executes them on its desktops; a Client begins, follows and
// continues runs that workers execute. A Client implements engine.Runs, so its users
// need not know about fleets.
//
// Its main idea is that a worker may be wrong about itself: it may have been
// suspended and believe that it still has a run. So it reports a run as done only
// after an append was accepted, and proves before each action that it still has the
// run.
//
// Its limit is a malicious worker: within a tenant, each worker may write to each
// run.
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
	"understudy/internal/desktop"
	"understudy/internal/remote"
	"understudy/internal/telemetry"
	"understudy/steps"
)

// Store is what the processes of a fleet share.
type Store interface {
	engine.Store
	engine.Files
	engine.Queue
	engine.Teller
	Lease() time.Duration
	// Remove removes a run, unless check returns an error for its header, Prune the runs
	// that a retention does not keep; Check reads everything.
	Remove(ctx context.Context, run string, check func(engine.Header) error) error
	Prune(ctx context.Context, r engine.Retention) (engine.Pruned, error)
	Check(ctx context.Context) (*engine.Checkup, error)
	FileNames(ctx context.Context) (map[engine.FileSort][]string, error)
	// Records are shared values beside the runs. ChangeRecord changes one atomically;
	// before is nil if there is none. Records lists them, unless their version is known.
	Records(ctx context.Context, known string) (all map[string][]byte, version string, err error)
	ChangeRecord(ctx context.Context, name string, change func(before []byte) ([]byte, error)) error
	// Ask sends a message to the process that answers under a name, or fails with
	// engine.ErrNobody; Answer registers that process.
	Ask(ctx context.Context, message []byte, name ...string) ([]byte, error)
	// Gather sends a message to all processes that answer under a name.
	Gather(ctx context.Context, message []byte, take func(answer []byte) (more bool), name ...string) error
	Answer(ctx context.Context, answer func(context.Context, []byte) []byte, name ...string) error
	// Tell sends a message to those who listen under a name; Hear listens, and
	// receives messages in order.
	Tell(message []byte, name ...string) error
	Hear(ctx context.Context, hear func([]byte), name ...string) error
}

// Worker executes runs of a fleet.
type Worker struct {
	Store  Store
	Engine *engine.Engine
	Name   string
	Labels []string
	// Desktops is the number of runs that are executed at once.
	Desktops int
	Log      *slog.Logger
	// Desktop opens another connection to a lasting desktop, so that a person can
	// watch it or take it over; nil: that is not possible.
	Desktop func(context.Context, desktop.Info) (*desktop.Desktop, error)
	// DrainTime is how long a worker that ends waits for the steps under way.
	DrainTime time.Duration

	used    atomic.Int32 // number of runs being executed
	views   atomic.Int32 // number of live views
	viewing sync.WaitGroup
}

// The names under which processes answer.
const (
	stateName  = "worker" // the runs that a worker executes
	fitsName   = "fits"   // what a worker lacks for a run
	callsName  = "calls"  // calls of Clients to the worker of a run
	secretName = "secrets"
	viewName   = "view"      // live views of a worker's desktops
	streamName = "stream"    // messages between a viewer and a desktop
	rightsName = "rights"    // questions of workers to the server of a client
	servesName = "schedules" // whether a server takes care of the schedules
)

// openTime bounds how long a worker may take to open a desktop for a viewer.
const openTime = 30 * time.Second

// askTime bounds the wait for an answer of another process.
const askTime = time.Second

// state is a worker's answer under stateName.
type state struct {
	Runs []string          `json:"runs"`
	Held map[string]string `json:"held,omitempty"` // people who have taken over desktops, by run
}

// Run takes runs until the context ends. Then each run pauses after the step under
// way and returns to the queue.
func (w *Worker) Run(ctx context.Context) error {
	if _, err := ask(ctx, w.Store, w.Name); err == nil {
		return w.errTwice()
	}
	w.Engine.Certain = w.Store.Lease() / 4
	w.Engine.Handed = w.askSecrets
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // for what continues while the worker drains
	defer end()
	w.Engine.Allow = w.allow(life, w.Engine.Allow)
	says := func(context.Context, []byte) []byte {
		raw, _ := json.Marshal(state{w.Engine.Active(), w.Engine.Held()}) // cannot fail: strings only
		return raw
	}
	calls := func(ctx context.Context, message []byte) []byte {
		return remote.Answer(ctx, w.Engine, message, "Stop", "Pause", "TakeOver", "HandBack")
	}
	views := func(_ context.Context, message []byte) []byte {
		return remote.Reply(message, func(q viewQuestion) (viewAnswer, error) { return w.show(life, q) })
	}
	fits := func(_ context.Context, message []byte) []byte { return w.fits(message) }
	if err := errors.Join(w.Store.Answer(life, fits, fitsName), w.Store.Answer(life, says, stateName, w.Name), w.Store.Answer(life, calls, callsName, w.Name), w.Store.Answer(life, views, viewName, w.Name)); err != nil {
		return err
	}
	if w.isTwice(life) {
		return w.errTwice()
	}
	var loops sync.WaitGroup
	for range max(1, w.Desktops) {
		loops.Go(func() { w.takeRuns(ctx, life) })
	}
	loops.Wait()
	limited, cancel := context.WithTimeout(life, abandonTime)
	defer cancel()
	w.logFailure(w.Log, "giving desktops back", w.Engine.Shutdown(limited))
	end()
	w.viewing.Wait()
	return nil
}

// isTwice reports whether another worker answers under the same name. Of workers that are
// started at the same time, all or all but one find another.
func (w *Worker) isTwice(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, gatherTime)
	defer cancel()
	answers := 0
	err := w.Store.Gather(limited, nil, func([]byte) (more bool) { answers++; return answers < 2 }, stateName, w.Name)
	return err == nil && answers > 1
}

func (w *Worker) errTwice() error {
	return steps.Errorf(steps.Unavailable, "a worker named %s is already connected, and would answer for the runs of this one", w.Name).
		WithNext("give this one another name with --name, or end the other")
}

// Readings returns the metrics of a worker, given the number of its lasting desktops.
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
		case err != nil && ctx.Err() != nil:
			return
		case err != nil:
			w.Log.WarnContext(ctx, "no run can be taken", "error", err)
			_ = steps.Sleep(ctx, time.Second)
		case ctx.Err() != nil, !w.occupy(): // it ends, or a person has taken over a desktop meanwhile
			w.logFailure(w.Log, "putting a run back", e.Later(life, 0))
		default:
			w.execute(ctx, life, e)
			w.used.Add(-1)
		}
	}
}

// places returns the number of runs that may be executed: a takeover of the desktop
// of a run at rest uses a place too.
func (w *Worker) places() int { return max(1, w.Desktops) - w.Engine.Occupied() }

// occupy takes a place for a run, if one is free.
func (w *Worker) occupy() bool {
	if int(w.used.Add(1)) <= w.places() {
		return true
	}
	w.used.Add(-1)
	return false
}

// awaitPlace waits until a place is free, or the context ends.
func (w *Worker) awaitPlace(ctx context.Context) error {
	news, end := w.Engine.News("")
	defer end()
	for int(w.used.Load()) >= w.places() {
		select {
		case <-news:
		case <-time.After(time.Second): // a place can also become free without news
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return ctx.Err()
}

// execute executes a run until it comes to rest or is lost to another worker.
func (w *Worker) execute(ctx, life context.Context, e engine.Entry) {
	run, log := e.Run(), w.Log.With("run", e.Run())
	hold, release := context.WithCancel(life)
	defer release()
	if _, is := isExecuted(hold, w.Store, run); is { // the lease has passed because its worker could not renew it
		w.logFailure(log, "putting it back", e.Later(hold, w.Store.Lease()))
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
		w.logFailure(log, "putting it back", e.Later(hold, 2*time.Second))
		return
	case !taken:
		log.InfoContext(ctx, "nothing to do", "status", h.Status)
		w.logFailure(log, "taking it from the queue", e.Done(hold))
		return
	}
	log.InfoContext(ctx, "executing", "workflow", h.Workflow, "attempt", h.Attempt)
	h, handedOver, err := w.follow(ctx, hold, run)
	if errors.Is(err, errLasts) {
		log.WarnContext(ctx, "another worker continues the run", "why", err)
		limited, cancel := context.WithTimeout(hold, abandonTime)
		defer cancel()
		if err = w.Engine.Abandon(limited, run); err == nil {
			err = e.Later(hold, 0)
		}
		w.logFailure(log, "putting it back", err)
		return
	}
	if !rests(h.Status) || err != nil { // another worker has it, or it failed and another will take it
		log.WarnContext(ctx, "the run no longer belongs to this worker", "status", h.Status, "error", err)
		return
	}
	log.InfoContext(ctx, "the run rests", "status", h.Status)
	w.forgetSecrets(hold)
	if handedOver {
		w.logFailure(log, "handing it on", w.handOn(hold, run))
	}
	w.logFailure(log, "taking it from the queue", e.Done(hold))
}

// forgetSecrets drops what is kept in memory of runs that ended or went on at other workers.
func (w *Worker) forgetSecrets(ctx context.Context) {
	for _, run := range w.Engine.Kept() {
		h, _, err := w.Store.Run(ctx, run)
		if errors.Is(err, engine.ErrNoRun) || err == nil && (h.Worker != w.Name || h.Status.Ended()) {
			w.Engine.RestoreUnstored(run, engine.Unstored{})
		}
	}
}

// logFailure logs an error that repairs itself: a run that was not removed from the queue is
// handed out again, and the worker that gets it finds nothing to do.
func (w *Worker) logFailure(log *slog.Logger, what string, err error) {
	if err != nil {
		log.Warn(what+" failed", "error", err)
	}
}

// rests reports whether a run of a fleet wants no worker.
func rests(s engine.Status) bool {
	return s == engine.Waiting || s == engine.Paused || s.Ended() && s != engine.Interrupted
}

var errLasts = errors.New("the worker is shutting down, and the current step takes too long")

// abandonTime is how long a step may take to end that is cancelled.
const abandonTime = 30 * time.Second

// follow waits until the run is at rest. When the worker is to end, it pauses the run, and
// reports whether the run is to continue at another worker.
func (w *Worker) follow(ctx, hold context.Context, run string) (h engine.Header, handedOver bool, err error) {
	limited, cancel := context.WithCancelCause(hold)
	defer cancel(nil)
	paused := make(chan func() bool, 1)
	stop := context.AfterFunc(ctx, func() {
		paused <- w.Engine.PauseForHandover(run)
		w.Log.InfoContext(hold, "the worker ends: the run pauses after the current step", "run", run)
		time.AfterFunc(max(w.DrainTime, time.Second), func() { cancel(errLasts) })
	})
	h, err = w.Engine.Wait(limited, run)
	if !stop() {
		continues := <-paused
		handedOver = continues != nil && continues()
	}
	return h, handedOver, err
}

// handOn returns a run that was paused for the end of the worker to the queue.
func (w *Worker) handOn(ctx context.Context, run string) error {
	e := engine.Engine{Store: w.Store, Files: w.Store, Kinds: w.Engine.Kinds, Elsewhere: true}
	_, err := e.Continue(ctx, run)
	return err
}

// isExecuted reports whether the worker that has a run confirms that it executes the
// run.
func isExecuted(ctx context.Context, from Store, run string) (h engine.Header, is bool) {
	h, _, err := from.Run(ctx, run)
	if err != nil || h.Status != engine.Running || h.Worker == "" {
		return h, false
	}
	s, err := ask(ctx, from, h.Worker)
	return h, err == nil && slices.Contains(s.Runs, run)
}

// ask asks a worker for its state.
func ask(ctx context.Context, s Store, worker string) (out state, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	raw, err := s.Ask(ctx, nil, stateName, worker)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// renew renews the lease of a run. A worker that could not renew it for a whole lease
// gives up, because another worker may have the run by now.
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
			log.WarnContext(ctx, "the lease of the run has expired")
			return
		}
		asked := time.Now()
		if e.Renew(ctx) == nil {
			renewed = asked
		}
	}
}
