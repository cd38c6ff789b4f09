package engine

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
)

// Maintainer maintains what a store holds.
type Maintainer interface {
	Remove(ctx context.Context, run string) error
	Prune(ctx context.Context, r Retention) (Pruned, error)
	Backup(ctx context.Context, dir string) error
	Check(ctx context.Context) (*Checkup, error)
}

// Retention tells which runs Prune keeps. A limit of 0 does not apply.
type Retention struct {
	Age   time.Duration `json:"age,omitempty"`   // remove runs that ended longer ago
	Count int           `json:"count,omitempty"` // remove the oldest runs above this number
	Bytes int64         `json:"bytes,omitempty"` // remove the oldest runs while events and files take more
	Reads time.Duration `json:"reads,omitempty"` // remove single calls that only read after this time
	// Force also removes runs that could still be resumed.
	Force bool `json:"force,omitempty"`
	// Active reports whether a run is being executed; such runs are kept.
	Active func(run string) bool `json:"-"`
}

// Pruned is the result of Prune.
type Pruned struct {
	Runs      int   `json:"runs"`      // removed
	Files     int   `json:"files"`     // removed, including documents
	Bytes     int64 `json:"bytes"`     // freed by both
	Resumable int   `json:"resumable"` // exceed a limit, but are kept because they can be resumed
}

// Checkup is the result of Check.
type Checkup struct {
	Runs     int       `json:"runs"`
	Events   int       `json:"events"`
	Files    int       `json:"files"` // including documents
	Problems []Problem `json:"problems,omitempty"`
}

func (r *Checkup) Clean() bool { return len(r.Problems) == 0 }

// Problem is one problem, and the run that it concerns, if any.
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

// Resumable reports whether a run can still be continued: it did not succeed, and is
// not a single call, which can simply be repeated.
func Resumable(h Header) bool {
	if h.Call != "" {
		return h.Status == Waiting || h.Status == Paused
	}
	return h.Status != Succeeded
}

// Remove removes a run. A run that could still be resumed is removed only with force.
func (e *Engine) Remove(ctx context.Context, id string, force bool) error {
	h, err := e.Get(ctx, id)
	if err != nil {
		return err
	}
	if e.workers.of(id) != nil || e.Elsewhere && (h.Status == Running || h.Status == Queued) {
		return steps.Errorf(steps.Busy, "run %s is %s", id, h.Status).WithNext("stop it first")
	}
	if err := e.refuseHeld(ctx, id); err != nil {
		return err
	}
	if Resumable(h) && !force {
		return steps.Errorf(steps.Invalid, "run %s is %s and can still be resumed", id, h.Status).WithNext("use --force to remove it anyway")
	}
	defer e.Notify(id)
	err = e.maintain(func() error { return e.Maintainer.Remove(ctx, id) })
	if err == nil {
		e.RestoreUnstored(id, Unstored{})
	}
	return err
}

// Prune removes runs by age, number and size.
func (e *Engine) Prune(ctx context.Context, r Retention) (p Pruned, err error) {
	r.Active = func(id string) bool { return e.workers.of(id) != nil || e.holds.by(id) != "" }
	defer e.Notify("")
	err = e.maintain(func() error { p, err = e.Maintainer.Prune(ctx, r); return err })
	return p, err
}

// Backup copies everything to a new folder, while runs continue.
func (e *Engine) Backup(ctx context.Context, dir string) error {
	return e.maintain(func() error { return e.Maintainer.Backup(ctx, dir) })
}

// Check verifies what is stored.
func (e *Engine) Check(ctx context.Context) (c Checkup, err error) {
	err = e.maintain(func() error {
		r, err := e.Maintainer.Check(ctx)
		if r != nil {
			c = *r
		}
		return err
	})
	return c, err
}

func (e *Engine) maintain(do func() error) error {
	if e.Maintainer == nil {
		return fmt.Errorf("the store of this engine does not support maintenance")
	}
	return do()
}
