package local_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"understudy/internal/scratch"
	"understudy/steps/desktop"
	"understudy/steps/desktop/desktoptest"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/wayland/waylandtest"
)

// onGNOME is the application of the contract in a session of GNOME, where the shell
// places and raises its windows, asked past our extension.
type onGNOME struct {
	*desktoptest.Program
	session *waylandtest.GNOME
}

// Do has the application do something, and its windows placed as it would itself.
func (a onGNOME) Do(command string) error {
	name, arg, _ := strings.Cut(command, " ")
	var at desktop.Rect
	switch name {
	case "open", "cover":
		under := arg
		if name == "open" {
			under = "Canvas"
		} else {
			arg = "Cover"
		}
		boxes, err := a.Boxes()
		if err != nil {
			return err
		}
		at = boxes[under]
	case "reset":
		if err := a.place("Contract", "w.unmaximize(3); w.unminimize(); w.move_resize_frame(true, 40, 60, 520, 720)", "true"); err != nil {
			return err
		}
	}
	if err := a.Program.Do(command); err != nil || at.Empty() {
		return err
	}
	// It is there when a press reaches it, which may be a frame later.
	return a.place(arg, fmt.Sprintf("w.move_frame(true, %d, %d)", at.X, at.Y), fmt.Sprintf(
		"(function reached(at) { return at === actor || !!at && reached(at.get_parent()) })(global.stage.get_actor_at_pos(imports.gi.Clutter.PickMode.REACTIVE, %d, %d))",
		at.Center().X, at.Center().Y))
}

// place has the shell do something with a window and raise it, as soon as that is
// there, and until something holds.
func (a onGNOME) place(title, script, until string) (err error) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var found bool
		err = a.session.Eval(&found, fmt.Sprintf(`(() => {
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

// Boxes are where the application draws, in the windows where GNOME has them.
func (a onGNOME) Boxes() (map[string]desktop.Rect, error) {
	boxes, err := a.Program.Boxes()
	if err != nil {
		return nil, err
	}
	var windows map[string][2][4]int
	if err := a.session.Eval(&windows, `Object.fromEntries(global.get_window_actors().map(a => a.meta_window).map(w =>
		[w.title, [w.get_frame_rect(), w.get_buffer_rect()].map(r => [r.x, r.y, r.width, r.height])]))`); err != nil {
		return nil, err
	}
	for name, b := range boxes {
		in := "Contract"
		if title, found := strings.CutPrefix(name, "In "); found {
			in = title
		}
		w, isWindow := windows[name]
		if isWindow {
			boxes[name] = desktop.Rect{X: w[0][0], Y: w[0][1], W: w[0][2], H: w[0][3]}
			continue
		}
		b.X, b.Y = b.X+windows[in][1][0], b.Y+windows[in][1][1]
		boxes[name] = b
	}
	return boxes, nil
}

// A session of GNOME keeps the contract, but for what Wayland or GNOME do not have.
func TestAtLengthContractOnGNOME(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := waylandtest.StartGNOME(t, 1)
	s.Enter(t)
	for sentence := range lacksOnGNOME {
		if page, err := os.ReadFile("../../../docs/wayland.md"); err != nil || !strings.Contains(string(page), "\n| "+sentence+" | ") {
			t.Errorf("the page on Wayland does not say that this is not held: %s (%v)", sentence, err)
		}
	}
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		d := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
		app := desktoptest.Start(t, s.Env())
		return &desktoptest.System{Desktop: d, App: onGNOME{app, s}, Launch: app.Another("Launched"), Launched: "Launched", Lacks: lacksOnGNOME}
	})
}

// lacksOnGNOME are the sentences that Wayland or GNOME cannot hold, and why.
var lacksOnGNOME = map[string]string{
	"a menu opens with a click and closes with escape":      "a program does not tell in which of its popups an item is",
	"an item of an open menu is clicked like anything else": "a program does not tell in which of its popups an item is",
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
	"watched input leaves our own out":                      "no program hears what a person types or clicks in another one",
}
