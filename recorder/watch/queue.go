package watch

import (
	"slices"
	"sync"

	"understudy/steps/desktop"
)

// queue holds what was seen until it is understood.
type queue struct {
	mu    sync.Mutex
	list  []desktop.InputEvent
	taken bool          // and what was taken is not understood yet
	more  chan struct{} // holds one when the list is not empty
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) add(ev desktop.InputEvent) {
	q.mu.Lock()
	q.list = append(q.list, ev)
	q.mu.Unlock()
	signal(q.more)
}

// take gives what was seen, to be understood.
func (q *queue) take() []desktop.InputEvent {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list, q.taken = nil, true
	return list
}

// done says that what was taken is understood.
func (q *queue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken = false
}

// busy reports whether something was seen that is not understood yet.
func (q *queue) busy() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken || len(q.list) > 0
}

// hasAction reports whether something other than a move of the pointer was seen and
// not understood yet.
func (q *queue) hasAction() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.list, func(ev desktop.InputEvent) bool {
		return ev.Type != desktop.PointerMove && ev.Type != desktop.KeyRelease
	})
}
