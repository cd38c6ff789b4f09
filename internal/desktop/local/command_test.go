package local

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
	"understudy/internal/testing/scratch"
)

func TestSplitCommand(t *testing.T) {
	for _, row := range []struct {
		sentence, line string
		want           []string
	}{
		{"blanks separate", " a  b\tc ", []string{"a", "b", "c"}},
		{"quotes keep together", `a "b c" 'd e'`, []string{"a", "b c", "d e"}},
		{"quotes may stand inside a word", `--name="b c"d`, []string{"--name=b cd"}},
		{"an empty word is a word", `a "" ''`, []string{"a", "", ""}},
		{"a backslash takes the next character as it is", `a\ b \"c`, []string{"a b", `"c`}},
		{"single quotes know no backslash", `'a\b'`, []string{`a\b`}},
		{"double quotes know few", `"a\"b\n"`, []string{`a"b\n`}},
		{"nothing is nothing", "  ", nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(row.line, `\`) {
				t.Skip("a backslash is a part of a path there")
			}
			got, err := splitCommand(row.line)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, line := range []string{`a "b`, `a 'b`, `a \`} {
		if runtime.GOOS == "windows" && strings.Contains(line, `\`) {
			continue
		}
		if got, err := splitCommand(line); err == nil {
			t.Errorf("%q was split into %q", line, got)
		}
	}
}

func FuzzSplitCommand(f *testing.F) {
	f.Add(`a "b c" 'd' \e`)
	f.Fuzz(func(t *testing.T, line string) {
		args, err := splitCommand(line)
		if err != nil {
			return
		}
		var quoted []string
		for _, a := range args {
			quoted = append(quoted, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
		}
		again, err := splitCommand(strings.Join(quoted, " "))
		if diff := cmp.Diff(args, again); err != nil || diff != "" {
			t.Errorf("%q was split into %q, which quoted gives %q (%v)", line, args, again, err)
		}
	})
}

func TestAbsentApplicationSaysSo(t *testing.T) {
	_, err := targetOf("no-such-program --now", desktop.Setting{})
	if want := `there is neither a program "no-such-program" nor an application "no-such-program --now" here`; !errors.Is(err, desktop.ErrNotFound) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestChromiumIsAskedToExposeItsPages(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"chromium page.html", "chromium --force-renderer-accessibility page.html"},
		{"/usr/bin/google-chrome", "/usr/bin/google-chrome --force-renderer-accessibility"},
		{"mousepad chromium", "mousepad chromium"},
		{"chromium a --force-renderer-accessibility", "chromium a --force-renderer-accessibility"},
	} {
		if got := strings.Join(forAccessibility("", strings.Fields(row.line)), " "); got != row.want {
			t.Errorf("%s became %s, wanted %s", row.line, got, row.want)
		}
	}
}

func TestBusSocket(t *testing.T) {
	for address, want := range map[string]string{
		"unix:path=/run/user/1000/bus":          "/run/user/1000/bus",
		"unix:path=/tmp/b,guid=0123;tcp:host=x": "/tmp/b",
		"unix:abstract=/tmp/dbus-a,guid=45":     "@/tmp/dbus-a",
		"tcp:host=localhost,port=1":             "",
		"":                                      "",
	} {
		if got, _ := busSocket(address); got != want {
			t.Errorf("%q: got %q, wanted %q", address, got, want)
		}
	}
}

// The program xdg-open honours the same variable.
func TestThePreferredBrowserIsStartedIfItCanBeConnected(t *testing.T) {
	for _, row := range []struct{ say, browser, want string }{
		{"one that can be connected, with its flags", "google-chrome --incognito", "google-chrome --incognito"},
		{"one that cannot is left to xdg-open", "firefox", ""},
	} {
		caller := desktop.Setting{Environ: []string{"BROWSER=" + row.browser}}
		if got := strings.Join(preferredBrowser(t.Context(), caller), " "); got != row.want {
			t.Errorf("%s: %q, want %q", row.say, got, row.want)
		}
	}
}

// TestProgramsStartWhereTheirCallerWorks starts a program that says where it is, and in which
// environment.
func TestProgramsStartWhereTheirCallerWorks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script of a shell")
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\necho \"$(pwd -P) $MARK $OURS$1\" > said.new && mv said.new said\n"
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ sentence, app, path, file string }{
		{"by a relative path, which starts in the folder of the caller", "./tool", "/usr/bin:/bin", ""},
		{"with a file", "tool", dir + ":/usr/bin:/bin", "/tmp/a b.txt"},
		{"by a name, which is found on the path of the caller", "tool", dir + ":/usr/bin:/bin", ""},
		{"by a name, which is found in a relative folder of the path", "tool", ".:/usr/bin:/bin", ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			_ = os.Remove(said)
			in := desktop.Setting{Dir: dir, Environ: []string{"MARK=theirs", "PATH=" + row.path}}
			if err := startHere([]string{"OURS=desktop"}, &devtools.Brokers{}).launch(desktop.Launch{App: row.app, File: row.file, Setting: in}); err != nil {
				t.Fatal(err)
			}
			scratch.Until(t, "it says where it is", func() bool { _, err := os.Stat(said); return err == nil })
			got, err := os.ReadFile(said)
			if real, _ := filepath.EvalSymlinks(dir); err != nil || string(got) != real+" theirs desktop"+row.file+"\n" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	if _, err := targetOf("tool", desktop.Setting{Dir: dir, Environ: []string{"PATH=/usr/bin"}}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("a program that is not on the path of the caller: %v", err)
	}
}
