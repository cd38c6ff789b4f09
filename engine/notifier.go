package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// notifier notifies watchers of a run that there are new events. It does not carry the
// events, so a slow watcher can neither delay a run nor miss an event: it reads the
// store at its own pace.
type notifier struct {
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
func (n *notifier) since(after uint64) (run string, number uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count == 0 {
		n.count = uint64(time.Now().UnixNano())
		n.forgotten = n.count
	}
	if after < n.forgotten || after > n.count {
		return "", n.count
	}
	if i := slices.IndexFunc(n.news, func(one notice) bool { return one.number > after }); i >= 0 {
		return n.news[i].run, n.news[i].number
	}
	return "", after
}

// remember adds a notification about a run to the news. The caller holds mu.
func (n *notifier) remember(run string) {
	if n.count == 0 {
		return // nobody asks for numbers
	}
	n.count++
	if run == "" {
		n.news, n.forgotten = nil, n.count
		return
	}
	n.news = append(slices.DeleteFunc(n.news, func(one notice) bool { return one.run == run }), notice{run, n.count})
	if len(n.news) > maxNews {
		n.forgotten = n.news[0].number
		n.news = slices.Delete(n.news, 0, 1)
	}
}

// News returns a channel that is notified of new events of a run ("": of any run),
// and a function to stop that.
func (n *notifier) News(run string) (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watchers = orEmpty(n.watchers)
	n.watchers[c] = run
	return c, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.watchers, c)
	}
}

// Notify wakes the subscribers of a run ("": of any run); the cause may be in
// another process.
func (n *notifier) Notify(run string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.remember(run)
	for c, of := range n.watchers {
		if run != "" && of != "" && of != run {
			continue
		}
		select {
		case c <- struct{}{}:
		default: // a notification is pending already
		}
	}
}

// lookEvery is how often a run of a fleet is polled without a notification: a server that dies sends
// none about what it has just stored.
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
			if run, number := e.notifier.since(after); number != after {
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
