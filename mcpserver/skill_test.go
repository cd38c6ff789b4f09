package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/testing/byhand"
)

// plugin is the folder of the plugin for Claude Code.
var plugin = filepath.Join("..", ".claude-plugin", "understudy")

func TestSkillIsThatOfThePlugin(t *testing.T) {
	path := filepath.Join(plugin, "skills", "understudy", "SKILL.md")
	if *update {
		if err := os.WriteFile(path, []byte(Skill()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Skill(), string(got)); diff != "" {
		t.Errorf("the plugin has another skill; make golden writes it: -want +got\n%s", diff)
	}
}

func TestSkillIsShortAndItsDocumentIsValid(t *testing.T) {
	text := Skill()
	if n := strings.Count(text, "\n"); n > 150 {
		t.Errorf("%d lines, want at most 150", n)
	}
	_, head, _ := strings.Cut(text, "description: ")
	if description, _, _ := strings.Cut(head, "\n"); len(description) > 1024 || description == "" {
		t.Errorf("the description has %d bytes, want 1 to 1024", len(description))
	}
	for _, part := range []string{"Selectors: A >> B", "${{ }} in any argument", "Keys of a step:", "codes are stable words"} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	_, document, _ := strings.Cut(text, "```yaml\n")
	document, _, _ = strings.Cut(document, "```")
	st := newStage(t)
	if res := st.connect("2025-11-25", byhand.Object{}).Call("validate_workflow", byhand.Object{"text": document}); byhand.Dig(res, "result", "structuredContent", "valid") != true {
		t.Errorf("the document is not valid: %s", byhand.Said(res))
	}
}
