package aim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps"
)

// TestPrivatePicturesAreLookedFor keeps what a recording needs: its pictures lie
// in the data folder, and may be looked for and not read.
func TestPrivatePicturesAreLookedFor(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, "data")
	for _, name := range []string{"workflows/a.pictures/1.png", "tokens.json"} {
		path := filepath.Join(data, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("no picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := &steps.Env{Folders: steps.Folders{Dir: home, Roots: []string{home}, Private: []string{data}, PictureRoots: []string{filepath.Join(data, "workflows")}}}
	if _, err := readTemplate(env, "data/workflows/a.pictures/1.png"); err == nil || !strings.Contains(err.Error(), "is not a PNG picture") {
		t.Errorf("a picture of a recording: %v", err)
	}
	if _, err := readTemplate(env, "data/tokens.json"); steps.CodeOf(err) != steps.Denied {
		t.Errorf("the tokens: %v", err)
	}
}
