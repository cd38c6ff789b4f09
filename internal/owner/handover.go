package owner

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// farewell is what a leaving owner sends to a guest, and the guest to the next owner.
// It is never written to a file, because it holds secrets.
type farewell struct {
	Runs   handover `json:"runs,omitempty"`   // of the guest
	Paused []string `json:"paused,omitempty"` // of all guests; these runs are to continue
}

// handover is the runs of one member.
type handover map[string]handed

type handed struct {
	// Paused means that the run was paused for the handover and is to continue.
	Paused     bool            `json:"paused,omitempty"`
	Belongings engine.Unstored `json:"belongings"`
}

// leave stops accepting calls, hands over the runs of the guests, stops all other
// runs, and releases the folder. The guests are disconnected last, so that they find
// the folder free.
func (h *host) leave(ctx context.Context) error {
	h.mu.Lock()
	h.leaving = true
	h.mu.Unlock()
	errs := []error{h.listener.Close()}
	removeLeftovers(h.o.Dir)
	steps.WaitFor(ctx, &h.acts)
	ofGuests := h.runsOfGuests()
	continues := h.pause(ctx, ofGuests)
	errs = append(errs, h.local.Engine.Shutdown(ctx))
	runs := h.handOver(ofGuests, continues)
	errs = append(errs, h.local.Close(ctx))
	h.disconnectGuests(runs)
	return errors.Join(errs...)
}

// pause pauses the runs of the guests between two steps, and returns what reports for each
// whether it is to continue. A run whose step takes too long is interrupted by the shutdown.
func (h *host) pause(ctx context.Context, ofGuests map[*guest][]string) (continues map[string]func() bool) {
	limit := h.o.Patience
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2) // the shutdown needs the rest
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	runs := slices.Concat(slices.Collect(maps.Values(ofGuests))...)
	h.interruptOthers(ctx, runs)
	continues = map[string]func() bool{}
	for _, run := range runs {
		if c := h.local.Engine.PauseForHandover(run); c != nil {
			continues[run] = c
		}
	}
	slow := time.AfterFunc(time.Second, func() {
		h.o.Log.Warn("waiting for a step of another process's run, which then continues there")
	})
	defer slow.Stop()
	for run := range continues {
		_, _ = h.local.Engine.Wait(ctx, run) // handOver finds out the result
	}
	return continues
}

// handOver returns what the guests need to know about their runs, which are at rest.
func (h *host) handOver(ofGuests map[*guest][]string, continues map[string]func() bool) map[*guest]handover {
	all := map[*guest]handover{}
	for g, runs := range ofGuests {
		all[g] = handover{}
		for _, run := range runs {
			r := handed{Paused: continues[run] != nil && continues[run](), Belongings: h.local.Engine.Unstored(run)}
			if r.Paused || r.Belongings.Secrets != nil || r.Belongings.Environ != nil {
				all[g][run] = r
			}
		}
	}
	return all
}

// interruptOthers interrupts the runs that belong to no guest, because a run of a guest
// may be waiting for their desktop.
func (h *host) interruptOthers(ctx context.Context, ofGuests []string) {
	var wg sync.WaitGroup
	for _, run := range h.local.Engine.Active() {
		if slices.Contains(ofGuests, run) {
			continue
		}
		wg.Go(func() {
			if _, err := h.local.Engine.Stop(ctx, run, engine.ByShutdown, "the program is leaving"); err != nil {
				h.o.Log.Info("a run had ended before it was interrupted", "run", run, "error", err)
			}
		})
	}
	wg.Wait()
}

// runsOfGuests returns all runs that the guests began or continued, including runs at
// rest, because their secrets are in the memory of this process.
func (h *host) runsOfGuests() map[*guest][]string {
	h.mu.Lock()
	guests := slices.Collect(maps.Keys(h.guests))
	h.mu.Unlock()
	all := map[*guest][]string{}
	for _, g := range guests {
		all[g] = h.attribution.runsOf(g.ID)
	}
	return all
}

// disconnectGuests disconnects the guests. A guest that learns that the owner has left looks
// for the next one at once.
func (h *host) disconnectGuests(runs map[*guest]handover) {
	var paused []string
	for _, handed := range runs {
		for run, r := range handed {
			if r.Paused {
				paused = append(paused, run)
			}
		}
	}
	for g, handed := range runs {
		g.bye <- farewell{handed, paused}
	}
	h.members.Wait()
	_ = h.server.Close() // ends the calls that read
	h.calls.Wait()
}

// handedRuns are the runs that were paused for a handover and wait for their member
// to find the new owner. Clients that watch such a run must not see the pause.
type handedRuns struct {
	mu   sync.Mutex
	runs map[string]chan struct{} // closed when the run continues, or when its member did not come in time
}

// add adds runs that are expected within limit.
func (x *handedRuns) add(runs []string, limit time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.runs = map[string]chan struct{}{}
	for _, run := range runs {
		x.runs[run] = make(chan struct{})
		time.AfterFunc(limit, func() { x.arrived(run) })
	}
}

// arrived ends the wait for a run.
func (x *handedRuns) arrived(run string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.runs[run]; c != nil {
		close(c)
		delete(x.runs, run)
	}
}

// wait waits while a run is expected.
func (x *handedRuns) wait(ctx context.Context, run string) {
	x.mu.Lock()
	c := x.runs[run]
	x.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// hidingHandover is a Runs that hides the pause of expected runs.
type hidingHandover struct {
	engine.Runs
	expected *handedRuns
}

func (p hidingHandover) Wait(ctx context.Context, id string) (engine.Header, error) {
	p.expected.wait(ctx, id)
	return p.Runs.Wait(ctx, id)
}

func (p hidingHandover) Await(ctx context.Context, id string, after uint64) (engine.Header, error) {
	p.expected.wait(ctx, id)
	return p.Runs.Await(ctx, id, after)
}
