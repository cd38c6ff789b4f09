package mcpserver

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
)

// TestAbuseStorage has a credential store without end: its run fails and its next is
// refused. The metrics show an operator how much each has stored, and others only their
// own.
func TestAbuseStorage(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Storage = engine.Storage{Run: 300_000, Day: 400_000} })
	flooding, operator := s.holder(auth.Token{Name: "flooding", Mode: auth.Act}), s.holder(auth.Token{Name: "operator", Mode: auth.Ask, Operator: true})
	v := s.greet("2025-11-25", flooding)
	flood := byhand.Object{"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{byhand.Object{
		"while": "true", "steps": []any{byhand.Object{"tool_name": "set_env", "continue_on_error": true, "arguments": byhand.Object{"values": byhand.Object{"a": strings.Repeat("x", 20_000)}}}},
	}}}}
	if _, answer := v.Ask(t, "tools/call", flood); !strings.Contains(fmt.Sprint(answer), "--max-run-mb") {
		t.Errorf("a flood: %v", answer)
	}
	if _, answer := v.Ask(t, "tools/call", flood); !strings.Contains(fmt.Sprint(answer), "--max-day-mb") {
		t.Errorf("the next: %v", answer)
	}
	if _, answer := v.Ask(t, "tools/call", byhand.Object{"name": "delay", "arguments": byhand.Object{"delay_ms": 1}}); !strings.Contains(fmt.Sprint(answer), "--max-day-mb") {
		t.Errorf("a call after that: %v", answer)
	}
	const line = `understudy_stored_bytes{credential="flooding"} `
	for _, c := range []struct {
		who   string
		as    http.Header
		shown bool
	}{
		{"itself", flooding, true},
		{"an operator", operator, true},
		{"another", s.holder(auth.Token{Name: "other", Mode: auth.Act}), false},
	} {
		if text := metrics(t, s.url, c.as); strings.Contains(text, line) != c.shown {
			t.Errorf("the metrics for %s: %s", c.who, text)
		}
	}
}
