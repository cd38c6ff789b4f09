//go:build linux

package x11

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// A window manager that raises windows when they are clicked freezes the pointer from the
// press until it has done so. The server queues the pointer events of that time and delivers
// them afterwards; but then the window sees the button released where the pointer is by that
// time, and several moves as one. So each action waits until the one before has been
// delivered: queued events have not yet changed the state that QueryPointer returns.

const (
	// deliverWithin is how long a window manager may freeze the pointer. It takes a
	// millisecond, or seconds if the machine is very busy.
	deliverWithin = 10 * time.Second
	// deliverEvery is the interval of polling.
	deliverEvery = 500 * time.Microsecond
)

// released waits until the release of a button has been delivered.
func (l *xConn) released(ctx context.Context, button byte) error {
	return l.delivered(ctx, fmt.Sprintf("mouse button %d going up", button), func(p *xproto.QueryPointerReply) bool {
		return p.Mask&(xproto.KeyButMaskButton1<<(button-1)) == 0
	})
}

// left waits until a move away from a point has been delivered.
func (l *xConn) left(ctx context.Context, from, to desktop.Point) error {
	return l.delivered(ctx, fmt.Sprintf("the pointer's move from %s to %s", from, to), func(p *xproto.QueryPointerReply) bool {
		return from == to || from != pointed(p)
	})
}

// delivered polls the state of the pointer until it is as expected.
func (l *xConn) delivered(ctx context.Context, what string, through func(*xproto.QueryPointerReply) bool) error {
	limited, cancel := context.WithTimeoutCause(ctx, deliverWithin, fmt.Errorf(
		"%s has reached no window within %s, something holds the pointer back, such as the window manager or a button that a person presses: %w",
		what, deliverWithin, desktop.ErrUnclear))
	defer cancel()
	for {
		p, err := ask(limited, l, func() (*xproto.QueryPointerReply, error) { return xproto.QueryPointer(l.x, l.root).Reply() })
		if err != nil {
			return err
		}
		if through(p) {
			return nil
		}
		if err := desktop.Sleep(limited, deliverEvery); err != nil {
			return err
		}
	}
}

func pointed(p *xproto.QueryPointerReply) desktop.Point {
	return desktop.Point{X: int(p.RootX), Y: int(p.RootY)}
}
