package fake

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"understudy/internal/desktop"
)

// watchers are the calls of Watch that have not ended.
type watchers struct {
	watch sync.Mutex // guards the fields below
	all   []*watcher
	early []desktop.InputEvent // emitted before the first call
}

// A watcher is one call of Watch.
type watcher struct {
	queue []desktop.InputEvent // not delivered yet
	more  chan struct{}        // holds one value if the queue is not empty
}

// Emit acts as a person: every watcher is told. Events before the first call of
// Watch are delivered to that call. The desktop itself does not change.
func (w *watchers) Emit(events ...desktop.InputEvent) {
	w.watch.Lock()
	defer w.watch.Unlock()
	if len(w.all) == 0 {
		w.early = append(w.early, events...)
	}
	for _, o := range w.all {
		o.tell(events...)
	}
}

func (w *watcher) tell(events ...desktop.InputEvent) {
	w.queue = append(w.queue, events...)
	select {
	case w.more <- struct{}{}:
	default:
	}
}

func (w *watchers) begin() *watcher {
	w.watch.Lock()
	defer w.watch.Unlock()
	o := &watcher{more: make(chan struct{}, 1)}
	o.tell(desktop.InputEvent{Type: desktop.WatchBegan, Time: time.Now()})
	o.tell(w.early...)
	w.early, w.all = nil, append(w.all, o)
	return o
}

func (w *watchers) take(o *watcher) []desktop.InputEvent {
	w.watch.Lock()
	defer w.watch.Unlock()
	all := o.queue
	o.queue = nil
	return all
}

func (w *watchers) end(o *watcher) {
	w.watch.Lock()
	defer w.watch.Unlock()
	w.all = slices.DeleteFunc(w.all, func(p *watcher) bool { return p == o })
}

// Watch calls f for each emitted event, until the context ends.
func (d *Desktop) Watch(ctx context.Context, f func(desktop.InputEvent)) error {
	var w *watcher
	if err := d.do(ctx, "Watch", func() error { w = d.begin(); return nil }); err != nil {
		return err
	}
	defer d.end(w)
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

// A listener is one call of WatchFocus or WatchElement.
type listener struct {
	of   desktop.Handle // "": the focus
	last string         // what it showed when f was called last
	f    func()
}

// WatchFocus calls f when the focus moved.
func (d *Desktop) WatchFocus(ctx context.Context, f func()) error {
	return d.listen(ctx, "WatchFocus", "", f)
}

// WatchElement calls f when an element shows something else.
func (d *Desktop) WatchElement(ctx context.Context, h desktop.Handle, f func()) error {
	return d.listen(ctx, "WatchElement", h, f)
}

func (d *Desktop) listen(ctx context.Context, method string, of desktop.Handle, f func()) error {
	l := &listener{of: of, f: f}
	if err := d.do(ctx, method, func() error {
		if of != "" && d.node(of) == nil {
			return desktop.ErrNotFound
		}
		l.last = d.shows(of)
		d.listeners = append(d.listeners, l)
		d.later(f)
		return nil
	}); err != nil {
		return err
	}
	<-ctx.Done()
	return d.change(func() error {
		d.listeners = slices.DeleteFunc(d.listeners, func(o *listener) bool { return o == l })
		return context.Cause(ctx)
	})
}

// notify calls the listeners whose part of the desktop has changed. The mutex is
// held.
func (d *Desktop) notify() {
	for _, l := range d.listeners {
		if now := d.shows(l.of); now != l.last {
			l.last = now
			d.later(l.f)
		}
	}
}

// shows returns what an element shows, or for "" the handle of the focused one.
func (s *stack) shows(h desktop.Handle) string {
	if h != "" {
		n := s.node(h)
		if n == nil {
			return ""
		}
		number := 0.0
		if n.el.Value != nil {
			number = n.el.Value.Now
		}
		return fmt.Sprint(n.el.Name, string(n.text), n.el.States&^desktop.Focused, number) // the focus has its own listeners
	}
	if s.focused == nil {
		return ""
	}
	return string(s.focused.el.Handle)
}
