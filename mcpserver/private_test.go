package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// TestToolsetsLimitReading tries to read files and the clipboard without their toolsets:
// by a tool, in a sequence, and in a document that a sequence calls.
func TestToolsetsLimitReading(t *testing.T) {
	s := newSecured(t, func(o *Options) { o.Policy = access.Policy{Toolsets: []steps.Toolset{access.All}} })
	if err := s.desk.Do(t.Context(), desktop.WriteClipboard{Text: "the secret"}); err != nil {
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

// TestAttackDataFolderInsideTheRoot tries to become an operator, with a token for files
// and a server whose root contains the data folder.
func TestAttackDataFolderInsideTheRoot(t *testing.T) {
	var tokens *auth.Tokens
	s := newSecured(t, func(o *Options) {
		data := filepath.Join(o.Dir, "data")
		tokens = auth.NewTokens(filepath.Join(data, "tokens.json"))
		o.Policy, o.Private = access.Policy{Toolsets: []steps.Toolset{access.All}}, []string{data}
		o.Gate = auth.New(auth.Options{Tokens: tokens})
	})
	s.tokens = tokens
	data := filepath.Join(s.o.Dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "run.yaml"), []byte("password: the secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := s.greet("2025-11-25", s.holder(auth.Token{Name: "files", Mode: auth.Act, Toolsets: []steps.Toolset{steps.Core, steps.Files}}))
	before, err := os.ReadFile(tokens.Path())
	if err != nil {
		t.Fatal(err)
	}
	for say, call := range map[string]byhand.Object{
		"writing the tokens":           {"name": "write_file", "arguments": byhand.Object{"path": "data/tokens.json", "content": "[]"}},
		"reading the tokens":           {"name": "read_file", "arguments": byhand.Object{"path": tokens.Path()}},
		"writing a saved workflow":     {"name": "write_file", "arguments": byhand.Object{"path": "data/workflows/a.yaml", "content": "steps: []"}},
		"calling a file there":         {"name": "execute_sequence", "arguments": byhand.Object{"steps": []any{byhand.Object{"workflow": "data/run.yaml"}}}},
		"running a file there":         {"name": "execute_sequence", "arguments": byhand.Object{"url": "file://" + filepath.Join(data, "run.yaml")}},
		"checking a document of there": {"name": "validate_workflow", "arguments": byhand.Object{"text": "steps:\n  - workflow: " + filepath.Join(data, "run.yaml")}},
	} {
		_, answer := v.Ask(t, "tools/call", call)
		refusal := "is out of bounds"
		if call["name"] != "write_file" && call["name"] != "read_file" {
			refusal = "there is no such document"
		}
		if res := fmt.Sprint(answer); !strings.Contains(res, refusal) || strings.Contains(res, "the secret") || strings.Contains(res, "sha256") {
			t.Errorf("%s: %s", say, res)
		}
	}
	if after, err := os.ReadFile(tokens.Path()); err != nil || string(after) != string(before) {
		t.Errorf("the tokens are\n%s, %v", after, err)
	}
}
