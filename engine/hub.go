package engine

import (
	"context"
	"sync"
	"time"
)

// hub notifies watchers of a run that there are new events. It does not carry the
// events, so a slow watcher can neither delay a run nor miss an event: it reads the
// store at its own pace.
type hub struct {
	mu       sync.Mutex
	watchers map[chan struct{}]string // "" watches every run
	count    uint64                   // number of notifications, starting from a value unique to this engine
}

// version returns a number that grows with every notification.
func (h *hub) version() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		h.count = uint64(time.Now().UnixNano())
	}
	return h.count
}

// News returns a channel that is notified of new events of a run ("": of any run),
// and a function to stop that.
func (h *hub) News(run string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watchers = orEmpty(h.watchers)
	h.watchers[c] = run
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers, c)
	}
}

// Notify notifies those who follow a run of news ("": about any run), which may be from
// another process.
func (h *hub) Notify(run string) {
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
		default: // a notification is pending already
		}
	}
}

// Await implements Runs.
func (e *Engine) Await(ctx context.Context, id string, after uint64) (Header, error) {
	news, end := e.News(id)
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
