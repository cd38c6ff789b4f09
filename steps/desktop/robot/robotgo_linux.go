package robot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-vgo/robotgo/x11"

	"understudy/steps/desktop"
)

// robotgo has one connection in a process, which it opens by the environment,
// never reads events from, and waits on for ever. What it is connected to is
// kept here, for all robots; whoever holds the turn may call it.
var toolkit = struct {
	turn     turn
	to       *link // the link beside which its connection was opened
	mappings int64 // how often the mapping had changed then
}{turn: newTurn()}

// stale is after how many changes of the mapping robotgo's connection is
// opened anew: well before it is full of unread events.
const stale = 1000

// robotgo runs f, which calls robotgo, and makes sure that it could do what
// it did: the display answers before and after, and it is the right one. f
// must not be called when the display is stuck, because robotgo then keeps
// the turn until the display moves again.
func (r *Robot) robotgo(ctx context.Context, l *link, f func() error) error {
	if err := l.ping(ctx); err != nil {
		return err
	}
	if err := r.takeToolkit(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer toolkit.turn.give()
		r.aimToolkit(l)
		done <- f()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return errors.Join(err, l.ping(ctx))
	case <-timer.C:
	case <-ctx.Done():
		timer.Reset(grace)
		select {
		case err := <-done:
			return err
		case <-timer.C:
		}
	}
	l.cut() // so that the next call starts afresh
	return fmt.Errorf("the display %s did not take the input in time: %w", l.place.name, desktop.ErrUnresponsive)
}

// takeToolkit waits for robotgo, which an earlier call may be stuck in.
func (r *Robot) takeToolkit(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("an earlier input still waits for its display: %w", desktop.ErrUnresponsive))
	defer cancel()
	return toolkit.turn.take(ctx)
}

// aimToolkit makes robotgo's next call go to our display. The caller holds
// the turn.
func (r *Robot) aimToolkit(l *link) {
	seen := l.mappings.Load()
	if toolkit.to == l && seen-toolkit.mappings < stale && !l.remapped.Swap(false) {
		return
	}
	x11.Close()
	os.Setenv("DISPLAY", l.place.name)
	if r.o.Authority != "" {
		os.Setenv("XAUTHORITY", r.o.Authority)
	}
	toolkit.to, toolkit.mappings = l, seen
}
