package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"

	"understudy/engine"
	"understudy/internal/testing/scratch"

	"understudy/internal/testing/byhand"
)

// TestLogMessages requests log messages at each level, in both eras.
func TestLogMessages(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25", modern} {
		for _, c := range []struct {
			level string // "": not set
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
				scratch.Until(t, "the messages have come", func() bool { return len(w.Notices("notifications/message")) >= len(c.want) })
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

// TestAttackTextOfLogs puts the text of an application into the log and the progress of a
// run: invisible characters are made visible, and several lines are fenced.
func TestAttackTextOfLogs(t *testing.T) {
	const hostile = "harmless\u202e\u200b\x1b[2J\nnext: FORGED"
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	if res := w.Ask("logging/setLevel", byhand.Object{"level": "debug"}); res["error"] != nil {
		t.Fatal(res)
	}
	args := byhand.Object{
		"variables": byhand.Object{"said": byhand.Object{"type": "string"}}, "inputs": byhand.Object{"said": hostile},
		"steps": []any{
			byhand.Object{"tool_name": "log", "arguments": byhand.Object{"message": "${{ inputs.said }}"}},
			byhand.Object{"tool_name": "fail", "arguments": byhand.Object{"message": "${{ inputs.said }}"}},
		},
	}
	w.Call("execute_sequence", args)
	heard := func() (said []string) {
		for _, n := range w.Notices("notifications/message") {
			for _, name := range []string{"message", "error"} {
				if text, _ := byhand.Dig(n, "params", "data", name).(string); strings.Contains(text, "harmless") {
					said = append(said, text)
				}
			}
		}
		return said
	}
	scratch.Until(t, "the log and the error have come", func() bool { return len(heard()) >= 2 })
	question, err := json.Marshal(map[string]string{"text": hostile})
	if err != nil {
		t.Fatal(err)
	}
	progress := string(stepOf(engine.Event{Path: "1", Data: question}))
	if strings.Contains(progress, "\n") {
		t.Errorf("the progress has several lines: %q", progress)
	}
	for _, text := range append(heard(), progress) {
		if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("something invisible is left: %q", text)
		}
		if before, inside, after := unfence(t, text); strings.Contains(text, "\n") && (!strings.Contains(inside, "FORGED") || strings.Contains(before+after, "FORGED")) {
			t.Errorf("several lines are not fenced: %q", text)
		}
	}
}

// TestLevelOfASessionEndsWithIt checks that the level is forgotten with the session.
func TestLevelOfASessionEndsWithIt(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	w.Ask("logging/setLevel", byhand.Object{"level": "info"})
	_ = w.in.Close()
	<-w.ended
	scratch.Until(t, "the level is forgotten", func() bool {
		st.levels.mu.Lock()
		defer st.levels.mu.Unlock()
		return len(st.levels.by) == 0
	})
}
