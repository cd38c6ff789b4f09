package owner

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"understudy/engine"
)

// handover is what an owner that leaves writes down for the next: the runs
// that it paused, by the member that they are for.
type handover struct {
	At   time.Time           `json:"at"`
	Runs map[string][]string `json:"runs"`
}

// handoverTime is how long a hand-over holds. After that, whoever it was for
// is not there any more, and the runs stay paused.
const handoverTime = time.Minute

// takeHandover reads what the last owner wrote down, and removes it.
func takeHandover(dir string) map[string][]string {
	path := filepath.Join(dir, handoverName)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	_ = os.Remove(path)
	var o handover
	if json.Unmarshal(raw, &o) != nil || time.Since(o.At) > handoverTime {
		return nil
	}
	return o.Runs
}

func writeHandover(dir string, runs map[string][]string) error {
	if len(runs) == 0 {
		return nil
	}
	raw, err := json.Marshal(handover{time.Now().UTC(), runs})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, handoverName), raw, 0o600)
}

// leave closes the door, hands the runs of those who stay over, stops the
// others, and lets go of the folder. Only then the guests are sent away: they
// find the folder free.
func (h *host) leave(ctx context.Context) error {
	h.mu.Lock()
	h.leaving = true
	h.mu.Unlock()
	errs := []error{h.door.Close()}
	sweep(h.o.Dir)
	waitFor(ctx, &h.acts)
	runs := h.pause(ctx)
	errs = append(errs, h.local.Engine.Shutdown(ctx), writeHandover(h.o.Dir, runs), h.local.Close(ctx))
	h.sendAway()
	return errors.Join(errs...)
}

// pause brings the runs of the guests to a boundary between steps. A run whose
// step takes too long is not among them: the shutdown interrupts it.
func (h *host) pause(ctx context.Context) map[string][]string {
	h.mu.Lock()
	stay := map[string]bool{}
	for g := range h.guests {
		stay[g.ID] = true
	}
	h.mu.Unlock()
	asked := map[string][]string{}
	for member := range stay {
		for _, run := range h.runsOf(member) {
			if h.local.Engine.Pause(ctx, run) == nil {
				asked[member] = append(asked[member], run)
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, h.o.Patience)
	defer cancel()
	paused := map[string][]string{}
	for member, runs := range asked {
		for _, run := range runs {
			if hd, err := h.local.Engine.Wait(ctx, run); err == nil && hd.Status == engine.Paused {
				paused[member] = append(paused[member], run)
			}
		}
	}
	return paused
}

// sendAway ends the connections. A guest that is told that the owner has left
// looks for the next one at once.
func (h *host) sendAway() {
	h.mu.Lock()
	guests, conns := slices.Collect(maps.Keys(h.guests)), slices.Collect(maps.Keys(h.conns))
	h.mu.Unlock()
	for _, g := range guests {
		_ = g.send(message{Moved: true}, answerLimit)
	}
	for _, c := range conns {
		_ = c.Close()
	}
	h.wg.Wait()
}

func waitFor(ctx context.Context, wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
