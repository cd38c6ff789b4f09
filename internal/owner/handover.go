package owner

import (
	"context"
	"errors"
	"sync"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// farewell is what an owner that leaves tells a guest, and the guest the next
// owner. It goes from memory to memory, for it holds what is never stored.
type farewell struct {
	Runs   handover `json:"runs,omitempty"`   // the guest's own
	Paused []string `json:"paused,omitempty"` // all that are to go on
}

// handover is a member's runs.
type handover map[string]handed

type handed struct {
	// Paused says that the run was paused to be handed over, and is to go on.
	Paused     bool            `json:"paused,omitempty"`
	Belongings engine.Unstored `json:"belongings"`
}

// leave closes the door, hands the runs of those who stay over, stops the
// others, and lets go of the folder. Only then the guests are sent away: they
// find the folder free.
func (h *host) leave(ctx context.Context) error {
	h.mu.Lock()
	h.leaving = true
	h.mu.Unlock()
	errs := []error{h.listener.Close()}
	removeLeftovers(h.o.Dir)
	steps.WaitFor(ctx, &h.acts)
	runs := h.handOver(ctx)
	errs = append(errs, h.local.Engine.Shutdown(ctx))
	h.settle(ctx, runs)
	errs = append(errs, h.local.Close(ctx))
	h.sendAway(runs)
	return errors.Join(errs...)
}

// handOver brings the runs of the guests to a boundary between steps, and
// gathers what the guests have to know of them. A run whose step takes too long
// is interrupted by the shutdown.
func (h *host) handOver(ctx context.Context) map[*guest]handover {
	limit := h.o.Patience
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2) // the rest is for the shutdown
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h.interruptOwn(ctx)
	all := map[*guest]handover{}
	for g, runs := range h.runsOfGuests() {
		all[g] = handover{}
		for _, run := range runs {
			paused := h.local.Engine.Pause(ctx, run) == nil
			all[g][run] = handed{Paused: paused}
		}
	}
	slow := time.AfterFunc(time.Second, func() {
		h.o.Log.Warn("waiting for a step of a run of another process, where the run goes on then")
	})
	defer slow.Stop()
	for _, runs := range all {
		for run, r := range runs {
			if r.Paused {
				_, _ = h.local.Engine.Wait(ctx, run) // settle says what came of it
			}
			r.Belongings = h.local.Engine.Unstored(run)
			runs[run] = r
		}
	}
	return all
}

// settle notes which runs stand still now, so that they can go on elsewhere: one may
// have come to its boundary when it was not waited for any more.
func (h *host) settle(ctx context.Context, all map[*guest]handover) {
	for _, runs := range all {
		for run, r := range runs {
			at, err := h.local.Engine.Get(ctx, run)
			r.Paused = r.Paused && err == nil && at.Status == engine.Paused
			runs[run] = r
			if !r.Paused && r.Belongings.Secrets == nil && r.Belongings.Environ == nil {
				delete(runs, run)
			}
		}
	}
}

// interruptOwn interrupts the runs that are for nobody who stays: another may
// wait for the desktop that they have.
func (h *host) interruptOwn(ctx context.Context) {
	stays := map[string]bool{}
	for _, runs := range h.runsOfGuests() {
		for _, run := range runs {
			stays[run] = true
		}
	}
	var wg sync.WaitGroup
	for _, run := range h.local.Engine.Active() {
		if stays[run] {
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

// runsOfGuests are all runs that the guests began or continued, those that
// wait too: their secrets are in the memory of this process.
func (h *host) runsOfGuests() map[*guest][]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[*guest][]string{}
	for g := range h.guests {
		all[g] = nil
		for run, member := range h.began {
			if member == g.ID {
				all[g] = append(all[g], run)
			}
		}
	}
	return all
}

// sendAway ends the connections. A guest that is told that the owner has left
// looks for the next one at once.
func (h *host) sendAway(runs map[*guest]handover) {
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
	_ = h.server.Close() // the calls that read end with it
	h.calls.Wait()
}
