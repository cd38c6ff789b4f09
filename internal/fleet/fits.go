package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/engine"
)

// A fitting describes a worker, and which of the labels that a run needs it lacks.
type fitting struct {
	engine.Workplace

	Lacks []string `json:"lacks,omitempty"`
}

func (w *Worker) fits(message []byte) []byte {
	var needs []string
	if json.Unmarshal(message, &needs) != nil {
		return nil
	}
	here := engine.Workplace{Worker: w.Name, Labels: w.labels(), Places: engine.Places{Taken: w.Engine.Active(), Total: max(1, w.Desktops)}}
	lacks := slices.DeleteFunc(needs, func(n string) bool { return slices.Contains(here.Labels, n) })
	raw, _ := json.Marshal(fitting{here, lacks}) // cannot fail: strings and numbers only
	return raw
}

// Workers returns the connected workers, by name.
func (c *Client) Workers(ctx context.Context) (all []engine.Workplace, err error) {
	limited, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	quiet := time.AfterFunc(askTime, cancel) // the others answer at about the same time as the first
	defer quiet.Stop()
	err = c.store.Gather(limited, []byte("[]"), func(answer []byte) (more bool) {
		quiet.Reset(gatherTime)
		var f fitting
		if json.Unmarshal(answer, &f) == nil && f.Worker != "" {
			all = append(all, f.Workplace)
		}
		return true
	}, fitsName)
	slices.SortFunc(all, func(a, b engine.Workplace) int { return strings.Compare(a.Worker, b.Worker) })
	return all, err
}

// gatherTime bounds the wait for answers of workers that lack something.
const gatherTime = 250 * time.Millisecond

// waitsFor returns why no worker has taken a queued run.
func (c *Client) waitsFor(ctx context.Context, h engine.Header) string {
	if h.Status != engine.Queued {
		return ""
	}
	needs := h.Needs
	if h.Desktop != nil && h.Worker != "" {
		needs = append([]string{engine.WorkerLabel(h.Worker)}, needs...)
	}
	message, _ := json.Marshal(needs) // cannot fail: strings only
	ctx, cancel := context.WithTimeout(ctx, gatherTime)
	defer cancel()
	var nearest *fitting
	take := func(answer []byte) (more bool) {
		var f fitting
		if json.Unmarshal(answer, &f) == nil && (nearest == nil || len(f.Lacks) < len(nearest.Lacks)) {
			nearest = &f
		}
		return nearest == nil || len(nearest.Lacks) > 0
	}
	switch err := c.store.Gather(ctx, message, take, fitsName); {
	case err != nil:
		return err.Error()
	case nearest == nil:
		return "no worker is connected"
	case len(nearest.Lacks) > 0:
		return fmt.Sprintf("no worker has all that it needs: %s comes nearest and lacks %s", nearest.Worker, strings.Join(nearest.Lacks, " "))
	}
	return "the workers that have what it needs are busy"
}
