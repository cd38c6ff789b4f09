package confined

import (
	"os"
	"path/filepath"
	"testing"

	"understudy/steps"
)

// TestAPictureIsFoundBesideItsWorkflow looks where a picture is read from.
func TestAPictureIsFoundBesideItsWorkflow(t *testing.T) {
	here, document, other := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(here, "both.png"), filepath.Join(document, "both.png"), filepath.Join(document, "save.png"), filepath.Join(other, "secret.png")} {
		if err := os.WriteFile(path, []byte(path), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	up, err := filepath.Rel(document, filepath.Join(other, "secret.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		say  string
		path string
		want string // its text; "": denied
	}{
		{"where the run was started", "both.png", filepath.Join(here, "both.png")},
		{"beside the workflow, when there is none", "save.png", filepath.Join(document, "save.png")},
		{"nowhere else", up, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			env := &steps.Env{Folders: steps.Folders{Dir: here, Document: document, Roots: []string{here, document}}}
			s, err := FindPicture(env, steps.Path(c.path))
			if c.want == "" {
				if steps.CodeOf(err) != steps.Denied {
					t.Errorf("got %v, want it denied", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			f, err := s.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got := make([]byte, len(c.want))
			if _, err := f.Read(got); err != nil || string(got) != c.want {
				t.Errorf("read %q, %v; want %q", got, err, c.want)
			}
		})
	}
}
