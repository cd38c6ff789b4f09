package local_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// kwinPlacer is KWin, asked by scripts past ours.
type kwinPlacer struct {
	*virtualtest.Session
	t testing.TB
}

func (p kwinPlacer) reset() error {
	return p.window("Contract", "w.minimized = false; w.frameGeometry = {x: 40, y: 30, width: 520, height: 760}; workspace.activeClient = w")
}

func (p kwinPlacer) raise(title string, at desktop.Rect) error {
	return p.window(title, fmt.Sprintf("w.noBorder = true; w.frameGeometry = {x: %d, y: %d, width: w.frameGeometry.width, height: w.frameGeometry.height}; workspace.activeClient = w", at.X, at.Y))
}

// window does something with a window w, as soon as that is there.
func (p kwinPlacer) window(title, do string) error {
	for end := scratch.Deadline(p.t); ; time.Sleep(5 * time.Millisecond) {
		said, err := p.Script(fmt.Sprintf(`(() => { const w = workspace.clientList().find(w => w.caption == %q); if (!w) return "none"; %s; return "done" })()`, title, do))
		switch {
		case said == "done" || err != nil:
			return err
		case time.Now().After(end):
			return fmt.Errorf("the window %q: %s", title, said)
		}
	}
}

func (p kwinPlacer) placed() (map[string][2]desktop.Rect, error) {
	said, err := p.Script(`JSON.stringify(workspace.clientList().map(w => ({title: w.caption, frame: w.frameGeometry, drawn: w.bufferGeometry})))`)
	if err != nil {
		return nil, err
	}
	type box struct{ X, Y, Width, Height int }
	var all []struct {
		Title        string
		Frame, Drawn box
	}
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	windows := map[string][2]desktop.Rect{}
	for _, w := range all {
		rect := func(b box) desktop.Rect { return desktop.Rect{X: b.X, Y: b.Y, W: b.Width, H: b.Height} }
		windows[w.Title] = [2]desktop.Rect{rect(w.Frame), rect(w.Drawn)}
	}
	return windows, nil
}

// A session of KWin keeps the contract, but for what Wayland or KWin do not have.
func TestAtLengthContractOnKWin(t *testing.T) {
	s := virtualtest.StartKWin(t, desktop.Size{W: 1280, H: 900}, 1)
	keepsTheContract(t, s, kwinPlacer{s, t}, lacksOnKWin)
}

// lacksOnKWin are the sentences that Wayland or KWin cannot hold, and why.
var lacksOnKWin = map[string]string{
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
	"a menu opens with a click and closes with escape":      "no program is told where a popup is",
	"an item of an open menu is clicked like anything else": "no program is told where a popup is",
	"a scroll moves what is under the pointer":              "its wheel turns without notches",
	"watched input leaves our own out":                      "no program hears what a person types or clicks in another one: what comes of it is recorded",
}

// In a session of KWin "auto" is that session once this program is allowed to act
// there; before, it is a virtual display, and the diagnosis has the command.
func TestAtLengthAutoIsTheSessionOfKWin(t *testing.T) {
	s := virtualtest.StartKWinThatForbids(t, desktop.Size{W: 1280, H: 900}, 1)
	s.Enter(t)
	if f := diagnosed(t)["your session"]; f.OK || f.Mend != "understudy setup kwin" {
		t.Errorf("before it is allowed, the diagnosis says %+v", f)
	}
	s.Allow(t)
	isOurSession(t, s, "KWin", "org.kde.kwin.Scripting", "org_kde_kwin_fake_input", "org.kde.KWin.ScreenShot2", "zwlr_data_control_manager_v1")
}
