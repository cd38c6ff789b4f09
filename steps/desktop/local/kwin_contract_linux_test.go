package local_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"understudy/internal/scratch"
	"understudy/steps/desktop"
	"understudy/steps/desktop/desktoptest"
	"understudy/steps/desktop/local"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/wayland/waylandtest"
)

// onKWin is the application of the contract in a session of KWin, which places and
// raises its windows in its stead, as sway does.
type onKWin struct {
	*desktoptest.Program
	session *waylandtest.Session
}

// Do has the application do something, and its windows placed as it would itself.
func (a onKWin) Do(command string) error {
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
		if err := a.window("Contract", "w.minimized = false; w.frameGeometry = {x: 40, y: 30, width: 520, height: 760}; workspace.activeClient = w"); err != nil {
			return err
		}
	}
	if err := a.Program.Do(command); err != nil || at.Empty() {
		return err
	}
	return a.window(arg, fmt.Sprintf("w.noBorder = true; w.frameGeometry = {x: %d, y: %d, width: w.frameGeometry.width, height: w.frameGeometry.height}; workspace.activeClient = w", at.X, at.Y))
}

// window does something with a window w, as soon as that is there.
func (a onKWin) window(title, do string) error {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		said, err := a.session.Script(fmt.Sprintf(`(() => { const w = workspace.clientList().find(w => w.caption == %q); if (!w) return "none"; %s; return "done" })()`, title, do))
		switch {
		case said == "done" || err != nil:
			return err
		case time.Now().After(end):
			return fmt.Errorf("the window %q: %s", title, said)
		}
	}
}

// Boxes are where the application draws, in the windows where KWin has them.
func (a onKWin) Boxes() (map[string]desktop.Rect, error) {
	boxes, err := a.Program.Boxes()
	if err != nil {
		return nil, err
	}
	said, err := a.session.Script(`JSON.stringify(workspace.clientList().map(w => ({title: w.caption, popup: w.popupWindow, frame: w.frameGeometry, drawn: w.bufferGeometry})))`)
	if err != nil {
		return nil, err
	}
	type box struct{ X, Y, Width, Height int }
	var all []struct {
		Title        string
		Popup        bool
		Frame, Drawn box
	}
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	frames, drawn := map[string]box{}, map[string]box{}
	for _, w := range all {
		title := w.Title
		if w.Popup {
			title = "a popup"
		}
		frames[title], drawn[title] = w.Frame, w.Drawn
	}
	for name, b := range boxes {
		in := "Contract"
		if title, found := strings.CutPrefix(name, "In "); found {
			in = title
		}
		if name == "New" || name == "Save" {
			in = "a popup"
		}
		if f, isWindow := frames[name]; isWindow {
			boxes[name] = desktop.Rect{X: f.X, Y: f.Y, W: f.Width, H: f.Height}
			continue
		}
		b.X, b.Y = b.X+drawn[in].X, b.Y+drawn[in].Y
		boxes[name] = b
	}
	return boxes, nil
}

// A session of KWin keeps the contract, but for what Wayland or KWin do not have.
func TestAtLengthContractOnKWin(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := waylandtest.StartKWin(t, desktop.Size{W: 1280, H: 900}, 1)
	s.Enter(t)
	for sentence := range lacksOnKWin {
		if page, err := os.ReadFile("../../../docs/wayland.md"); err != nil || !strings.Contains(string(page), "\n| "+sentence+" | ") {
			t.Errorf("the page on Wayland does not say that this is not held: %s (%v)", sentence, err)
		}
	}
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		d := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
		app := desktoptest.Start(t, s.Env())
		return &desktoptest.System{Desktop: d, App: onKWin{app, s}, Launch: app.Another("Launched"), Launched: "Launched", Lacks: lacksOnKWin}
	})
}

// lacksOnKWin are the sentences that Wayland or KWin cannot hold, and why.
var lacksOnKWin = map[string]string{
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
	"a menu opens with a click and closes with escape":      "no program is told where a popup is",
	"an item of an open menu is clicked like anything else": "no program is told where a popup is",
	"a scroll moves what is under the pointer":              "its wheel turns without notches",
	"watched input leaves our own out":                      "no program hears what a person types or clicks in another one",
}

// In a session of KWin "auto" is that session once this program is allowed to act
// there; before, it is a virtual display, and the diagnosis has the command.
func TestAtLengthAutoIsTheSessionOfKWin(t *testing.T) {
	s := waylandtest.StartKWinThatForbids(t, desktop.Size{W: 1280, H: 900}, 1)
	s.Enter(t)
	diagnose := func() map[string]desktop.Finding {
		found := map[string]desktop.Finding{}
		for _, f := range (local.Machine{}).Diagnose(t.Context(), desktop.Options{Dir: scratch.Dir(t)}) {
			found[f.Name] = f
		}
		return found
	}
	if f := diagnose()["your session"]; f.OK || f.Mend != "understudy setup kwin" {
		t.Errorf("before it is allowed, the diagnosis says %+v", f)
	}
	s.Allow(t)
	for _, display := range []string{"auto", desktop.Seat, s.Wayland} {
		i, err := open(t, desktop.Options{Display: display, Dir: scratch.Dir(t)}).Info(t.Context())
		if err != nil || i.Virtual || i.Instead != "" || i.Display != s.Wayland || i.Manager != "KWin" {
			t.Errorf("%s: got %+v (%v), want the session", display, i, err)
		}
	}
	found := diagnose()
	for _, name := range []string{"display", "org.kde.kwin.Scripting", "org_kde_kwin_fake_input", "org.kde.KWin.ScreenShot2", "zwlr_data_control_manager_v1", "screenshot", "clipboard", "window manager"} {
		if f := found[name]; !f.OK {
			t.Errorf("the diagnosis says of %s %+v, want it to be there", name, f)
		}
	}
	if f := found["recording"]; f.OK || f.Mend == "" {
		t.Errorf("the diagnosis says of recording %+v, want that nobody is heard, and what works", f)
	}
}
