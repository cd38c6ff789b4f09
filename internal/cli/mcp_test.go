package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestFoldersOfClients(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", filepath.Join(home, "me"))
	t.Setenv("USERPROFILE", filepath.Join(home, "me"))
	work := filepath.Join(home, "me", "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "me"), filepath.Join(home, "link")); err != nil {
		t.Skipf("no links: %v", err)
	}
	for _, c := range []struct {
		say, in    string
		flag, want []string
		err        bool
	}{
		{"a folder in the home folder", "me/work", nil, []string{work}, false},
		{"the home folder itself", "me", nil, nil, false},
		{"the home folder by another name", "link", nil, nil, false},
		{"a folder above it", ".", nil, nil, false},
		{"the root of the disk", "/", nil, nil, false},
		{"the home folder by name", "/", []string{filepath.Join(home, "me")}, []string{filepath.Join(home, "me")}, false},
		{"a folder from here", "me", []string{"work", "."}, []string{work, filepath.Join(home, "me")}, false},
		{"a folder that there is not", "me", []string{"none"}, nil, true},
	} {
		in := filepath.Join(home, c.in)
		if filepath.IsAbs(c.in) {
			in = filepath.VolumeName(home) + c.in
		}
		t.Chdir(in)
		cmd := &cobra.Command{}
		cmd.SetErr(io.Discard)
		dir, roots, err := (&serverFlags{Roots: c.flag}).folders(&app{}, cmd)
		if d := cmp.Diff(c.want, roots); d != "" || (err != nil) != c.err || len(roots) > 0 && dir != roots[0] {
			t.Errorf("%s: in %s: %v\n%s", c.say, dir, err, d)
		}
	}
}
