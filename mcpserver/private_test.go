package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/mcpserver/auth"
	"understudy/mcpserver/byhand"
	"understudy/steps"
)

// TestToolsetsLimitReading reads files and the clipboard without their
// toolsets: by name, in a sequence, and in a document that a sequence calls.
func TestToolsetsLimitReading(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = Policy{Toolsets: []steps.Toolset{All}} })
	if err := s.desk.WriteClipboard(t.Context(), "the secret"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.o.Dir, "id_ed25519"), []byte("the secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	core := s.greet("2025-11-25", s.holder(auth.Token{Name: "core", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core}}))
	asking := s.greet("2025-11-25", s.holder(auth.Token{Name: "asking", Mode: auth.Ask, Toolsets: []steps.Toolset{steps.Core}}))
	everything := s.greet("2025-11-25", s.holder(auth.Token{Name: "everything", Mode: auth.Ask}))
	for kind, args := range map[string]byhand.Object{
		"read_file":     {"path": "id_ed25519"},
		"glob_files":    {"pattern": "**/id_*"},
		"grep_files":    {"pattern": "secret"},
		"get_clipboard": {},
	} {
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		called := filepath.Join(s.o.Dir, kind+".yaml")
		if err := os.WriteFile(called, fmt.Appendf(nil, "steps:\n  - tool_name: %s\n    arguments: %s\n", kind, raw), 0o600); err != nil {
			t.Fatal(err)
		}
		for way, call := range map[string]byhand.Object{
			"by name":              {"name": kind, "arguments": args},
			"in a sequence":        {"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{byhand.Object{"tool_name": kind, "arguments": args}}}},
			"in a called document": {"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{byhand.Object{"workflow": kind + ".yaml"}}}},
		} {
			for name, v := range map[string]byhand.Visitor{"act": core, "ask": asking} {
				_, answer := v.Ask(t, "tools/call", call)
				res := fmt.Sprint(answer)
				if strings.Contains(res, "the secret") || strings.Contains(res, "id_ed25519 ") || !strings.Contains(res, "is not allowed: the toolset") {
					t.Errorf("%s %s with a token for core, to %s: %s", kind, way, name, res)
				}
			}
			if _, answer := everything.Ask(t, "tools/call", call); strings.Contains(fmt.Sprint(answer), "is not allowed") {
				t.Errorf("%s %s with a token for everything: %v", kind, way, answer)
			}
		}
	}
}
