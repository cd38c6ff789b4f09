package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// hub notifies watchers of a run that there are new events. It does not carry the
// events, so a slow watcher can neither delay a run nor miss an event: it reads the
// store at its own pace.
type hub struct {
	mu        sync.Mutex
	watchers  map[chan struct{}]string // "" watches every run
	count     uint64                   // number of notifications, starting from a value unique to this engine
	news      []notice                 // the last notification of each run, the oldest first
	forgotten uint64                   // the number of the last notification that is not in news
}

// notice is a notification about a run.
type notice struct {
	run    string
	number uint64
}

// maxNews bounds the notifications that are remembered.
const maxNews = 256

// since returns the first notification after a number: its run, or "" if it may be any, and
// its number. If there is none, it returns the same number.
func (h *hub) since(after uint64) (run string, number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count == 0 {
		h.count = uint64(time.Now().UnixNano())
		h.forgotten = h.count
	}
	if after < h.forgotten || after > h.count {
		return "", h.count
	}
	if i := slices.IndexFunc(h.news, func(n notice) bool { return n.number > after }); i >= 0 {
		return h.news[i].run, h.news[i].number
	}
	return "", after
}

// remember adds a notification about a run to the news. The caller holds mu.
func (h *hub) remember(run string) {
	if h.count == 0 {
		return // nobody asks for numbers
	}
	h.count++
	if run == "" {
		h.news, h.forgotten = nil, h.count
		return
	}
	h.news = append(slices.DeleteFunc(h.news, func(n notice) bool { return n.run == run }), notice{run, h.count})
	if len(h.news) > maxNews {
		h.forgotten = h.news[0].number
		h.news = slices.Delete(h.news, 0, 1)
	}
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
	h.remember(run)
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

// lookEvery is how often a run of a fleet is looked at without news: a server that dies tells
// nobody what it has just stored.
const lookEvery = 15 * time.Second

// Await implements Runs.
func (e *Engine) Await(ctx context.Context, id string, after uint64) (Header, error) {
	news, end := e.News(id)
	defer end()
	var late <-chan time.Time
	if e.Elsewhere && id != "" {
		t := time.NewTicker(lookEvery)
		defer t.Stop()
		late = t.C
	}
	for {
		if id == "" {
			if run, number := e.hub.since(after); number != after {
				return Header{ID: run, Seq: number}, nil
			}
		} else if h, err := e.Get(ctx, id); err != nil || h.Seq > after || h.Status != Running && h.Status != Queued {
			return h, err
		}
		select {
		case <-news:
		case <-late:
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
}
