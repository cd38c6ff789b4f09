//go:build linux

package x11

import (
	"context"
	"fmt"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// A window manager that raises a window when it is clicked holds the pointer
// back from the press until it has done so. What the pointer does meanwhile is
// kept by the server, and given on afterwards; but a button then goes up, for
// the window, where the pointer is by that time, and moves become one. So
// nothing is done next before what was done is through. The server's own answer
// tells: what is kept has not yet changed the state that it gives.

const (
	// deliverWithin is how long a window manager may hold the pointer back. It
	// takes a millisecond, and seconds where the machine is very busy.
	deliverWithin = 10 * time.Second
	// deliverEvery is the pause between two questions.
	deliverEvery = 500 * time.Microsecond
)

// released waits until a button is up for the windows too.
func (l *xConn) released(ctx context.Context, button byte) error {
	return l.delivered(ctx, fmt.Sprintf("mouse button %d going up", button), func(p *xproto.QueryPointerReply) bool {
		return p.Mask&(xproto.KeyButMaskButton1<<(button-1)) == 0
	})
}

// left waits until the pointer has left a place for the windows too.
func (l *xConn) left(ctx context.Context, from, to desktop.Point) error {
	return l.delivered(ctx, fmt.Sprintf("the pointer's move from %s to %s", from, to), func(p *xproto.QueryPointerReply) bool {
		return from == to || from != pointed(p)
	})
}

// delivered waits until the server gives a state of the pointer.
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
