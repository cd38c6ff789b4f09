package realclients

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSDKTasks lets a TypeScript SDK call tools as tasks, over each transport and through
// the proxy.
func TestSDKTasks(t *testing.T) {
	for _, c := range []struct {
		say    string
		server func(*stage) []string
	}{
		{"stdio", func(s *stage) []string { return []string{s.program, "mcp"} }},
		{"http", func(s *stage) []string { return []string{s.serve()} }},
		{"proxy", func(s *stage) []string { return []string{s.program, "proxy", "--verbose", s.program, "mcp"} }},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newStage(t)
			s.copies("tasks.mjs")
			got := parsed[map[string]string](t, s.must(s.script("../tasks.mjs", c.server(s)...)))
			if !strings.Contains(got["text"], "blue") {
				t.Errorf("the result is %q", got["text"])
			}
			delete(got, "text")
			want := map[string]string{"asked": "Which colour?", "first": "taskCreated", "last": "result", "cancelled": "cancelled"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
