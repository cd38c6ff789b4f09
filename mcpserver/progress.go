package mcpserver

//lint:file-ignore SA1019 Older clients still ask for log messages, which the protocol will drop.

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
)

// heartbeat is the longest time without a message.
const heartbeat = 10 * time.Second

// progress reports to a client the progress and the log messages of its run while the
// client waits. A newer state replaces an unsent one. A goroutine sends, because a
// client that does not read would otherwise block the call.
type progress struct {
	notify func(mcp.ProgressNotificationParams) error // nil: not asked for
	log    func(*mcp.LoggingMessageParams) error      // nil: not asked for
	level  slog.Level

	quit chan struct{}
	done chan struct{}
	wake chan struct{}
	seen uint64 // the number of the last event that was read

	mu    sync.Mutex
	next  mcp.ProgressNotificationParams
	fresh bool // next is unsent
	lines []*mcp.LoggingMessageParams
}

// startProgress begins to report on a run; it returns nil if the client asked for
// nothing.
func (r *runner) startProgress(ctx context.Context, c *call, h engine.Header) *progress {
	token := c.req.Params.GetProgressToken()
	level, listens := r.levels.of(c.req)
	if token == nil && !listens {
		return nil
	}
	t := &progress{quit: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}, 1), level: level, seen: h.Seq}
	if token != nil {
		t.notify = func(n mcp.ProgressNotificationParams) error {
			n.ProgressToken = token
			return c.req.Session.NotifyProgress(ctx, &n)
		}
	}
	if listens {
		t.log = func(m *mcp.LoggingMessageParams) error { return c.req.Session.Log(ctx, m) }
	}
	go t.run()
	return t
}

func (t *progress) report(ctx context.Context, runs engine.Runs, h engine.Header) {
	message := words.Say("%s", h.Status)
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
	if h.Rounds > 0 && h.Status == engine.Running {
		message += words.Say(", round %d of %d", h.Round, h.Rounds)
	}
	t.mu.Lock()
	t.next.Progress, t.next.Total, t.next.Message = float64(h.Executed), float64(max(h.Total, h.Executed)), contentOf(message).Text
	t.fresh = true
	t.lines = append(t.lines, lines...)
	if over := len(t.lines) - maxLines; over > 0 {
		t.lines = slices.Delete(t.lines, 0, over)
	}
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// maxLines bounds the log messages queued for a client that does not read. The oldest
// are dropped; they remain in the events of the run.
const maxLines = 1000

func (t *progress) drain() (p mcp.ProgressNotificationParams, fresh bool, lines []*mcp.LoggingMessageParams) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, fresh, lines = t.next, t.fresh, t.lines
	t.fresh, t.lines = false, nil
	return p, fresh, lines
}

// run sends what is new, and a heartbeat when nothing is. The progress value always
// increases, as the protocol requires.
func (t *progress) run() {
	defer close(t.done)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	last, beats := -1.0, 0.0
	for over := false; !over; {
		alive := false
		select {
		case <-t.quit:
			over = true
		case <-t.wake:
		case <-beat.C:
			alive = true
		}
		p, fresh, lines := t.drain()
		for _, line := range lines {
			if t.log(line) != nil {
				return
			}
		}
		if t.notify == nil || !fresh && !alive {
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
		if t.notify(p) != nil {
			return
		}
	}
}

// flushTimeout bounds the wait for the last messages at the end of a call.
const flushTimeout = 500 * time.Millisecond

// end stops reporting. It does not wait for a client that does not read.
func (t *progress) end() {
	if t == nil {
		return
	}
	close(t.quit)
	select {
	case <-t.done:
	case <-time.After(flushTimeout):
	}
}

// stepOf describes the step of an event in one line.
func stepOf(ev engine.Event) words.Marked {
	var data struct {
		ID   string `json:"id"`
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	if json.Unmarshal(ev.Data, &data) != nil {
		return words.Quoted(ev.Path)
	}
	return words.Say("%s %s", cmp.Or(data.ID, ev.Path), cmp.Or(data.Kind, data.Text))
}
