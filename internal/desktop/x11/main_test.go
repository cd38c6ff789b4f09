//go:build linux

package x11_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/desktop/x11"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// victimVar is the environment variable that makes the test program hold keys on a display and wait
// to be killed.
const victimVar = "UNDERSTUDY_TEST_VICTIM"

func TestMain(m *testing.M) {
	if o := strings.Split(os.Getenv(victimVar), "|"); len(o) == 3 {
		hold(x11.Options{Display: o[0], Authority: o[1], Dir: o[2]})
	}
	os.Exit(m.Run())
}

// hold holds keys and a button until it is killed.
func hold(o x11.Options) {
	ctx := context.Background()
	r, err := x11.Open(ctx, o)
	if err == nil {
		err = errors.Join(r.Do(ctx, desktop.KeyDown{Key: desktop.Ctrl}), r.Do(ctx, desktop.KeyDown{Key: "日"}), r.Do(ctx, desktop.ButtonDown{Button: desktop.Right}))
	}
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("held\n")
	select {}
}

// bench is a desktop on a display of its own.
type bench struct {
	*desktop.Desktop
	driver  *x11.Driver
	t       testing.TB
	display *virtual.Display
	options x11.Options
}

func open(t testing.TB) *bench {
	t.Helper()
	return openOn(t, virtualtest.Start(t))
}

func openOn(t testing.TB, d *virtual.Display) *bench {
	t.Helper()
	b := &bench{t: t, display: d, options: x11.Options{Display: d.Name(), Authority: d.Authority(), Env: d.Env(), Dir: scratch.Dir(t)}}
	r, err := x11.Open(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	b.Desktop, b.driver = r.Desktop(), r
	t.Cleanup(func() { _ = r.Close() })
	return b
}

// with returns the same bench for a subtest.
func (b *bench) with(t testing.TB) *bench {
	within := *b
	within.t = t
	return &within
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// start starts a program on the display; it ends with the test.
func (b *bench) start(name string, args ...string) *exec.Cmd {
	b.t.Helper()
	cmd := virtualtest.Command(b.t, b.display, name, args...)
	home := scratch.Dir(b.t)
	cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+home)
	b.startCommand(cmd)
	return cmd
}

func (b *bench) startCommand(cmd *exec.Cmd) {
	b.t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	b.must(cmd.Start())
	b.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
}

// run runs a program on the display and returns its output.
func (b *bench) run(name string, args ...string) string {
	b.t.Helper()
	out, err := virtualtest.Command(b.t, b.display, name, args...).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// eventually waits for a condition, and fails the test with its last message.
func (b *bench) eventually(what string, f func() (bool, string)) {
	b.t.Helper()
	var last string
	for end := scratch.Deadline(b.t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		ok, now := f()
		if ok {
			return
		}
		last = now
	}
	b.t.Fatalf("waited in vain until %s; last: %s", what, last)
}

// window waits for a window with a part of its title and makes it active.
func (b *bench) window(title string) desktop.Window {
	b.t.Helper()
	var found desktop.Window
	b.eventually("a window is called "+title, func() (bool, string) {
		ws, err := b.Windows(b.t.Context())
		b.must(err)
		var titles []string
		for _, w := range ws {
			if found = w; !w.Popup && strings.Contains(w.Title, title) {
				return true, ""
			}
			titles = append(titles, w.Title)
		}
		return false, strings.Join(titles, ", ")
	})
	b.must(b.Do(b.t.Context(), desktop.Manage{Window: found.ID, Do: desktop.Activate}))
	return b.look(found.ID)
}

// look reads one window.
func (b *bench) look(id desktop.WindowID) desktop.Window {
	b.t.Helper()
	ws, err := b.Windows(b.t.Context())
	b.must(err)
	for _, w := range ws {
		if w.ID == id {
			return w
		}
	}
	b.t.Fatalf("window %#x is gone", id)
	return desktop.Window{}
}

// editor starts a text editor on an empty file and waits until it accepts keys.
func (b *bench) editor(program string) (file string) {
	b.t.Helper()
	file = filepath.Join(b.t.TempDir(), "note.txt")
	b.must(os.WriteFile(file, nil, 0o600))
	b.start(program, file)
	b.window("note.txt")
	return file
}

// saved presses ctrl+s and waits until the file has a content.
func (b *bench) saved(file, want string) {
	b.t.Helper()
	press := time.Time{}
	b.eventually("the file holds the text", func() (bool, string) {
		if time.Since(press) > time.Second {
			b.must(b.Do(b.t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "s"}}))
			press = time.Now()
		}
		got, err := os.ReadFile(file)
		return err == nil && strings.TrimSuffix(string(got), "\n") == strings.TrimSuffix(want, "\n"), describe(string(got), want)
	})
}

// describe describes where two texts begin to differ.
func describe(got, want string) string {
	g, w := []rune(got), []rune(want)
	i := 0
	for i < len(g) && i < len(w) && g[i] == w[i] {
		i++
	}
	around := func(r []rune) string { return string(r[max(0, i-5):min(len(r), i+20)]) }
	return fmt.Sprintf("got %q, wanted %q (%d of %d characters, the same until %d)", around(g), around(w), len(g), len(w), i)
}

// soon returns a context that ends soon.
func soon(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// unavailable reports whether an error is that of a display that is gone or does not answer.
func unavailable(err error) bool {
	return errors.Is(err, desktop.ErrUnavailable) || errors.Is(err, desktop.ErrUnresponsive)
}

// manager returns the process of the window manager.
func (b *bench) manager() (pid int) {
	b.t.Helper()
	out := b.run("xprop", "-root", "_OPENBOX_PID")
	if _, err := fmt.Sscanf(out, "_OPENBOX_PID(CARDINAL) = %d", &pid); err != nil {
		b.t.Fatalf("%q: %v", out, err)
	}
	return pid
}

// killManager kills the window manager and returns when the X server has noticed.
func (b *bench) killManager() {
	b.t.Helper()
	pid := b.manager()
	before := x11.Manager(b.t, b.driver)
	b.must(syscall.Kill(pid, syscall.SIGKILL))
	b.eventually("the window manager is gone", func() (bool, string) { return x11.Manager(b.t, b.driver) != before, "" })
}

// command returns the command for a program on the display, without starting it.
func (b *bench) command(name string, args ...string) *exec.Cmd {
	b.t.Helper()
	return virtualtest.Command(b.t, b.display, name, args...)
}

// openFiles returns how many files this process has open.
func openFiles(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// resources returns how many windows, pixmaps and other resources the X server has.
func (b *bench) resources() int {
	b.t.Helper()
	n := 0
	for line := range strings.Lines(b.run("xwininfo", "-root", "-tree", "-all")) {
		if strings.Contains(line, "0x") {
			n++
		}
	}
	return n
}
