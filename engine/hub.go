package engine

import (
	"context"
	"sync"
	"time"
)

// hub tells those who watch a run that it has new events. It hands over no
// events, only the news, so a slow watcher can neither slow a run nor miss
// one: it reads what is stored when it comes round.
type hub struct {
	mu       sync.Mutex
	watchers map[chan struct{}]string // "" watches every run
	count    uint64                   // of the news so far, from a number that no other engine had
}

// version is a number that grows with all news, of whatever run.
func (h *hub) version() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		h.count = uint64(time.Now().UnixNano())
	}
	return h.count
}

// watch gives a channel on which news arrives, and a function to end it.
func (h *hub) watch(run string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers == nil {
		h.watchers = map[chan struct{}]string{}
	}
	h.watchers[c] = run
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, c)
	}
}

func (h *hub) notify(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count > 0 {
		h.count++
	}
	for c, of := range h.watchers {
		if run != "" && of != "" && of != run {
			continue
		}
		select {
		case c <- struct{}{}:
		default: // it has news already
		}
	}
}

// Await returns when a run has more events than after, or stands still.
func (e *Engine) Await(ctx context.Context, id string, after uint64) (Header, error) {
	news, end := e.hub.watch(id)
	defer end()
	for {
		if id == "" {
			if now := e.hub.version(); now != after {
				return Header{Seq: now}, nil
			}
		} else if h, err := e.Get(ctx, id); err != nil || h.Seq > after || h.Status != Running && h.Status != Queued {
			return h, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
}

// News is a channel on which the news arrives that a run has new events; ""
// is every run. The function ends it.
func (e *Engine) News(id string) (<-chan struct{}, func()) {
	return e.hub.watch(id)
}

// Notify tells those who follow a run that it has news from another process;
// "" is any run.
func (e *Engine) Notify(run string) {
	e.hub.notify(run)
}
