package engine

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// limit is a time by which something must end.
type limit struct {
	what string // whose limit it is
	mend string // what to do when it is passed
	long time.Duration
	at   time.Time
}

// exceeded is the error of what did not end in time.
func (l limit) exceeded() ErrorRecord {
	return ErrorRecord{Code: steps.Timeout, Message: fmt.Sprintf("%s did not end within %s", l.what, l.long), Next: l.mend}
}

func (l limit) error() error {
	e := l.exceeded()
	return &steps.Error{Code: e.Code, Err: fmt.Errorf("%s", e.Message), Next: e.Next}
}

// tryLimit is that of one effect.
func tryLimit(d time.Duration) limit {
	return limit{"it", "raise its timeout, or look at the picture to see what it waited for", d, time.Now().Add(d)}
}

// workflowLimit is that of the attempt.
func (w *worker) workflowLimit() limit {
	long := w.program.Options.Timeout
	return limit{"the workflow", "resume the run, or raise its timeout", long, w.s.Since.Add(long - w.s.Used)}
}

// listLimit is that of a list which is executed.
func (w *worker) listLimit(i int) limit {
	f := w.s.Frames[i]
	l := limit{"finally", "make it shorter: it has " + finallyLimit.String() + " in all", f.Limit, f.Since.Add(f.Limit)}
	if f.Sort == FinallyFrame || i == 0 {
		return l
	}
	owner := &w.s.Frames[i-1]
	what := map[FrameSort]string{GroupFrame: "group", LoopFrame: "loop", BodyFrame: "called workflow"}[f.Sort]
	n, err := w.layout.node(owner)
	if err != nil {
		n = nil
	}
	l.what, l.mend = fmt.Sprintf("the %s at step %s", what, name(n, pathOf(owner))), "raise the timeout of that step, or do less in it"
	return l
}

// overdue says whether the attempt has used up the time of its workflow.
func (w *worker) overdue() bool {
	limit := w.program.Options.Timeout
	return limit > 0 && w.s.Stop == nil && !w.s.finishing() && w.s.Used+time.Since(w.s.Since) >= limit
}

// expire ends the outermost list whose limit has passed.
func (w *worker) expire() error {
	now := time.Now()
	for i, f := range w.s.Frames {
		if f.Limit == 0 || f.Failure != nil || now.Sub(f.Since) < f.Limit {
			continue
		}
		return w.record(EvExpired, f.Base, Expired{Depth: i + 1, Error: w.listLimit(i).exceeded()})
	}
	return nil
}

// context is the context of one effect: a stop cancels it, unless finally is
// executed; a second stop, or the end of the program, always does.
func (w *worker) context(limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(w.e.life)
	w.mu.Lock()
	w.cancel, w.shielded = cancel, w.s.Stop != nil || w.s.finishing()
	w.wake()
	w.mu.Unlock()
	release := func() {}
	if l, ok := w.deadline(limit); ok && limit != unlimited {
		ctx, release = context.WithDeadlineCause(ctx, l.at, l.error())
	}
	return ctx, func() {
		w.mu.Lock()
		w.cancel = nil
		w.mu.Unlock()
		release()
		cancel(nil)
	}
}

// unlimited is the limit of an effect whose time does not count.
const unlimited time.Duration = -1

// deadline is when an effect must end: by its own limit, by those of the
// lists around it, or by that of the workflow.
func (w *worker) deadline(own time.Duration) (first limit, ok bool) {
	sooner := func(l limit) {
		if !ok || l.at.Before(first.at) {
			first, ok = l, true
		}
	}
	if t := w.program.Options.Timeout; t > 0 && !w.s.finishing() {
		sooner(w.workflowLimit())
	}
	for i, f := range w.s.Frames {
		if f.Limit > 0 && f.Failure == nil {
			sooner(w.listLimit(i))
		}
	}
	if own > 0 {
		sooner(tryLimit(own))
	}
	return first, ok
}

// limitOf is how long one attempt of a node may take.
func (w *worker) limitOf(n *workflows.Node) time.Duration {
	switch {
	case n == nil:
		return steps.DefaultTimeout
	case n.Timeout > 0:
		return n.Timeout
	case n.Kind != nil:
		return n.Kind.Timeout
	}
	return steps.DefaultTimeout
}
