package watch

import (
	"context"
	"slices"
	"sync"

	"understudy/internal/desktop"
)

// queue holds input until it is handled.
type queue struct {
	mu    sync.Mutex
	list  []desktop.InputEvent
	taken bool          // and not handled yet
	more  chan struct{} // holds one when the list is not empty
	moved func()        // called for input that may move the focus
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1), moved: func() {}} }

func (q *queue) add(ev desktop.InputEvent) {
	q.mu.Lock()
	q.list = append(q.list, ev)
	if mayMoveFocus(ev) {
		q.moved()
	}
	q.mu.Unlock()
	signal(q.more)
}

// take removes and returns the queued input, to be handled.
func (q *queue) take() []desktop.InputEvent {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.taken = nil, true
	return list
}

// done notes that the taken input is handled.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = false
}

// busy reports whether some input is not handled yet.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken || len(q.list) > 0
}

// hasAction reports whether anything but a move of the pointer is queued.
func (q *queue) hasAction() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.list, func(ev desktop.InputEvent) bool {
		return ev.Type != desktop.PointerMove && ev.Type != desktop.KeyRelease
	})
}

// untilFocusMoves returns a context that ends when input is queued that may move the focus. Only the
// latest such context does.
func (q *queue) untilFocusMoves(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.moved = cancel; slices.ContainsFunc(q.list, mayMoveFocus) {
		cancel()
	}
	return ctx, cancel
}

// mayMoveFocus reports whether input may move the focus.
func mayMoveFocus(ev desktop.InputEvent) bool {
	return ev.Type == desktop.ButtonPress || ev.Type == desktop.KeyPress && !ev.Key.IsModifier() && !isDeadKey(ev) && !staysInField(ev)
}
