package local_test

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// gnomePlacer is the shell of GNOME, asked past our extension.
type gnomePlacer struct {
	*virtualtest.GNOME
	t testing.TB
}

func (p gnomePlacer) reset() error {
	return p.place("Contract", "w.unmaximize(3); w.unminimize(); w.move_resize_frame(true, 40, 60, 520, 720)", "true")
}

func (p gnomePlacer) raise(title string, at desktop.Rect) error {
	// It is there when a press reaches it, which may be a frame later.
	return p.place(title, fmt.Sprintf("w.move_frame(true, %d, %d)", at.X, at.Y), fmt.Sprintf(
		"(function reached(at) { return at === actor || !!at && reached(at.get_parent()) })(global.stage.get_actor_at_pos(imports.gi.Clutter.PickMode.REACTIVE, %d, %d))",
		at.Center().X, at.Center().Y))
}

// place has the shell do something with a window and raise it, as soon as that is
// there, and until something holds.
func (p gnomePlacer) place(title, script, until string) (err error) {
	for end := scratch.Deadline(p.t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var found bool
		err = p.Eval(&found, fmt.Sprintf(`(() => {
			const actor = global.get_window_actors().find(a => a.meta_window.title === %q);
			if (!actor?.visible || !actor.meta_window.get_frame_rect().width) return false;
			const w = actor.meta_window;
			%s; w.activate(global.get_current_time()); return %s;
		})()`, title, script, until))
		if found {
			return nil
		}
	}
	return fmt.Errorf("the window %q: not there, or %w", title, err)
}

func (p gnomePlacer) placed() (map[string][2]desktop.Rect, error) {
	var told map[string][2][4]int
	err := p.Eval(&told, `Object.fromEntries(global.get_window_actors().map(a => a.meta_window).map(w =>
		[w.title, [w.get_frame_rect(), w.get_buffer_rect()].map(r => [r.x, r.y, r.width, r.height])]))`)
	windows := map[string][2]desktop.Rect{}
	for title, w := range told {
		rect := func(r [4]int) desktop.Rect { return desktop.Rect{X: r[0], Y: r[1], W: r[2], H: r[3]} }
		windows[title] = [2]desktop.Rect{rect(w[0]), rect(w[1])}
	}
	return windows, err
}

// A session of GNOME keeps the contract, but for what Wayland or GNOME do not have.
func TestAtLengthContractOnGNOME(t *testing.T) {
	s := virtualtest.StartGNOME(t, 1)
	keepsTheContract(t, s.Session, gnomePlacer{s, t}, lacksOnGNOME)
}

// A program that reads the clipboard late, as on a busy machine, finds the text that it is to
// paste, and not the one of before, which the shell's own copy does not bring back early.
func TestAtLengthASlowProgramPastesItsTextOnGNOME(t *testing.T) {
	s := virtualtest.StartGNOME(t, 1)
	s.Enter(t)
	d := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})}
	app := placedApp{desktoptest.Start(t, s.Env()), gnomePlacer{s, t}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(app.Do("reset"))
	boxes, err := app.Boxes()
	must(err)
	click := func(name string) {
		t.Helper()
		must(d.Do(t.Context(), desktop.Click{At: boxes[name].Center(), Button: desktop.Left, Count: 1}))
	}
	click("OK") // which is no field, so that text is pasted
	d.eventually("nothing is written in", func() bool { return slices.Contains(app.Received(), `click "OK"`) })
	must(app.Do("settle"))
	must(app.Process.Signal(syscall.SIGSTOP))
	click("Body")
	time.AfterFunc(time.Second, func() { _ = app.Process.Signal(syscall.SIGCONT) })
	must(d.Do(t.Context(), desktop.Type{Text: "Ελληνικά"}))
	d.eventually("it is pasted", func() bool { return slices.Contains(app.Received(), `text "Body" "Ελληνικά"`) })
}

// lacksOnGNOME are the sentences that Wayland or GNOME cannot hold, and why.
var lacksOnGNOME = map[string]string{
	"a menu opens with a click and closes with escape":      "a program does not tell in which of its popups an item is",
	"an item of an open menu is clicked like anything else": "a program does not tell in which of its popups an item is",
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
}
