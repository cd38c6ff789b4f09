package fake

import (
	"context"
	"slices"
	"time"

	"understudy/steps/desktop"
)

// watcher is one who watches, with what they have yet to be told.
type watcher struct {
	queue []desktop.InputEvent
	more  chan struct{} // holds one when the queue is not empty
}

// Emit is a person who does something: everyone who watches is told. What
// happens before anyone watches is told to the first who does. It only tells;
// the desktop does not change.
func (d *Desktop) Emit(events ...desktop.InputEvent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.watchers) == 0 {
		d.early = append(d.early, events...)
	}
	for _, w := range d.watchers {
		w.tell(events)
	}
}

func (w *watcher) tell(events []desktop.InputEvent) {
	w.queue = append(w.queue, events...)
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// Watch calls f for what is emitted, until the context ends, as the
// interface says.
func (d *Desktop) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	w := &watcher{more: make(chan struct{}, 1)}
	if err := d.do(ctx, "Watch", func() error {
		w.tell([]desktop.InputEvent{{Type: desktop.WatchBegan, Time: time.Now()}})
		w.tell(d.early)
		d.early, d.watchers = nil, append(d.watchers, w)
		return nil
	}); err != nil {
		return err
	}
	defer d.unwatch(w)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-w.more:
			for _, e := range d.take(w) {
				f(e)
			}
		}
	}
}

func (d *Desktop) take(w *watcher) []desktop.InputEvent {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := w.queue
	w.queue = nil
	return all
}

func (d *Desktop) unwatch(w *watcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watchers = slices.DeleteFunc(d.watchers, func(o *watcher) bool { return o == w })
}
