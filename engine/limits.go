package engine

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// limit is a time limit and the deadline that follows from it.
type limit struct {
	what string // what the limit applies to
	mend string // what to do when it is exceeded
	long time.Duration
	at   time.Time
}

func (l limit) exceeded() ErrorRecord {
	return ErrorRecord{Code: steps.Timeout, Message: fmt.Sprintf("%s did not end within %s", l.what, l.long), Next: l.mend}
}

func (l limit) error() error {
	e := l.exceeded()
	return &steps.Error{Code: e.Code, Err: fmt.Errorf("%s", e.Message), Next: e.Next}
}

// limits computes the limits of a run's steps, its lists and the run itself.
type limits struct{ *journal }

func (l limits) workflow() limit {
	long := l.program.Options.Timeout
	return limit{"the workflow", "resume the run, or raise its timeout", long, l.s.Since.Add(long - l.s.Used)}
}

func (l limits) list(i int) limit {
	f := l.s.Frames[i]
	of := limit{"finally", "make it shorter: it has " + finallyLimit.String() + " in all", f.Limit, f.Since.Add(f.Limit)}
	if f.Sort == FinallyFrame || i == 0 {
		return of
	}
	owner := &l.s.Frames[i-1]
	what := map[FrameSort]string{GroupFrame: "group", LoopFrame: "loop", BodyFrame: "called workflow"}[f.Sort]
	n, err := l.layout.node(owner)
	if err != nil {
		n = nil
	}
	of.what, of.mend = fmt.Sprintf("the %s at step %s", what, name(n, pathOf(owner))), "raise the timeout of that step, or do less in it"
	return of
}

// overdue reports whether the attempt has used up the time of its workflow.
func (l limits) overdue() bool {
	limit := l.program.Options.Timeout
	return limit > 0 && l.s.Stop == nil && !l.s.finishing() && l.s.Used+time.Since(l.s.Since) >= limit
}

// expire ends the outermost list that has exceeded its limit.
func (l limits) expire() error {
	now := time.Now()
	for i, f := range l.s.Frames {
		if f.Limit == 0 || f.Failure != nil || now.Sub(f.Since) < f.Limit {
			continue
		}
		return l.record(EvExpired, f.Base, Expired{Depth: i + 1, Error: l.list(i).exceeded()})
	}
	return nil
}

// context returns the context of one effect. A stop cancels it, unless finally is
// being executed; a second stop or a shutdown always does.
func (w *worker) context(limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	w.stops.begin(cancel, w.s.Stop != nil || w.s.finishing())
	release := func() {}
	if l, ok := w.limits.deadline(limit); ok && limit != unlimited {
		ctx, release = context.WithDeadlineCause(ctx, l.at, l.error())
	}
	return ctx, func() {
		w.stops.begin(nil, false)
		release()
		cancel(nil)
	}
}

// unlimited is the limit of an effect whose time does not count.
const unlimited time.Duration = -1

// deadline returns the first of the deadlines of an effect: its own, those of the
// lists around it, and that of the workflow.
func (l limits) deadline(own time.Duration) (first limit, ok bool) {
	sooner := func(l limit) {
		if !ok || l.at.Before(first.at) {
			first, ok = l, true
		}
	}
	if t := l.program.Options.Timeout; t > 0 && !l.s.finishing() {
		sooner(l.workflow())
	}
	for i, f := range l.s.Frames {
		if f.Limit > 0 && f.Failure == nil {
			sooner(l.list(i))
		}
	}
	if own > 0 {
		sooner(limit{"it", "raise its timeout, or look at the picture to see what it waited for", own, time.Now().Add(own)})
	}
	return first, ok
}

// timeoutOf returns the limit of what is done for a node, or for a document (nil).
func timeoutOf(n *workflows.Node) time.Duration {
	switch {
	case n != nil && n.Timeout > 0:
		return n.Timeout
	case n != nil && n.Kind != nil:
		return n.Kind.Timeout
	}
	return steps.DefaultTimeout
}
