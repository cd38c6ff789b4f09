package kinds

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps"
)

// TestPrivateFilesAreOutOfBounds has the data folder and a token file inside the
// root of the steps.
func TestPrivateFilesAreOutOfBounds(t *testing.T) {
	home := tree(t, map[string]string{
		"data/tokens.json": "the secret", "data/workflows/saved.yaml": "the secret", "own.json": "the secret", "open.txt": "open",
		"link.json": "->data/tokens.json", "linked": "->data", "renamed.json": "->own.json", "dangling": "->data/new.json",
	})
	env := func() *steps.Env {
		return &steps.Env{Folders: steps.Folders{Dir: home, Roots: []string{home}, Private: []string{filepath.Join(home, "data"), filepath.Join(home, "own.json"), filepath.Join(home, "none.json")}}}
	}
	for _, path := range []string{
		"data/tokens.json", "data/workflows/saved.yaml", "own.json", "none.json", "data/new.json", "data/new/new.json", "./open/../data/tokens.json",
		"link.json", "linked/tokens.json", "linked/new.json", "renamed.json", filepath.Join(home, "data/tokens.json"),
	} {
		for _, c := range []struct {
			kind steps.Kind
			args map[string]any
		}{
			{ReadFile, map[string]any{"path": path}},
			{WriteFile, map[string]any{"path": path, "content": "mine"}},
			{EditFile, map[string]any{"path": path, "old_string": "secret", "new_string": "mine"}},
			{CopyContent, map[string]any{"source_path": path, "target_path": "stolen.txt", "source_mode": "all", "target_mode": "append"}},
			{CopyContent, map[string]any{"source_path": "open.txt", "target_path": path, "source_mode": "all", "target_mode": "append"}},
			{GlobFiles, map[string]any{"pattern": path}},
			{GlobFiles, map[string]any{"pattern": "*", "working_directory": filepath.Dir(path)}},
			{GrepFiles, map[string]any{"pattern": "secret", "glob": "**", "working_directory": filepath.Dir(path)}},
		} {
			o := c.kind.Run(t.Context(), env(), c.args)
			listed := c.kind.Name == "glob_files" || c.kind.Name == "grep_files" // of which another part may be open
			if !listed && (code(o) != steps.Denied || o.Acted != steps.ActedNo || !strings.Contains(o.Err.Error(), "Understudy keeps its tokens")) {
				t.Errorf("%s %v: %v, acted: %s", c.kind.Name, c.args, o.Err, o.Acted)
			}
			for _, name := range []string{"the secret", "tokens.json", "saved.yaml", "own.json"} {
				if listed && o.Err == nil && strings.Contains(fmt.Sprint(o.Result), name) {
					t.Errorf("%s %v shows %s: %v", c.kind.Name, c.args, name, o.Result)
				}
			}
		}
	}
	for _, pattern := range []string{"**", "*/*.json", "d*/tokens.json", "{data,linked}/**", "**/tokens.json", "[o]wn.json", "*.json"} {
		o := GlobFiles.Run(t.Context(), env(), map[string]any{"pattern": pattern})
		if got := fmt.Sprint(o.Result); o.Err != nil || strings.Contains(got, "tokens") || strings.Contains(got, "own.json") || strings.Contains(got, "saved") {
			t.Errorf("glob_files %s: %v %v", pattern, got, o.Err)
		}
		o = GrepFiles.Run(t.Context(), env(), map[string]any{"pattern": "secret", "glob": pattern})
		if got := fmt.Sprint(o.Result); o.Err != nil || strings.Contains(got, "the secret") {
			t.Errorf("grep_files in %s: %v %v", pattern, got, o.Err)
		}
	}
	if o := ReadFile.Run(t.Context(), env(), map[string]any{"path": "open.txt"}); o.Err != nil {
		t.Errorf("a file beside them: %v", o.Err)
	}
	WriteFile.Run(t.Context(), env(), map[string]any{"path": "dangling", "content": "mine"}) // may take the place of the link
	if got := content(t, filepath.Join(home, "data/tokens.json")) + content(t, filepath.Join(home, "own.json")); got != "the secretthe secret" {
		t.Errorf("they hold %q", got)
	}
	for _, name := range []string{"data/new.json", "none.json", "stolen.txt"} {
		if _, err := os.Lstat(filepath.Join(home, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}
