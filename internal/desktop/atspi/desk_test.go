//go:build linux

package atspi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// desk is the one desktop that the tests of this package share: a display, a
// window manager, a session bus and a client on them. It is started by the
// first test that needs it.
type desk struct {
	dir    string
	env    []string
	bus    string
	client *Client
	procs  []*exec.Cmd
}

var theDesk struct {
	once sync.Once
	*desk
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if theDesk.desk != nil {
		theDesk.close()
	}
	os.Exit(code)
}

// onDesk gives a test the desktop, or skips it where the programs are missing.
func onDesk(t testing.TB, programs ...string) *desk {
	t.Helper()
	for _, p := range append([]string{"Xvfb", "openbox", "dbus-daemon", "xprop", "xwininfo", "xdotool"}, programs...) {
		if _, err := exec.LookPath(p); err != nil {
			lacks(t, p)
		}
	}
	theDesk.once.Do(func() { theDesk.desk, theDesk.err = openDesk() })
	if theDesk.err != nil {
		t.Fatal(theDesk.err)
	}
	return theDesk.desk
}

// lacks ends a test that needs a program which is not here.
func lacks(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("UNDERSTUDY_REQUIRE_DESKTOP") != "" {
		t.Fatalf("needs a desktop: %s is missing, and UNDERSTUDY_REQUIRE_DESKTOP is set", what)
	}
	t.Skipf("needs a desktop: %s is missing", what)
}

func openDesk() (*desk, error) {
	dir, err := os.MkdirTemp("", "atspi")
	if err != nil {
		return nil, err
	}
	// Only what programs need: nothing of the desktop that the tests run on.
	d := &desk{dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "LANG=C.UTF-8",
		"GTK_THEME=Adwaita", "GSK_RENDERER=cairo",
	}}
	number, err := d.service("Xvfb", "-displayfd", "3", "-screen", "0", "1920x1080x24", "-nolisten", "tcp", "-noreset")
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.env = append(d.env, "DISPLAY=:"+number)
	if d.bus, err = d.service("dbus-daemon", "--session", "--nofork", "--print-address=3"); err != nil {
		return nil, errors.Join(err, d.close())
	}
	d.env = append(d.env, "DBUS_SESSION_BUS_ADDRESS="+d.bus)
	if err := d.start(d.command("openbox")); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if err := d.managed(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if d.client, err = d.connect(); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// managed waits for the window manager.
func (d *desk) managed() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !windowIDs.MatchString(d.ask(ctx, "xprop", "-root", "_NET_SUPPORTING_WM_CHECK")) {
		if ctx.Err() != nil {
			return errors.New("openbox does not manage the display")
		}
	}
	return nil
}

// connect makes another client on the desktop.
func (d *desk) connect(changes ...func(*Options)) (*Client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o := Options{Bus: d.bus, Windows: d.windows, Activate: d.activate, ScreenReader: true, Timeout: 3 * time.Second}
	for _, change := range changes {
		change(&o)
	}
	return Connect(ctx, o)
}

// another is a client of a test of its own.
func (d *desk) another(t testing.TB, changes ...func(*Options)) *Client {
	t.Helper()
	c, err := d.connect(changes...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// still is a client that thinks that the windows stay as they are now: listing
// them through commands, as the tests do, takes longer than what is measured.
func (d *desk) still(t testing.TB) *Client {
	t.Helper()
	windows, err := d.windows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d.another(t, func(o *Options) {
		o.Windows = func(context.Context) ([]desktop.Window, error) { return windows, nil }
	})
}

// service starts a program that writes where it is to file 3.
func (d *desk) service(name string, args ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	c := d.command(name, args...)
	c.ExtraFiles = []*os.File{w}
	err = d.start(c)
	w.Close()
	if err != nil {
		return "", err
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	return strings.TrimSpace(line), err
}

func (d *desk) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = d.env
	c.Dir = d.dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return c
}

func (d *desk) start(c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	d.procs = append(d.procs, c)
	return nil
}

func (d *desk) close() error {
	if d.client != nil {
		d.client.Close()
	}
	for i := len(d.procs) - 1; i >= 0; i-- {
		end(d.procs[i])
	}
	return os.RemoveAll(d.dir)
}

// end ends a process that we started, with its children.
func end(c *exec.Cmd) {
	syscall.Kill(-c.Process.Pid, syscall.SIGCONT)
	syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	c.Wait()
}

// open starts an application, ends it with the test, and waits until a window
// of it shows something that the ready function accepts.
func (d *desk) open(t testing.TB, ready func(*desktop.Element) bool, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := d.command(name, args...)
	d.launch(t, c)
	var seen []string
	eventually(t, name+" shows what is waited for", func() bool {
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: c.Process.Pid})
		if err != nil {
			t.Fatal(err)
		}
		seen = nil
		return find(tree, func(e *desktop.Element) bool {
			seen = append(seen, fmt.Sprintf("%s %q in %d", e.Role, e.Name, e.Window))
			return e.Window != 0 && ready(e)
		}) != nil
	}, &seen)
	return c
}

func (d *desk) launch(t testing.TB, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(c) })
}

// eventually waits for a condition, and says what there was when it never came.
func eventually(t testing.TB, what string, ok func() bool, found any) {
	t.Helper()
	deadline := scratch.Deadline(t)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s; found %v", what, found)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// find is the first element of a tree that is wanted.
func find(tree *desktop.Tree, want func(*desktop.Element) bool) (found *desktop.Element) {
	tree.Walk(func(e *desktop.Element) bool {
		if want(e) {
			found = e
		}
		return found == nil
	})
	return found
}

// named accepts an element by role and name.
func named(role desktop.Role, name string) func(*desktop.Element) bool {
	return func(e *desktop.Element) bool { return e.Role.Matches(role) && e.Name == name }
}

// element finds an element of a process, read in full.
func (d *desk) element(t testing.TB, c *exec.Cmd, want func(*desktop.Element) bool) *desktop.Element {
	t.Helper()
	tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: c.Process.Pid, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	e := find(tree, want)
	if e == nil {
		t.Fatalf("not in the tree:\n%s", outline(tree, func(*desktop.Element) bool { return true }))
	}
	return e
}

// window waits for the window of a process and makes it the active one.
func (d *desk) window(t testing.TB, c *exec.Cmd) desktop.Window {
	t.Helper()
	var w desktop.Window
	eventually(t, "the window is active", func() bool {
		windows, err := d.windows(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, w = range windows {
			if w.PID == c.Process.Pid {
				return w.Active || d.activate(t.Context(), w.ID) != nil
			}
		}
		return false
	}, &w)
	return w
}

// settle waits until an application knows where its window has come to, which
// toolkits learn a moment after the window manager has placed it.
func (d *desk) settle(t testing.TB, c *exec.Cmd) (w desktop.Window) {
	t.Helper()
	eventually(t, "the frame has come to where its window is", func() bool {
		w = d.window(t, c)
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: c.Process.Pid, Full: true})
		if err != nil {
			t.Fatal(err)
		}
		return len(tree.Roots) > 0 && tree.Roots[0].Bounds.Intersect(w.Bounds) == tree.Roots[0].Bounds
	}, &w)
	return w
}

func (d *desk) activate(ctx context.Context, id desktop.WindowID) error {
	c := exec.CommandContext(ctx, "xdotool", "windowactivate", "--sync", fmt.Sprint(uint64(id)))
	c.Env = d.env
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("xdotool: %w: %s", err, out)
	}
	return nil
}

func (d *desk) ask(ctx context.Context, name string, args ...string) string {
	c := exec.CommandContext(ctx, name, args...)
	c.Env = d.env
	out, _ := c.Output() // a window may be gone by now
	return string(out)
}

var (
	windowIDs   = regexp.MustCompile(`0x[0-9a-f]+`)
	titleLine   = regexp.MustCompile(`_NET_WM_NAME.*= "(.*)"`)
	pidLine     = regexp.MustCompile(`_NET_WM_PID.*= (\d+)`)
	borderLine  = regexp.MustCompile(`_NET_FRAME_EXTENTS.*= (\d+), (\d+), (\d+), (\d+)`)
	measureLine = regexp.MustCompile(`(?s)Absolute upper-left X:\s+(-?\d+).*Absolute upper-left Y:\s+(-?\d+).*Width: (\d+).*Height: (\d+)`)
)

// numbers are what a pattern caught, as numbers; n of them at least.
func numbers(re *regexp.Regexp, text string, n int) []int {
	list := make([]int, n)
	for i, m := range re.FindStringSubmatch(text) {
		if i > 0 {
			list[i-1], _ = strconv.Atoi(m)
		}
	}
	return list
}

// windows lists the windows, as a driver of the window system would.
func (d *desk) windows(ctx context.Context) ([]desktop.Window, error) {
	root := d.ask(ctx, "xprop", "-root", "_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING")
	lines := strings.SplitN(root, "\n", 2)
	if len(lines) < 2 {
		return nil, ctx.Err()
	}
	active := windowIDs.FindString(lines[0])
	var list []desktop.Window
	for _, id := range windowIDs.FindAllString(lines[1], -1) {
		props := d.ask(ctx, "xprop", "-id", id, "_NET_WM_NAME", "_NET_WM_PID", "_NET_WM_STATE", "_NET_FRAME_EXTENTS")
		border := numbers(borderLine, props, 4)
		box := numbers(measureLine, d.ask(ctx, "xwininfo", "-id", id), 4)
		n, _ := strconv.ParseUint(id[2:], 16, 64)
		w := desktop.Window{
			ID: desktop.WindowID(n), PID: numbers(pidLine, props, 1)[0], Active: id == active,
			Minimized: strings.Contains(props, "_NET_WM_STATE_HIDDEN"),
			Bounds:    desktop.Rect{X: box[0] - border[0], Y: box[1] - border[2], W: box[2] + border[0] + border[1], H: box[3] + border[2] + border[3]},
		}
		if m := titleLine.FindStringSubmatch(props); m != nil {
			w.Title = m[1]
		}
		list = append(list, w)
	}
	return list, nil
}

// outline writes the wanted elements of a tree, one a line, indented by those
// of their parents that are wanted too.
func outline(tree *desktop.Tree, want func(*desktop.Element) bool) string {
	var b strings.Builder
	var write func(e *desktop.Element, indent string)
	write = func(e *desktop.Element, indent string) {
		if want(e) {
			fmt.Fprintf(&b, "%s%s", indent, describe(e))
			indent += "  "
		}
		for _, c := range e.Children {
			write(c, indent)
		}
	}
	for _, r := range tree.Roots {
		write(r, "")
	}
	return b.String()
}

// describe writes an element without what differs from run to run.
func describe(e *desktop.Element) string {
	line := fmt.Sprintf("%s %q", e.Role, e.Name)
	if e.Label != "" {
		line += fmt.Sprintf(" label=%q", e.Label)
	}
	if e.ID != "" {
		line += " #" + e.ID
	}
	if e.Value != nil && e.Role != "scrollbar" { // how far it goes depends on the fonts
		line += fmt.Sprintf(" value=%v/%v/%v", e.Value.Min, e.Value.Now, e.Value.Max)
	}
	if len(e.Actions) > 0 && len(e.Actions) < 4 {
		line += " does=" + strings.Join(e.Actions, "/")
	}
	moving := desktop.Active | desktop.Focused | desktop.Showing | desktop.Visible
	return line + " [" + strings.Join((e.States&^moving).Names(), " ") + "]\n"
}

// testFile is the absolute path of a file in testdata.
func testFile(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
