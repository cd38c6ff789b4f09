package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/steps"
)

// A store that a fleet shares is used by two kinds of engines. An engine with
// Elsewhere set begins and continues runs, but executes none: what it appends also
// tells the store that the run wants a worker. The engine of a worker takes such
// runs.

// Assigned tells which worker executes the run from here on.
type Assigned struct {
	Worker string `json:"worker"`
	// Lost is how many workers the run has lost since a person last continued it.
	Lost int `json:"lost,omitempty"`
}

// mostLost is how many workers a run may lose before it fails: the run may be what
// kills them.
const mostLost = 5

// wants returns which worker the run wants. A run on a lasting desktop wants the
// worker that has this desktop.
func (s *State) wants() *Wanted {
	client, _, _ := strings.Cut(s.Created.Client, "#") // the same for all sessions of a client
	w := &Wanted{Needs: s.Created.Needs, Priority: s.Created.Priority, For: cmp.Or(s.Created.Owner, client)}
	if s.Desktop != nil && s.Worker != "" {
		w.Needs, w.For = append([]string{WorkerLabel(s.Worker)}, w.Needs...), "" // its desktop is there
	}
	return w
}

// WorkerLabel returns the label that only the worker with this name has.
func WorkerLabel(worker string) string { return "worker=" + worker }

// enqueue stores the beginning of an attempt that a worker elsewhere executes.
func (e *Engine) enqueue(w *worker) (Header, error) {
	if stop, _ := w.stops.asked(); stop != nil {
		if err := w.record(EvStopping, "", *stop); err != nil {
			return Header{}, err
		}
		// If it never began, or its finally is abandoned, it needs no worker to end it:
		// there may be none that can.
		if (w.s.Worker == "" || w.s.Stop.Abort) && w.s.Status == Running {
			if err := w.record(EvFinished, "", Finished{Status: Cancelled, Error: &stop.Error}); err != nil {
				return Header{}, err
			}
		}
	}
	if w.s.Status == Running {
		w.wanted = w.s.wants()
	}
	before := e.Unstored(w.id)
	e.RestoreUnstored(w.id, Unstored{w.secrets, w.environ, nil}) // a worker may ask for it as soon as the run is stored
	if err := w.flush(false); err != nil {
		e.RestoreUnstored(w.id, before)
		return Header{}, err
	}
	return w.header, nil
}

// Take executes a run that the queue handed out to a worker. It is not taken if
// nothing is left to do or if it cannot continue.
func (e *Engine) Take(ctx context.Context, id, worker string) (h Header, taken bool, err error) {
	w, err := e.revive(ctx, id, nil, false)
	if err != nil {
		return Header{}, false, err
	}
	lost := 0
	switch w.header.Status {
	case Queued:
		if gone := w.goneDesktop(ctx); gone != nil {
			h, err = w.giveUp(Interrupted, gone, "resume it with --from STEP, and it begins on a new desktop")
			return h, false, err
		}
	case Running:
		if lost = w.s.Lost + 1; lost >= mostLost {
			h, err = w.giveUp(Failed, fmt.Errorf("its worker died %d times", lost), "find out what happens at that step, then resume the run")
			return h, false, err
		}
		err := w.resumeLost(ctx, worker)
		if x, ok := errors.AsType[*steps.Error](err); ok && x.Code == steps.Unavailable { // its desktop is gone
			h, err = w.giveUp(Interrupted, x.Err, x.Next)
			return h, false, err
		}
		if err != nil {
			return Header{}, false, err
		}
	default:
		return w.header, false, nil
	}
	if e.Handed != nil && len(w.secretInputs()) > 0 {
		e.Handed(ctx, id, w.secrets) // even if this worker has them from before: they may have been replaced
	}
	w.environ = e.Environ
	h, err = e.launchAfter(w, EvAssigned, Assigned{Worker: worker, Lost: lost})
	return h, err == nil, err
}

// resumeLost begins another attempt of a run whose worker was lost.
func (w *worker) resumeLost(ctx context.Context, by string) error {
	r, err := w.backOnDesktop(ctx, ResumeRequest{By: by})
	if err != nil {
		return err
	}
	ev, err := w.resumption(ctx, r)
	if err != nil {
		return err
	}
	w.keepStopping()
	return w.record(EvResumed, "", ev)
}

// GiveUp ends the attempt of a run that nobody executes, with a reason.
func (e *Engine) GiveUp(ctx context.Context, id string, why error, next string) (Header, error) {
	w, err := e.revive(ctx, id, nil, false)
	if err != nil {
		return Header{}, err
	}
	return w.giveUp(Interrupted, why, next)
}

// giveUp ends the attempt of a run with which no worker can continue.
func (v *evaluator) giveUp(status Status, why error, next string) (Header, error) {
	x := &steps.Error{Code: steps.Interrupted, Err: why, Next: next}
	step := ""
	if n, f := resumeNode(&v.s, v.layout); n != nil {
		step = name(n, pathOf(f))
	}
	if err := v.commit(EvFinished, "", Finished{Status: status, Error: v.errorRecord(x, step)}); err != nil {
		return Header{}, err
	}
	return v.header, nil
}

// confirm proves that the run still belongs to this worker, if the last append was
// long ago. A worker that was suspended may have lost the run to another one, which
// would make an append fail, but not an action.
func (j *journal) confirm(k *steps.Kind) error {
	if j.e.beforeAct != nil {
		j.e.beforeAct(j.id)
	}
	if j.e.Certain == 0 || k.Reads || elapsed(j.flushed) < j.e.Certain {
		return nil
	}
	if len(j.pending) > 0 {
		return j.flush(false)
	}
	asked := time.Now()
	if err := j.e.Store.Append(context.Background(), j.id, Batch{Attempt: j.base, Seq: j.stored, Header: j.header}); err != nil {
		return fmt.Errorf("run %s: verifying that this worker has it: %w", j.id, err)
	}
	j.flushed = asked
	return nil
}

// elapsed returns how long ago a time was, by whichever clock says more: the monotonic clock
// stands still while the machine is suspended, and the other one may be set back.
func elapsed(since time.Time) time.Duration {
	return max(time.Since(since), time.Since(since.Round(0)))
}

// Lost reports whether a worker ended because another worker has its run.
func Lost(err error) bool {
	_, stale := errors.AsType[*StaleError](err)
	return stale
}

// Mandate tells on whose behalf a run continues. In a fleet, the process that
// executes a run does not know what the client of the run may do.
type Mandate struct {
	Client string          `json:"client,omitempty"`
	Owner  string          `json:"owner,omitempty"`  // credential of the client; empty: a person
	Server string          `json:"server,omitempty"` // name of the server that knows what the client may do now; empty: nobody is asked
	Rights json.RawMessage `json:"rights,omitempty"` // upper limit of what the client may do, in the form in which the server keeps it
	At     time.Time       `json:"at,omitzero"`
}

// mandate returns the mandate of the client that continued the run, else of the one
// that began it.
func (s *State) mandate(began time.Time) Mandate {
	c := &s.Created
	return *cmp.Or(s.Mandate, &Mandate{Client: c.Client, Owner: c.Owner, Server: c.Server, Rights: c.Rights, At: began})
}

// Mandate returns the mandate of a run that is being executed.
func (e *Engine) Mandate(run string) Mandate {
	if w := e.workers.of(run); w != nil {
		return w.may.mandate
	}
	return Mandate{}
}
