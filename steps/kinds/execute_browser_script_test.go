package kinds

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/testing/fake"
	"understudy/steps"
)

// A file with a script is read by the program itself, and the errors of a script show its
// lines, so a client gets no other file than by read_file.
func TestFilesOfBrowserScriptsAreThoseThatMayBeRead(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "passwords")
	inside := filepath.Join(root, "script.js")
	for _, path := range []string{inside, outside} {
		if err := os.WriteFile(path, []byte("return 1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	const none = "no browser here is connected" // the script was read
	for _, c := range []struct {
		say    string
		denied []string
		file   string
		want   string
	}{
		{"who may run commands gives any file", nil, outside, none},
		{"who may read files gives one of its folders", []string{"run_command"}, inside, none},
		{"by a relative path too", []string{"run_command"}, "script.js", none},
		{"and none elsewhere", []string{"run_command"}, outside, "out of bounds"},
		{"by no relative path", []string{"run_command"}, "../passwords", "out of bounds"},
		{"by no link", []string{"run_command"}, "link", "out of bounds"},
		{"who may not read files gives none", []string{"run_command", "read_file"}, inside, "read_file is off"},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New()
			defer d.Close()
			env := &steps.Env{Desktop: d.Desktop(), Folders: steps.Folders{Dir: root, Roots: []string{root}}}
			env.Refusal = func(kind string) error {
				if slices.Contains(c.denied, kind) {
					return steps.Errorf(steps.Denied, "%s is off", kind)
				}
				return nil
			}
			o := ExecuteBrowserScript.Run(t.Context(), env, args("script_file", c.file))
			if o.Err == nil || !strings.Contains(o.Err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", o.Err, c.want)
			}
		})
	}
}
