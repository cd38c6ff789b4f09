package steps

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"understudy/steps/desktop"
)

// Acted says whether an attempt changed the world outside.
type Acted string

// No: nothing was done. Yes: it was done. Maybe: it was begun, and no one
// knows whether it came about.
const (
	ActedNo    Acted = "no"
	ActedMaybe Acted = "maybe"
	ActedYes   Acted = "yes"
)

const (
	actedNo int32 = iota
	actedYes
	actedMaybe // the largest: doubt about one act is doubt about the attempt
)

// Act runs do and records the outcome: maybe before the call, yes on success, and what
// it was before if the error proves that nothing was started.
func (e *Env) Act(do func() error) error {
	before := e.acted.Swap(actedMaybe)
	err := e.LastAct.Do(do)
	switch {
	case err == nil && before != actedMaybe:
		e.acted.Store(actedYes)
	case err != nil && notBegun(err):
		e.acted.Store(before)
	}
	return err
}

// Acted says whether this attempt has acted so far.
func (e *Env) Acted() Acted {
	switch e.acted.Load() {
	case actedYes:
		return ActedYes
	case actedMaybe:
		return ActedMaybe
	}
	return ActedNo
}

// notBegun reports whether an error proves that nothing was started.
func notBegun(err error) bool {
	if _, missing := errors.AsType[*desktop.MissingError](err); missing {
		return true
	}
	switch CodeOf(err) {
	case Invalid, NotFound, Denied:
		return true
	}
	return errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrMoved)
}

// LastAct is when something was last done on a desktop. A nil one is always now.
type LastAct struct {
	last atomic.Pointer[time.Time]
}

// Do runs something that may make the screen change.
func (s *LastAct) Do(do func() error) error {
	defer s.Mark()
	return do()
}

func (s *LastAct) Mark() {
	if s != nil {
		now := time.Now()
		s.last.Store(&now)
	}
}

func (s *LastAct) At() time.Time {
	if s == nil {
		return time.Now()
	}
	if last := s.last.Load(); last != nil {
		return *last
	}
	return time.Time{}
}

// Account returns d with every action passed through act, which keeps account of
// it, so that an outcome says truly whether the step acted. Kinds only ever see
// such a desktop.
func Account(d *desktop.Desktop, act func(do func() error) error) *desktop.Desktop {
	c := *d
	c.Actor = accounted{act, d.Actor}
	return &c
}

type accounted struct {
	act func(do func() error) error
	of  desktop.Actor
}

// Do performs an action and keeps account of it. Marks and the user's focus are
// left out: showing something to a person, and giving back what was borrowed,
// changes nothing that a step is for.
func (w accounted) Do(ctx context.Context, a desktop.Action) error {
	switch a.(type) {
	case desktop.Mark, desktop.Unmark, desktop.Panel, desktop.RestoreFocus:
		return w.of.Do(ctx, a)
	}
	var refused error
	err := w.act(func() error {
		err := w.of.Do(ctx, a)
		if m, ok := a.(desktop.Manage); ok && m.Do == desktop.Close && errors.Is(err, desktop.ErrRefused) {
			refused, err = err, nil // the window may have put a question first, so something happened
		}
		return err
	})
	if refused != nil {
		return refused
	}
	return err
}

// account puts a desktop that keeps account of acts into the place of the plain
// one.
func (e *Env) account() {
	if e.Desktop != nil && e.unaccounted == nil {
		plain := e.Desktop
		e.unaccounted, e.Desktop = Account(plain, e.LastAct.Do), Account(plain, e.Act)
	}
}

// Unaccounted returns the desktop for what only prepares an act, such as raising a
// window. Its calls count for LastAct and not as acts of the step.
func (e *Env) Unaccounted() *desktop.Desktop {
	if e.unaccounted == nil {
		return e.Desktop
	}
	return e.unaccounted
}
