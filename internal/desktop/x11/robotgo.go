//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-vgo/robotgo/x11"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// robotgo has one connection in a process. It opens that as the environment says, never reads
// its events, and waits on it for ever. toolkit is what that connection is, for all drivers;
// whoever holds the lock may call robotgo.
var toolkit = struct {
	input.Mutex
	to       *xConn // our connection to the same display
	mappings int64  // how often the mapping had changed when it was opened
}{Mutex: input.NewMutex()}

// stale is the number of changes of the mapping after which robotgo's connection is opened
// again, which takes a millisecond: it gets several events for each change, and stops for ever
// at 5,000 unread events.
const stale = 200

// robotgo calls f, which calls robotgo, and makes sure that it had an effect: the display
// answers before and after, and is the right one.
func (d *Driver) robotgo(ctx context.Context, l *xConn, f func() error) error {
	if err := l.ping(ctx); err != nil {
		return err
	}
	if err := takeToolkit(ctx); err != nil {
		return err
	}
	opened, done := make(chan struct{}), make(chan error, 1)
	go func() {
		d.aimToolkit(l)
		close(opened)
		done <- f()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		toolkit.Unlock()
		return errors.Join(err, l.ping(ctx))
	case <-timer.C:
	case <-ctx.Done():
		timer.Reset(grace)
		select {
		case err := <-done:
			toolkit.Unlock()
			return err
		case <-timer.C:
		}
	}
	l.cut() // so that the next call connects again
	go abandonToolkit(opened)
	return fmt.Errorf("the display %s did not take the input in time: %w", l.address.name, desktop.ErrUnresponsive)
}

// abandonToolkit unlocks robotgo for the next caller, who opens a new connection. Until robotgo
// has opened this one nobody else can use it: that ends when the display answers again, or
// dies.
func abandonToolkit(opened <-chan struct{}) {
	<-opened
	toolkit.to = nil
	go x11.Close() // it may wait for the call that is stuck
	toolkit.Unlock()
}

// takeToolkit locks robotgo, in which an earlier call may be stuck.
func takeToolkit(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("an earlier input still waits for its display: %w", desktop.ErrUnresponsive))
	defer cancel()
	return toolkit.Lock(ctx)
}

// aimToolkit opens robotgo's connection to our display, unless it is open and has few unread
// events. The caller holds the lock.
func (d *Driver) aimToolkit(l *xConn) {
	seen := l.mappings.Load()
	if toolkit.to == l && seen-toolkit.mappings < stale {
		return
	}
	x11.Close()
	os.Setenv("DISPLAY", l.address.name)
	if d.options.Authority != "" {
		os.Setenv("XAUTHORITY", d.options.Authority)
	}
	toolkit.to, toolkit.mappings = l, seen
	x11.GetScreenSize() // anything that opens it
}
