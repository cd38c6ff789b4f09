package local_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/scratch"
	"understudy/steps/desktop"
	"understudy/steps/desktop/desktoptest"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/wayland/waylandtest"
)

// onSway is the application of the contract in a session of sway. An application
// does not know there where its windows are, nor can it place or raise them: sway
// does that, asked by a program that has nothing to do with what is tested.
type onSway struct {
	*desktoptest.Program
	session *waylandtest.Session
}

// Do has the application do something, and its windows placed as it would itself.
func (a onSway) Do(command string) error {
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
		if err := a.command("Contract", "floating enable, resize set 520 px 720 px, move absolute position 40 px 30 px, focus"); err != nil {
			return err
		}
		// An output without a screen has the pointer in its pictures.
		if _, err := a.session.Message("seat - cursor set 1270 890"); err != nil {
			return err
		}
	}
	if err := a.Program.Do(command); err != nil || at.Empty() {
		return err
	}
	return a.command(arg, fmt.Sprintf("border none, move absolute position %d px %d px, focus", at.X, at.Y))
}

// command runs a command of sway on a window, as soon as that is there.
func (a onSway) command(title, command string) (err error) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if _, err = a.session.Message(fmt.Sprintf(`[title="^%s$"] %s`, title, command)); err == nil {
			return nil
		}
	}
	return err
}

// windows are what sway says of the windows: where each is, and what is drawn in it.
func (a onSway) windows() (map[string][2]desktop.Rect, error) {
	out, err := a.session.Message("-r", "-t", "get_tree")
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

// Boxes are where the application draws, in the windows where sway has them.
func (a onSway) Boxes() (map[string]desktop.Rect, error) {
	boxes, err := a.Program.Boxes()
	if err != nil {
		return nil, err
	}
	windows, err := a.windows()
	if err != nil {
		return nil, err
	}
	for name, b := range boxes {
		in := "Contract"
		if title, found := strings.CutPrefix(name, "In "); found {
			in = title
		}
		w, isWindow := windows[name]
		if isWindow {
			boxes[name] = w[0]
			continue
		}
		b.X, b.Y = b.X+windows[in][1].X, b.Y+windows[in][1].Y
		boxes[name] = b
	}
	return boxes, nil
}

// A session of sway keeps the contract, but for what Wayland or sway do not have.
func TestAtLengthContractOnSway(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := waylandtest.Start(t, "xwayland disable", "output * resolution 1280x900", "for_window [title=.] floating enable")
	s.Enter(t)
	for sentence := range lacksOnSway {
		if page, err := os.ReadFile("../../../docs/wayland.md"); err != nil || !strings.Contains(string(page), "\n| "+sentence+" | ") {
			t.Errorf("the page on Wayland does not say that this is not held: %s (%v)", sentence, err)
		}
	}
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		d := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
		app := desktoptest.Start(t, s.Env())
		return &desktoptest.System{Desktop: d, App: onSway{app, s}, Launch: app.Another("Launched"), Launched: "Launched", Lacks: lacksOnSway}
	})
}

// lacksOnSway are the sentences that Wayland or sway cannot hold, and why.
var lacksOnSway = map[string]string{
	"a menu opens with a click and closes with escape":      "no program is told where a popup is",
	"an item of an open menu is clicked like anything else": "no program is told where a popup is",
	"typed text has been read before anything else is done": "no program can ask another whether it has read its keys",
	"a minimized window can be brought back":                "sway does not minimize windows",
	"a maximized window gets its size back":                 "sway does not maximize windows",
	"watched input leaves our own out":                      "no program hears what a person types or clicks in another one",
}

// Where a menu is, no program is told: so its items have no place, nothing below it
// is taken for what a click there reaches, and it is operated by its actions and keys.
func TestAMenuOnSwayIsNotGuessed(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := waylandtest.Start(t, "xwayland disable", "output * resolution 1280x900")
	s.Enter(t)
	d := open(t, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
	app := onSway{desktoptest.Start(t, s.Env()), s}
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

// atRest waits until the application has its place and size, and says where it draws.
func (a onSway) atRest(t *testing.T) map[string]desktop.Rect {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		err := a.Do("reset")
		inside, err2 := a.Program.Boxes()
		windows, err3 := a.windows()
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
	for end := time.Now().Add(20 * time.Second); found == nil && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
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
