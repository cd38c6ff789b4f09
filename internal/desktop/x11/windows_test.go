//go:build linux

package x11_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"understudy/internal/desktop"
)

// terminal starts a terminal that does nothing and waits for its window.
func (b *bench) terminal(title string) desktop.Window {
	b.t.Helper()
	cmd := b.start("xterm", "-T", title, "-e", "sleep", "1000")
	w := b.window(title)
	if w.PID != cmd.Process.Pid || w.Process != "xterm" || w.Class != "XTerm" {
		b.t.Errorf("got %+v, wanted the window of xterm, process %d", w, cmd.Process.Pid)
	}
	return w
}

var xwininfoLine = regexp.MustCompile(`(?m)(Absolute upper-left X|Absolute upper-left Y|Relative upper-left X|Relative upper-left Y|Width|Height):\s+(-?\d+)`)

// inside returns the bounds of a window without its frame, by xwininfo.
func (b *bench) inside(id desktop.WindowID) desktop.Rect {
	b.t.Helper()
	n := map[string]int{}
	for _, m := range xwininfoLine.FindAllStringSubmatch(b.run("xwininfo", "-id", fmt.Sprint(id)), -1) {
		n[m[1]], _ = strconv.Atoi(m[2])
	}
	return desktop.Rect{X: n["Absolute upper-left X"], Y: n["Absolute upper-left Y"], W: n["Width"], H: n["Height"]}
}

func (b *bench) manage(id desktop.WindowID, do desktop.WindowAction, bounds ...desktop.Rect) {
	b.t.Helper()
	c := desktop.Manage{Window: id, Do: do}
	if len(bounds) > 0 {
		c.Bounds = bounds[0]
	}
	b.must(b.Do(b.t.Context(), c))
}

func TestWindowsAreManaged(t *testing.T) {
	b := open(t)
	one, two := b.terminal("the first"), b.terminal("the second")
	order := func() string {
		ws, err := b.Windows(t.Context())
		b.must(err)
		var titles []string
		for _, w := range ws {
			titles = append(titles, w.Title)
		}
		return strings.Join(titles, ", ")
	}
	active := func() string { return strings.TrimSpace(b.run("xdotool", "getactivewindow")) }

	if got := order(); got != "the first, the second" || active() != fmt.Sprint(two.ID) {
		t.Errorf("the stack is %s, and %s is active; wanted the second on top", got, active())
	}
	b.manage(one.ID, desktop.Activate)
	if got := order(); got != "the second, the first" || active() != fmt.Sprint(one.ID) || !b.look(one.ID).Active {
		t.Errorf("after activate the stack is %s, and %s is active; wanted the first on top", got, active())
	}

	b.manage(one.ID, desktop.Minimize)
	if !b.look(one.ID).Minimized || !strings.Contains(b.run("xwininfo", "-id", fmt.Sprint(one.ID)), "IsUnMapped") {
		t.Error("after minimize it still shows")
	}
	b.manage(one.ID, desktop.Restore)
	if b.look(one.ID).Minimized || !strings.Contains(b.run("xwininfo", "-id", fmt.Sprint(one.ID)), "IsViewable") {
		t.Error("after restore it does not show")
	}

	before := b.look(one.ID).Bounds
	b.manage(one.ID, desktop.Maximize)
	if got := b.look(one.ID); !got.Maximized || got.Bounds != (desktop.Rect{W: 1920, H: 1080}) {
		t.Errorf("after maximize: %+v", got)
	}
	b.manage(one.ID, desktop.Restore)
	if got := b.look(one.ID); got.Maximized || got.Bounds != before {
		t.Errorf("after restore: %+v, wanted %v", got, before)
	}

	b.manage(one.ID, desktop.Close)
	if got := order(); got != "the second" {
		t.Errorf("after close there are %s", got)
	}
	err := b.Do(t.Context(), desktop.Manage{Window: one.ID, Do: desktop.Activate})
	if !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("activating a closed window: got %v, wanted ErrNotFound", err)
	}
	if err := b.Do(t.Context(), desktop.Manage{Window: two.ID, Do: "fold"}); err == nil {
		t.Error("a window was folded")
	}
}

func TestWindowsArePlaced(t *testing.T) {
	b := open(t)
	b.events() // a window of any size
	b.editorWindow()
	for _, title := range []string{"Event Tester", "note.txt"} {
		w := b.window(title)
		for _, to := range []desktop.Rect{{X: 100, Y: 200, W: 900, H: 700}, {X: 0, Y: 0, W: 800, H: 600}, {X: 400, Y: 300}} {
			b.manage(w.ID, desktop.Place, to)
			got := b.look(w.ID).Bounds
			if to.Empty() {
				to.W, to.H = 800, 600
			}
			if got != to {
				t.Errorf("%s: got %v, wanted %v", title, got, to)
			}
			if in := b.inside(w.ID); in.Intersect(got) != in {
				t.Errorf("%s: xwininfo says %v, which is not inside %v", title, in, got)
			}
		}
	}
}

func (b *bench) editorWindow() { b.editor("mousepad") }

func TestATerminalGrowsInSteps(t *testing.T) {
	b := open(t)
	w := b.terminal("steps")
	to := desktop.Rect{X: 50, Y: 60, W: 501, H: 303}
	b.manage(w.ID, desktop.Place, to)
	got := b.look(w.ID).Bounds
	if got.X != to.X || got.Y != to.Y || got.W > to.W || got.W < to.W-20 || got.H > to.H || got.H < to.H-20 {
		t.Errorf("got %v, wanted about %v", got, to)
	}
}

func TestAWindowThatAsksFirstRefusesToClose(t *testing.T) {
	b := open(t)
	b.editorWindow()
	w := b.window("note.txt")
	b.must(b.Do(t.Context(), desktop.Type{Text: "unsaved"}))
	err := b.Do(t.Context(), desktop.Manage{Window: w.ID, Do: desktop.Close})
	if !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("got %v, wanted ErrRefused", err)
	}
}

func TestPopupsAreOnTop(t *testing.T) {
	b := open(t)
	b.editorWindow()
	w := b.window("note.txt")
	b.must(b.Do(t.Context(), desktop.Click{At: w.Bounds.Center(), Button: desktop.Right}))
	b.eventually("a menu is listed", func() (bool, string) {
		ws, err := b.Windows(t.Context())
		b.must(err)
		i := slices.IndexFunc(ws, func(x desktop.Window) bool { return x.Popup && x.PID == w.PID })
		return i > 0 && ws[0].ID == w.ID, fmt.Sprintf("%+v", ws)
	})
}

func TestAWindowManagerThatDiesIsStartedAgain(t *testing.T) {
	b := open(t)
	one, two := b.terminal("the first"), b.terminal("the second")
	for range 3 {
		b.killManager()
		ws, err := b.Windows(t.Context())
		b.must(err)
		var titles []string
		for _, w := range ws {
			titles = append(titles, w.Title)
		}
		slices.Sort(titles)
		if got := strings.Join(titles, ", "); got != "the first, the second" {
			t.Fatalf("the new manager knows %q, wanted the first and the second", got)
		}
		for _, w := range []desktop.Window{one, two} {
			b.manage(w.ID, desktop.Activate)
			if got := strings.TrimSpace(b.run("xdotool", "getactivewindow")); got != fmt.Sprint(w.ID) {
				t.Errorf("%s is active, wanted %d", got, w.ID)
			}
		}
	}
}

func TestAtLengthAWindowManagerThatKeepsDyingIsGivenUp(t *testing.T) {
	b := open(t)
	var err error
	b.eventually("the windows are not known", func() (bool, string) {
		if _, err = b.Windows(t.Context()); err == nil {
			b.killManager()
		}
		return err != nil, ""
	})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || missing.Mend == "" || !strings.Contains(err.Error(), "window manager") {
		t.Errorf("got %v, wanted a MissingError about the window manager, and how to mend it", err)
	}
	err = b.Do(t.Context(), desktop.Manage{Window: 1, Do: desktop.Activate})
	if !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("activating: got %v, wanted ErrUnavailable", err)
	}
}
