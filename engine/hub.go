package engine

import (
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
