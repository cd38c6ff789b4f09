package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
)

// heartbeat is the longest that a client waits for a sign of life.
const heartbeat = 10 * time.Second

// progress tells a client how far a run is. The latest state wins, and it is
// sent by a goroutine of its own, because a client that does not read would
// otherwise hold up the call.
type progress struct {
	send func(mcp.ProgressNotificationParams) error
	quit chan struct{}
	done chan struct{}
	news chan struct{}

	mu   sync.Mutex
	next mcp.ProgressNotificationParams
	seen uint64 // the event that was read last
}

// progress is nil when the client did not ask for it.
func (s *Server) progress(ctx context.Context, c *call) *progress {
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	p := &progress{quit: make(chan struct{}), done: make(chan struct{}), news: make(chan struct{}, 1)}
	p.send = func(n mcp.ProgressNotificationParams) error {
		n.ProgressToken = token
		return c.req.Session.NotifyProgress(ctx, &n)
	}
	go p.work()
	return p
}

// tell notes how far a run is.
func (p *progress) tell(ctx context.Context, runs engine.Runs, h engine.Header) {
	message := string(h.Status)
	if evs, err := runs.Events(ctx, h.ID, p.seen+1); err == nil {
		for _, ev := range evs {
			p.seen = ev.Seq
			if ev.Type == engine.EvStarted || ev.Type == engine.EvAsked {
				message = stepOf(ev)
			}
		}
	}
	p.mu.Lock()
	p.next.Progress, p.next.Total, p.next.Message = float64(h.Executed), float64(max(h.Total, h.Executed)), message
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// work sends what is new, and a heartbeat when nothing is. The value always
// grows, as the protocol wants it.
func (p *progress) work() {
	defer close(p.done)
	t := time.NewTicker(heartbeat)
	defer t.Stop()
	last := -1.0
	for beats := 0.0; ; {
		beat := false
		select {
		case <-p.quit:
			return
		case <-p.news:
		case <-t.C:
			beat = true
		}
		p.mu.Lock()
		n := p.next
		p.mu.Unlock()
		if beat && n.Progress <= last {
			beats++
			n.Progress += beats / (beats + 1)
		}
		if n.Progress <= last {
			continue
		}
		if last = n.Progress; !beat {
			beats = 0
		}
		if p.send(n) != nil {
			return
		}
	}
}

// patience is how long the end of a call waits for the last sign of progress.
const patience = 100 * time.Millisecond

// end stops the telling. A client that does not read is not waited for.
func (p *progress) end() {
	if p == nil {
		return
	}
	close(p.quit)
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
	}
}

// stepOf is the step that an event is about, in words.
func stepOf(ev engine.Event) string {
	var data struct {
		ID   string `json:"id"`
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	if json.Unmarshal(ev.Data, &data) != nil {
		return ev.Path
	}
	return strings.Join(slices.DeleteFunc([]string{cmp.Or(data.ID, ev.Path), data.Kind, data.Text}, func(w string) bool { return w == "" }), " ")
}
