package steps

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"understudy/internal/desktop"
)

// Acted reports whether an attempt changed anything outside the run.
type Acted string

// No: nothing was done. Yes: it was done. Maybe: it was begun, and whether it came
// about is unknown.
const (
	ActedNo    Acted = "no"
	ActedMaybe Acted = "maybe"
	ActedYes   Acted = "yes"
)

// acted are the values by their number in an Env, which begins with no.
var acted = [...]Acted{ActedNo, ActedYes, ActedMaybe}

const actedYes, actedMaybe = 1, 2

// Act runs do and records the outcome: maybe before the call, yes on success, and the
// value before if the error proves that nothing was started. Doubt about one act
// remains doubt about the attempt.
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

// Acted reports whether this attempt has acted so far.
func (e *Env) Acted() Acted { return acted[e.acted.Load()] }

// notBegun reports whether an error proves that nothing was started.
func notBegun(err error) bool {
	if _, missing := errors.AsType[*desktop.MissingError](err); missing {
		return true
	}
	if _, before := errors.AsType[*desktop.NotBegunError](err); before {
		return true
	}
	switch CodeOf(err) {
	case Invalid, NotFound, Denied:
		return true
	}
	if part, typed := errors.AsType[*desktop.TypingError](err); typed && part.Sent > 0 {
		return false
	}
	return errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrMoved)
}

// LastAct is the time of the last act on a desktop. A nil LastAct is always now, so that
// who cannot know of the acts of others waits as after one.
type LastAct struct {
	last atomic.Pointer[time.Time]
}

// Do runs an act and marks its end.
func (s *LastAct) Do(do func() error) error {
	defer s.Mark()
	return do()
}

// Mark notes that an act has just ended.
func (s *LastAct) Mark() {
	if s != nil {
		now := time.Now()
		s.last.Store(&now)
	}
}

// At returns when the last act ended: the zero time if there was none, and now if s is
// nil.
func (s *LastAct) At() time.Time {
	if s == nil {
		return time.Now()
	}
	if last := s.last.Load(); last != nil {
		return *last
	}
	return time.Time{}
}

// withAccount returns the desktop with every action passed through act, which records it,
// so that an outcome states truly whether the step acted. Kinds only ever get such a
// desktop.
func (e *Env) withAccount(d *desktop.Desktop, act func(do func() error) error) *desktop.Desktop {
	c := *d
	c.Actor = accounted{e, act, d.Actor}
	return &c
}

type accounted struct {
	env *Env
	act func(do func() error) error
	of  desktop.Actor
}

// Do performs an action and records it, except marks, panels and restoring the user's
// focus, which change nothing that a step is for.
func (w accounted) Do(ctx context.Context, a desktop.Action) error {
	switch a.(type) {
	case desktop.Mark, desktop.Unmark, desktop.Panel, desktop.RestoreFocus:
		return w.of.Do(ctx, a)
	}
	a, err := w.env.guarded(ctx, a)
	if err != nil {
		return err
	}
	defer func() { w.env.Keyboard.acted(a) }()
	var refused error
	err = w.act(func() error {
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

// account replaces the desktop by one that records acts.
func (e *Env) account() {
	if e.Desktop != nil && e.unaccounted == nil {
		plain := e.withoutTerminals(e.Desktop)
		e.unaccounted, e.Desktop = e.withAccount(plain, e.LastAct.Do), e.withAccount(plain, e.Act)
	}
}

// Unaccounted returns the desktop for preparing an act, such as raising a window. Its
// calls update LastAct and do not count as acts of the step.
func (e *Env) Unaccounted() *desktop.Desktop {
	if e.unaccounted == nil {
		return e.Desktop
	}
	return e.unaccounted
}
