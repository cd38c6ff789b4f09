package mcpserver

import (
	"slices"
	"testing"

	"understudy/mcpserver/byhand"
)

// TestLogMessages asks for log messages at each level, in both eras.
func TestLogMessages(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25", modern} {
		for _, c := range []struct {
			level string // "" is not set
			want  []string
		}{
			{"", nil},
			{"error", nil},
			{"warning", []string{"step failed"}},
			{"info", []string{"hello from the step", "step ended", "step failed"}},
			{"debug", []string{"hello from the step", "step ended", "step failed", "step started", "step started"}},
		} {
			t.Run(version+" "+c.level, func(t *testing.T) {
				w := newStage(t).connect(version, byhand.Object{})
				params := byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{
					byhand.Object{"tool_name": "log", "id": "one", "arguments": byhand.Object{"message": "hello from the step"}},
					byhand.Object{"tool_name": "fail", "id": "two", "arguments": byhand.Object{"message": "no"}},
				}}}
				switch {
				case c.level == "":
				case version == modern:
					params["_meta"] = byhand.Object{"io.modelcontextprotocol/logLevel": c.level}
				default:
					if res := w.Ask("logging/setLevel", byhand.Object{"level": c.level}); res["error"] != nil {
						t.Fatal(res)
					}
				}
				w.Ask("tools/call", params)
				eventually(t, "the messages have come", func() bool { return len(w.Notices("notifications/message")) >= len(c.want) })
				var got []string
				for _, n := range w.Notices("notifications/message") {
					said, _ := byhand.Dig(n, "params", "data", "message").(string)
					if byhand.Dig(n, "params", "logger") != logger || byhand.Dig(n, "params", "data", "run_id") == nil {
						t.Errorf("the message does not say whose it is: %v", n)
					}
					got = append(got, said)
				}
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					t.Errorf("heard %q, want %q", got, c.want)
				}
			})
		}
	}
}

// TestLevelOfASessionEndsWithIt looks that nothing is kept of a session.
func TestLevelOfASessionEndsWithIt(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	w.Ask("logging/setLevel", byhand.Object{"level": "info"})
	_ = w.in.Close()
	<-w.ended
	eventually(t, "the level is forgotten", func() bool {
		st.levels.mu.Lock()
		defer st.levels.mu.Unlock()
		return len(st.levels.by) == 0
	})
}
