package mcpserver

//lint:file-ignore SA1019 Older clients still ask for log messages, which the protocol will drop.

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
)

// heartbeat is the longest that a client waits for a sign of life.
const heartbeat = 10 * time.Second

// telling tells a client what its run does while it waits: how far it is, of
// which the latest state wins, and what is logged. A goroutine of its own sends,
// because a client that does not read would otherwise hold up the call.
type telling struct {
	progress func(mcp.ProgressNotificationParams) error // nil: not asked for
	log      func(*mcp.LoggingMessageParams) error      // nil: not asked for
	level    slog.Level

	quit chan struct{}
	done chan struct{}
	news chan struct{}
	seen uint64 // the event that was read last

	mu    sync.Mutex
	next  mcp.ProgressNotificationParams
	fresh bool // next was not sent
	lines []*mcp.LoggingMessageParams
}

// telling tells what a run does from now on; nil when the client asked for
// nothing.
func (r *runner) telling(ctx context.Context, c *call, h engine.Header) *telling {
	token := c.req.Params.GetProgressToken()
	level, listens := r.levels.of(c.req)
	if token == nil && !listens {
		return nil
	}
	t := &telling{quit: make(chan struct{}), done: make(chan struct{}), news: make(chan struct{}, 1), level: level, seen: h.Seq}
	if token != nil {
		t.progress = func(n mcp.ProgressNotificationParams) error {
			n.ProgressToken = token
			return c.req.Session.NotifyProgress(ctx, &n)
		}
	}
	if listens {
		t.log = func(m *mcp.LoggingMessageParams) error { return c.req.Session.Log(ctx, m) }
	}
	go t.work()
	return t
}

// tell notes what a run has done.
func (t *telling) tell(ctx context.Context, runs engine.Runs, h engine.Header) {
	message := string(h.Status)
	var lines []*mcp.LoggingMessageParams
	if evs, err := runs.Events(ctx, h.ID, t.seen+1); err == nil {
		for _, ev := range evs {
			t.seen = ev.Seq
			if ev.Type == engine.EvStarted || ev.Type == engine.EvAsked {
				message = stepOf(ev)
			}
			if line, level := logLine(h.ID, ev); line != nil && t.log != nil && level >= t.level {
				lines = append(lines, line)
			}
		}
	}
	t.mu.Lock()
	t.next.Progress, t.next.Total, t.next.Message = float64(h.Executed), float64(max(h.Total, h.Executed)), message
	t.fresh = true
	t.lines = append(t.lines, lines...)
	if over := len(t.lines) - mostLines; over > 0 {
		t.lines = slices.Delete(t.lines, 0, over)
	}
	t.mu.Unlock()
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// mostLines is how many log messages wait at most for a client that does not
// read; the oldest are dropped, and stay in the events of the run.
const mostLines = 1000

// take is what is to be sent.
func (t *telling) take() (p mcp.ProgressNotificationParams, fresh bool, lines []*mcp.LoggingMessageParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, fresh, lines = t.next, t.fresh, t.lines
	t.fresh, t.lines = false, nil
	return p, fresh, lines
}

// work sends what is new, and a heartbeat when nothing is. The value always
// grows, as the protocol wants it.
func (t *telling) work() {
	defer close(t.done)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	last, beats := -1.0, 0.0
	for over := false; !over; {
		alive := false
		select {
		case <-t.quit:
			over = true
		case <-t.news:
		case <-beat.C:
			alive = true
		}
		p, fresh, lines := t.take()
		for _, line := range lines {
			if t.log(line) != nil {
				return
			}
		}
		if t.progress == nil || !fresh && !alive {
			continue
		}
		if alive && p.Progress <= last {
			beats++
			p.Progress += beats / (beats + 1)
		}
		if p.Progress <= last {
			continue
		}
		if last = p.Progress; !alive {
			beats = 0
		}
		if t.progress(p) != nil {
			return
		}
	}
}

// patience is how long the end of a call waits for the last that is told.
const patience = 500 * time.Millisecond

// end stops the telling. A client that does not read is not waited for.
func (t *telling) end() {
	if t == nil {
		return
	}
	close(t.quit)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-t.done:
	case <-timer.C:
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
