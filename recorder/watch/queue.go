package watch

import (
	"slices"
	"sync"

	"understudy/steps/desktop"
)

// queue holds input until it is handled.
type queue struct {
	mu    sync.Mutex
	list  []desktop.InputEvent
	taken bool          // and not handled yet
	more  chan struct{} // holds one when the list is not empty
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) add(ev desktop.InputEvent) {
	q.mu.Lock()
	q.list = append(q.list, ev)
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

// done notes that the input that was taken is handled.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = false
}

// busy reports whether input is not handled yet.
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

// movesFocus reports whether input is queued that may move the keyboard.
func (q *queue) movesFocus() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.list, func(ev desktop.InputEvent) bool {
		return ev.Type == desktop.ButtonPress || ev.Type == desktop.KeyPress && !ev.Key.IsModifier() && !isDeadKey(ev) && !staysInField(ev)
	})
}
