package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// swayPlacer is sway, asked by a program that has nothing to do with what is tested.
type swayPlacer struct {
	*virtualtest.Session
	t testing.TB
}

func (p swayPlacer) reset() error {
	if err := p.command("Contract", "floating enable, resize set 520 px 720 px, move absolute position 40 px 30 px, focus"); err != nil {
		return err
	}
	// An output without a screen has the pointer in its pictures.
	_, err := p.Message("seat - cursor set 1270 890")
	return err
}

func (p swayPlacer) raise(title string, at desktop.Rect) error {
	return p.command(title, fmt.Sprintf("border none, move absolute position %d px %d px, focus", at.X, at.Y))
}

// command runs a command of sway on a window, as soon as that is there.
func (p swayPlacer) command(title, command string) (err error) {
	for end := scratch.Deadline(p.t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err = p.Message(fmt.Sprintf(`[title="^%s$"] %s`, title, command)); err == nil {
			return nil
		}
	}
	return err
}

func (p swayPlacer) placed() (map[string][2]desktop.Rect, error) {
	out, err := p.Message("-r", "-t", "get_tree")
	if err != nil {
		return nil, err
	}
	type box struct{ X, Y, Width, Height int }
	type node struct {
		Name    string
		PID     int
		Rect    box
		Inside  box    `json:"window_rect"`
		Bar     box    `json:"deco_rect"`
		Kids    []node `json:"nodes"`
		Floated []node `json:"floating_nodes"`
	}
	found := map[string][2]desktop.Rect{}
	var visit func(n node)
	visit = func(n node) {
		if n.PID != 0 {
			found[n.Name] = [2]desktop.Rect{
				{X: n.Rect.X, Y: n.Rect.Y - n.Bar.Height, W: n.Rect.Width, H: n.Rect.Height + n.Bar.Height},
				{X: n.Rect.X + n.Inside.X, Y: n.Rect.Y + n.Inside.Y, W: n.Inside.Width, H: n.Inside.Height},
			}
		}
		for _, k := range append(n.Kids, n.Floated...) {
			visit(k)
		}
	}
	var root node
	err = json.Unmarshal(out, &root)
	visit(root)
	return found, err
}

// A session of sway keeps the contract, but for what Wayland or sway do not have.
func TestAtLengthContractOnSway(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900", "for_window [title=.] floating enable")
	keepsTheContract(t, s, swayPlacer{s, t}, lacksOnSway)
}

// lacksOnSway are the sentences that Wayland or sway cannot hold, and why.
var lacksOnSway = map[string]string{
	"a menu opens with a click and closes with escape":      "no program is told where a popup is",
	"an item of an open menu is clicked like anything else": "no program is told where a popup is",
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
	"a minimized window can be brought back":                "sway does not minimize windows",
	"a maximized window gets its size back":                 "sway does not maximize windows",
	"watched input leaves our own out":                      "no program hears what a person types or clicks in another one: what comes of it is recorded",
}

// Where a menu is, no program is told: so its items have no place, nothing below it
// is taken for what a click there reaches, and it is operated by its actions and keys.
func TestAMenuOnSwayIsNotGuessed(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900")
	s.Enter(t)
	d := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
	app := placedApp{desktoptest.Start(t, s.Env()), swayPlacer{s, t}}
	boxes := app.atRest(t)
	ok := boxes["OK"].Center()
	if e, err := d.ElementAt(t.Context(), ok); err != nil || e.Name != "OK" {
		t.Fatalf("before: %+v, %v", e, err)
	}
	if err := d.Do(t.Context(), desktop.Click{At: boxes["File"].Center(), Button: desktop.Left}); err != nil {
		t.Fatal(err)
	}
	save := awaitElement(t, d, "Save")
	if !save.Bounds.Empty() {
		t.Errorf("an item of a menu is said to be at %s, want it to have no place", save.Bounds)
	}
	if again, err := d.Refresh(t.Context(), save.Handle); err != nil || !again.Bounds.Empty() {
		t.Errorf("read again it is %+v, %v, want it to have no place", again, err)
	}
	for name, look := range map[string]func(context.Context, desktop.Point) (*desktop.Element, error){"ElementAt": d.ElementAt, "Hit": d.Hit} {
		if e, err := look(t.Context(), ok); !errors.Is(err, desktop.ErrUnavailable) {
			t.Errorf("%s while the menu is open: %+v, %v, want that it is not known", name, e, err)
		}
	}
	if err := d.Do(t.Context(), desktop.Invoke{Element: save.Handle}); err != nil {
		t.Fatal(err)
	}
	if err := app.Do("settle"); err != nil {
		t.Fatal(err)
	}
	if got := app.Received(); !slices.Contains(got, `click "Save"`) {
		t.Errorf("the application heard %v, want that Save was clicked", got)
	}
}

// Where two devices move the pointer, the compositor is asked where it is, and a press
// right behind the question reaches the window there.
func TestAPressBehindTheQuestionForThePointerOnSway(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900")
	s.Enter(t)
	d, other := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)}), open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
	app := placedApp{desktoptest.Start(t, s.Env()), swayPlacer{s, t}}
	ok := app.atRest(t)["OK"].Center()
	if err := other.Do(t.Context(), desktop.MovePointer{To: ok}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []desktop.Action{desktop.ButtonDown{Button: desktop.Left}, desktop.ButtonUp{Button: desktop.Left}} {
		if err := d.Do(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Do("settle"); err != nil {
		t.Fatal(err)
	}
	if got := app.Received(); !slices.Contains(got, `click "OK"`) {
		t.Errorf("the application heard %v, want that OK was clicked", got)
	}
}

// atRest waits until the application has its place and size, and says where it draws.
func (a placedApp) atRest(t *testing.T) map[string]desktop.Rect {
	t.Helper()
	for end := scratch.Deadline(t); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err := a.Do("reset")
		inside, err2 := a.Program.Boxes()
		windows, err3 := a.placed()
		boxes, err4 := a.Boxes()
		if err := errors.Join(err, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		if is := windows["Contract"][1]; is.W == inside["Contract"].W && is.H == inside["Contract"].H && is.W == 516 {
			return boxes
		}
	}
	t.Fatal("the application did not come to rest")
	return nil
}

// awaitElement waits for the element of a name that shows.
func awaitElement(t *testing.T, d *desktop.Desktop, name string) (found *desktop.Element) {
	t.Helper()
	for end := scratch.Deadline(t); found == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		tree, err := d.Tree(t.Context(), desktop.Scope{Full: true})
		if err != nil {
			t.Fatal(err)
		}
		tree.Walk(func(e *desktop.Element) bool {
			if e.Name == name && e.Role != "label" {
				found = e
			}
			return true
		})
	}
	if found == nil {
		t.Fatalf("there is no element %q", name)
	}
	return found
}
