package engine

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
)

// Keeper looks after what a store holds.
type Keeper interface {
	Remove(ctx context.Context, run string) error
	Prune(ctx context.Context, r Retention) (Pruned, error)
	Backup(ctx context.Context, dir string) error
	Check(ctx context.Context) (*Checkup, error)
}

// Retention says which runs Prune keeps. A bound of 0 does not count.
type Retention struct {
	Age   time.Duration `json:"age,omitempty"`   // runs that ended longer ago go
	Count int           `json:"count,omitempty"` // beyond so many runs, the oldest go
	Bytes int64         `json:"bytes,omitempty"` // beyond so many bytes of events and files, the oldest go
	Reads time.Duration `json:"reads,omitempty"` // single calls that only read go after this
	// Force lets runs go too that could still be resumed.
	Force bool `json:"force,omitempty"`
	// Active says which runs are being executed; they always stay.
	Active func(run string) bool `json:"-"`
}

// Pruned is what Prune did.
type Pruned struct {
	Runs      int   `json:"runs"`      // that were removed
	Files     int   `json:"files"`     // that were removed, with documents
	Bytes     int64 `json:"bytes"`     // of both
	Resumable int   `json:"resumable"` // that are past a bound and stayed, for they can be resumed
}

// Checkup is what Check found.
type Checkup struct {
	Runs     int       `json:"runs"`
	Events   int       `json:"events"`
	Files    int       `json:"files"` // and documents
	Problems []Problem `json:"problems,omitempty"`
}

func (r *Checkup) Clean() bool { return len(r.Problems) == 0 }

// Problem is one thing that is wrong, and of which run if it is of one.
type Problem struct {
	Run  string `json:"run,omitempty"`
	What string `json:"what"`
}

func (p Problem) String() string {
	if p.Run == "" {
		return p.What
	}
	return "run " + p.Run + ": " + p.What
}

// Resumable says whether a run can still be continued: it did not succeed, and
// is not a single call, which is made again instead.
func Resumable(h Header) bool {
	if h.Call != "" {
		return h.Status == Waiting || h.Status == Paused
	}
	return h.Status != Succeeded
}

// Remove removes a run; one that could still be resumed only by force.
func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	h, err := e.Get(ctx, id)
	if err != nil {
		return err
	}
	if e.workers.of(id) != nil {
		return steps.Errorf(steps.Busy, "run %s is being executed", id)
	}
	if err := e.refuseHeld(ctx, id); err != nil {
		return err
	}
	if Resumable(h) && !force {
		return steps.Errorf(steps.Invalid, "run %s is %s and can still be resumed", id, h.Status).WithNext("use --force to remove it nevertheless")
	}
	defer e.hub.notify(id)
	return e.maintain(func() error { return e.Keeper.Remove(ctx, id) })
}

// Prune removes runs by age, count and size.
func (e *Engine) Prune(ctx context.Context, r Retention) (p Pruned, err error) {
	r.Active = func(id string) bool { return e.workers.of(id) != nil || e.holds.by(id) != "" }
	defer e.hub.notify("")
	err = e.maintain(func() error { p, err = e.Keeper.Prune(ctx, r); return err })
	return p, err
}

// Backup makes a copy of everything in a new folder, while runs go on.
func (e *Engine) Backup(ctx context.Context, dir string) error {
	return e.maintain(func() error { return e.Keeper.Backup(ctx, dir) })
}

// Check verifies what is stored.
func (e *Engine) Check(ctx context.Context) (c Checkup, err error) {
	err = e.maintain(func() error {
		r, err := e.Keeper.Check(ctx)
		if r != nil {
			c = *r
		}
		return err
	})
	return c, err
}

func (e *Engine) maintain(do func() error) error {
	if e.Keeper == nil {
		return fmt.Errorf("the store of this engine cannot be looked after")
	}
	return do()
}
