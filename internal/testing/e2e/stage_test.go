//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/cli"
	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// TestMain has every command do its work in its own process, which tests watch and kill.
func TestMain(m *testing.M) {
	os.Setenv("UNDERSTUDY_SERVICE", "off")
	itself.Main(m)
}

// stage is a display, a home and a working folder that belong to one test.
type stage struct {
	t       testing.TB
	display *virtual.Display
	root    string      // holds everything
	dir     string      // the working folder of runs and applications
	data    string      // understudy's data folder
	bin     string      // the first folder of PATH
	source  string      // the folder of this package
	doubled atomic.Bool // pages show their first field twice
}

// startSession starts a session of Wayland.
type startSession func(testing.TB) *virtualtest.Session

// newStage makes the environment of this process that of a newcomer who sits
// before a fresh display; the test's end undoes it.
func newStage(t testing.TB, screen desktop.Size) *stage { return newStageOn(t, screen, nil) }

// newStageOn does so in a session of Wayland where one is started.
func newStageOn(t testing.TB, screen desktop.Size, session startSession) *stage {
	t.Helper()
	source, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, source: source}
	var environ []string
	if session == nil {
		s.display = virtualtest.StartWith(t, virtual.Options{Screen: screen})
		environ = s.display.Env()
	} else {
		environ = append(session(t).Env(), "SWAYSOCK=", "GSK_RENDERER=cairo")
	}
	s.root = scratch.Dir(t)
	t.Cleanup(func() { endPrograms(s.root) })
	for name, path := range map[string]*string{"work": &s.dir, "data": &s.data, "bin": &s.bin} {
		*path = s.folder(name)
	}
	s.setenv(append(environ,
		"HOME="+s.folder("home"), "XDG_CONFIG_HOME="+s.folder("config"), "XDG_CACHE_HOME="+s.folder("cache"),
		"XDG_DATA_HOME="+s.folder("share"), "GSETTINGS_BACKEND=memory", "LC_ALL=C.UTF-8",
		"UNDERSTUDY_HOME="+s.data, "PATH="+s.bin+":"+os.Getenv("PATH"))...)
	s.chdir(s.dir)
	return s
}

// endPrograms kills the programs that still run in a stage's folder. Most end
// with their display; one that hangs would go on for ever.
func endPrograms(root string) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		environment, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && pid != os.Getpid() && bytes.Contains(environment, []byte("HOME="+filepath.Join(root, "home")+"\x00")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func (s *stage) folder(name string) string {
	dir := filepath.Join(s.root, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func (s *stage) setenv(pairs ...string) {
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		s.t.(interface{ Setenv(name, value string) }).Setenv(name, value)
	}
}

func (s *stage) chdir(dir string) { s.t.(interface{ Chdir(string) }).Chdir(dir) }

// write writes a file into the working folder, and gives its path.
func (s *stage) write(name, content string) string {
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// script puts a program into the PATH.
func (s *stage) script(name, lines string) {
	if err := os.WriteFile(filepath.Join(s.bin, name), []byte("#!/bin/sh\n"+lines+"\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
}

// testdata is the path of a file of this package.
func (s *stage) testdata(name string) string { return filepath.Join(s.source, "testdata", name) }

// tool runs a program that looks at the display, or changes it, in another
// way than we do.
func (s *stage) tool(name string, args ...string) string {
	s.t.Helper()
	virtualtest.Need(s.t, name)
	out, err := exec.CommandContext(s.t.Context(), name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shows waits for a window with a title. xdotool fails when a window goes while
// it looks, so it is asked again.
func (s *stage) shows(title string) {
	s.t.Helper()
	virtualtest.Need(s.t, "xdotool")
	err := eventually(s.t, func() error {
		out, err := exec.CommandContext(s.t.Context(), "xdotool", "search", "--onlyvisible", "--name", title).CombinedOutput()
		if err != nil {
			return fmt.Errorf("no window %q: %w: %s", title, err, out)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// command is one command of understudy, in this process.
func (s *stage) command(args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = cli.Main(s.t.Context(), local.Machine{}, args, strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// run runs a workflow and gives what is known of the run.
func (s *stage) run(workflow string, flags ...string) engine.Report {
	s.t.Helper()
	status, out, errOut := s.command(slices.Concat([]string{"run", workflow, "--json"}, flags)...)
	var r engine.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		s.t.Fatalf("run %s ended with status %d and no report (%v)\n%s\n%s", workflow, status, err, out, errOut)
	}
	return r
}

// call calls one kind, and fails the test when that fails.
func (s *stage) call(kind, arguments string) string {
	s.t.Helper()
	status, out, errOut := s.command("call", kind, arguments)
	if status != 0 {
		s.t.Fatalf("call %s %s: status %d\n%s%s", kind, arguments, status, out, errOut)
	}
	return out
}

// eventually asks again and again until there is no error, or the test has waited long enough.
func eventually(t testing.TB, look func() error) error {
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	return poll(ctx, look)
}

// poll asks again and again until there is no error, or the context ends.
func poll(ctx context.Context, look func() error) error {
	for {
		err := look()
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// holds says whether a file of the working folder holds exactly this, but for
// line ends at its end.
func (s *stage) holds(name, want string) error {
	return eventually(s.t, func() error {
		got, err := os.ReadFile(filepath.Join(s.dir, name))
		if err == nil && strings.TrimRight(string(got), "\n") != want {
			err = fmt.Errorf("%s: wanted %q, found %q", name, want, got)
		}
		return err
	})
}

// mentions says whether a file of the working folder holds a text somewhere.
func (s *stage) mentions(name, text string) error {
	got, err := os.ReadFile(filepath.Join(s.dir, name))
	if err == nil && !strings.Contains(string(got), text) {
		err = fmt.Errorf("%s: wanted %q somewhere, found %q", name, text, got)
	}
	return err
}

// log is the lines of the witness that begin with one of the words.
func (s *stage) log(words ...string) []string {
	raw, _ := os.ReadFile(filepath.Join(s.dir, "witness.log"))
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(raw)), "\n"), func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(line, w) })
	})
}

// witnessed says whether the log holds just these lines of the kinds that
// they are of. None of a kind is wanted with "no WORD".
func (s *stage) witnessed(want ...string) error {
	var words, lines []string
	for _, w := range want {
		if word, none := strings.CutPrefix(w, "no "); none {
			words = append(words, word)
			continue
		}
		lines = append(lines, w)
		words = append(words, strings.Fields(w)[0])
	}
	look := func() error {
		if got := s.log(words...); !slices.Equal(got, lines) {
			return fmt.Errorf("the witness: wanted %q, found %q", lines, got)
		}
		return nil
	}
	if len(lines) == 0 {
		return look()
	}
	return eventually(s.t, look)
}

// witness makes the program witness known, with options of its own.
func (s *stage) witness(options string) {
	virtualtest.Need(s.t, "/usr/bin/python3")
	s.script("witness", fmt.Sprintf("exec /usr/bin/python3 %q %q Witness %s", s.testdata("witness.py"), filepath.Join(s.dir, "witness.log"), options))
}

// failure is what a run failed with.
func failure(r engine.Report) error {
	if r.Error == nil {
		return errors.New(string(r.Status))
	}
	return fmt.Errorf("%s: %s: %s", r.Status, r.Error.Code, r.Error.Message)
}
