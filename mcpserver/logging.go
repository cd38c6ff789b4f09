package mcpserver

//lint:file-ignore SA1019 Older clients still ask for log messages, which the protocol will drop.

import (
	"cmp"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
)

// A client that asks for log messages is sent those of its own runs while it
// waits for them. Versions with sessions set a level for the session; from
// 2026-07-28 on each request names its own. Without a level, nothing is sent.

// logger is the name of our log in the messages.
const logger = "understudy"

// logLevels maps the protocol's levels to those of slog.
var logLevels = map[mcp.LoggingLevel]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "notice": slog.LevelInfo + 2, "warning": slog.LevelWarn,
	"error": slog.LevelError, "critical": slog.LevelError + 4, "alert": slog.LevelError + 8, "emergency": slog.LevelError + 12,
}

// levels holds the log levels that sessions have set.
type levels struct {
	mu sync.Mutex
	by map[*mcp.ServerSession]mcp.LoggingLevel
}

// set stores the level of a session until the session ends.
func (l *levels) set(session *mcp.ServerSession, level mcp.LoggingLevel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil {
		l.by = map[*mcp.ServerSession]mcp.LoggingLevel{}
	}
	if _, known := l.by[session]; !known {
		go func() {
			_ = session.Wait()
			l.mu.Lock()
			defer l.mu.Unlock()
			delete(l.by, session)
		}()
	}
	l.by[session] = level
}

// of returns the lowest level of log messages that the sender of a call wants.
func (l *levels) of(req *mcp.CallToolRequest) (slog.Level, bool) {
	var word mcp.LoggingLevel
	if req.ProtocolVersion() >= modern {
		text, _ := req.Params.GetMeta()[mcp.MetaKeyLogLevel].(string)
		word = mcp.LoggingLevel(text)
	} else {
		l.mu.Lock()
		word = l.by[req.Session]
		l.mu.Unlock()
	}
	level, ok := logLevels[word]
	return level, ok
}

// logLine returns the log message for an event of a run, or nil. Text from outside is
// fenced as in answers.
func logLine(run string, ev engine.Event) (*mcp.LoggingMessageParams, slog.Level) {
	data := map[string]any{"run_id": run, "path": ev.Path}
	word := mcp.LoggingLevel("debug")
	fact, err := engine.Fact(ev)
	if err != nil {
		return nil, 0
	}
	switch f := fact.(type) {
	case engine.Started:
		data["message"], data["step"], data["kind"] = "step started", cmp.Or(f.ID, ev.Path), f.Kind
	case engine.Ended:
		word = "info"
		data["message"], data["step"], data["took_ms"] = "step ended", cmp.Or(f.ID, ev.Path), f.Duration.Milliseconds()
		if e := f.Outcome.Error; e != nil {
			word = "warning"
			data["message"], data["code"], data["error"] = "step failed", e.Code, e.Message
		}
	case engine.Logged:
		word = levelName(f.Level)
		data["message"] = f.Message
		if len(f.Attrs) > 0 {
			data["attrs"] = words.VisibleIn(f.Attrs)
		}
	default:
		return nil, 0
	}
	for name, v := range data {
		if text, ok := v.(string); ok {
			data[name] = contentOf(words.Outline(text)).Text
		}
	}
	return &mcp.LoggingMessageParams{Logger: logger, Level: word, Data: data}, logLevels[word]
}

// levelName returns the protocol's name for a level of slog.
func levelName(text string) mcp.LoggingLevel {
	var l slog.Level
	if l.UnmarshalText([]byte(text)) != nil {
		return "info"
	}
	switch {
	case l >= slog.LevelError:
		return "error"
	case l >= slog.LevelWarn:
		return "warning"
	case l >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}
