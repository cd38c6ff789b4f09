package mcpserver

import (
	"crypto/sha256"
	"fmt"
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

// TestSkillIsOfferedOverTheProtocol reads the skill as a client does that verifies it.
func TestSkillIsOfferedOverTheProtocol(t *testing.T) {
	w := newStage(t).connect(modern, byhand.Object{})
	list := w.Ask("skills/list", byhand.Object{})
	skills, _ := byhand.Dig(list, "result", "skills").([]any)
	if len(skills) != 1 || byhand.Dig(list, "result", "ttlMs") == nil || byhand.Dig(list, "result", "cacheScope") != "public" {
		t.Fatalf("%v", list)
	}
	one := skills[0].(byhand.Object)
	if byhand.Dig(one, "frontmatter", "name") != "understudy" || byhand.Dig(one, "frontmatter", "license") != "MIT" {
		t.Errorf("the head of the file: %v", one["frontmatter"])
	}
	text, mime, _ := w.content(one["uri"].(string))
	want := []any{byhand.Object{"uri": one["uri"], "digest": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))), "size": float64(len(text))}}
	if diff := cmp.Diff(any(want), one["resources"]); diff != "" || mime != pageType {
		t.Errorf("%s: -want +got\n%s", mime, diff)
	}
	if diff := cmp.Diff(any(one), byhand.Dig(w.Ask("skills/get", byhand.Object{"uri": one["uri"]}), "result", "skill")); diff != "" {
		t.Errorf("skills/get: -want +got\n%s", diff)
	}
	for _, params := range []byhand.Object{{"uri": "skill://other/SKILL.md"}, {}} {
		if res := w.Ask("skills/get", params); byhand.Dig(res, "error", "code") != -32602.0 {
			t.Errorf("another skill: %v", res)
		}
	}
	if byhand.Dig(w.Ask("server/discover", byhand.Object{}), "result", "capabilities", "extensions", skillExtension) == nil {
		t.Error("the extension is not declared")
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
	for _, part := range []string{"Selectors: A >> B", "${{ }} in an argument", "Keys of a step:", "codes are stable words"} {
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
