package local_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/atspi"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// fillingPlacer is GNOME with the window of the contract filling the screen.
type fillingPlacer struct{ gnomePlacer }

func (p fillingPlacer) reset() error {
	return p.place("Contract", "w.unminimize(); w.make_fullscreen()", "w.is_fullscreen() && w.get_frame_rect().width == 1280")
}

func (p fillingPlacer) raise(title string, _ desktop.Rect) error {
	return p.place(title, "", "w.appears_focused")
}

// A session that is reached by the portal keeps the contract in a window that fills the
// screen, but for what nobody tells there.
func TestAtLengthContractOnThePortal(t *testing.T) {
	g := virtualtest.StartGNOMEPortal(t)
	g.Enter(t)
	g.AllowPictures(t)
	keepsTheContractAs(t, g.Session, fillingPlacer{gnomePlacer{g, t}}, lacksOnThePortal, desktop.Options{Display: desktop.Portal, Dir: scratch.Dir(t), Asks: answers(t, "Allow remote interaction", "Share")})
}

// lacksOnThePortal are the sentences that the portal cannot hold, and why.
var lacksOnThePortal = map[string]string{
	"text of many scripts is exact":                                 "what the layout lacks is pasted, and this portal has no clipboard",
	"a long text arrives whole":                                     "the same",
	"the text that a field holds is read":                           "the same",
	"a password field does not show its text":                       "the same",
	"text that is inserted goes in at the caret":                    "the same",
	"the clipboard gives back what was put in":                      "the same",
	"what is copied can be read, and what was put in can be pasted": "the same",
	"typed text has been read before anything else is done":         "no program can ask another whether it has read its keys",
	"a menu opens with a click and closes with escape":              "no program is told where a popup is",
	"an item of an open menu is clicked like anything else":         "no program is told where a popup is",
	"a click into a window that was seen elsewhere presses nothing": "only a window that fills the screen has a place",
	"where no window is, no element is found":                       "the same",
	"a covered element is not what a hit test names":                "the same",
	"a launched program shows a window":                             "no program may close a window",
	"the active window gets what is typed":                          "no program may raise a window",
	"a closed window is gone":                                       "the same",
	"the window comes back with the focus":                          "no program may raise a window",
	"a window that is raised is on top":                             "the same",
	"a window that is moved is where it was sent":                   "no program may move a window",
	"a minimized window can be brought back":                        "no program may minimize a window",
	"a maximized window gets its size back":                         "no program may maximize a window",
	"a mark is drawn, takes no click, and goes":                     "no program may draw above the windows",
	"a panel is drawn, takes clicks and no keyboard, and goes":      "the same",
	"watched input leaves our own out":                              "no program hears what a person types or clicks in another one: what comes of it is recorded",
}

// answers presses elements of the dialog of the portal, by the end of their names, when
// a person is asked.
func answers(t *testing.T, names ...string) func(string) {
	var pressing sync.WaitGroup
	t.Cleanup(pressing.Wait)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return func(string) {
		pressing.Go(func() {
			c, err := atspi.Connect(ctx, atspi.Options{Bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"), Placeless: true})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			for _, name := range names {
				for !pressed(ctx, c, name) && ctx.Err() == nil {
					_ = desktop.Sleep(ctx, 5*time.Millisecond)
				}
			}
		})
	}
}

// pressed presses an element of the dialog if it is there.
func pressed(ctx context.Context, c *atspi.Client, name string) (done bool) {
	tree, err := c.Tree(ctx, desktop.Scope{Full: true, Hidden: true})
	if err != nil {
		return false
	}
	tree.Walk(func(e *desktop.Element) bool {
		if !done && strings.HasSuffix(e.Name, name) && len(e.Actions) > 0 && strings.HasPrefix(e.Process, "xdg-desktop-por") && e.Role != "label" {
			done = c.Do(ctx, desktop.Invoke{Element: e.Handle}) == nil
		}
		return true
	})
	return done
}

// What a person does not allow is not done, and said.
func TestAtLengthThePortalAsks(t *testing.T) {
	g := virtualtest.StartGNOMEPortal(t)
	g.Enter(t)
	g.AllowPictures(t)
	o := desktop.Options{Display: desktop.Portal, Dir: scratch.Dir(t), Asks: answers(t, "Cancel")}
	refused := func(when string, err error) {
		t.Helper()
		var missing *desktop.MissingError
		if !errors.As(err, &missing) || !missing.Wayland || !strings.Contains(missing.What, when) {
			t.Errorf("got %v, want it to be missing because %q", err, when)
		}
	}
	_, err := local.Machine{}.Open(t.Context(), o)
	refused("did not allow the use", err)

	ctx, cancel := context.WithTimeoutCause(t.Context(), 3*time.Second, errors.New("nobody answered"))
	defer cancel()
	o.Asks = func(string) {}
	if _, err := (local.Machine{}).Open(ctx, o); err == nil || !strings.Contains(err.Error(), "nobody answered") {
		t.Errorf("got %v, want that nobody answered", err)
	}

	o.Asks = answers(t, "Allow remote interaction", "Share")
	d := open(t, o)
	if err := d.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 333, Y: 222}}); err != nil {
		t.Fatal(err)
	}
	for end := scratch.Deadline(t); ; time.Sleep(5 * time.Millisecond) {
		var told [3]int
		if err := g.Eval(&told, "global.get_pointer()"); err == nil && told[0] == 333 && told[1] == 222 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the shell says that the pointer is at %v (%v), want 333,222", told, err)
		}
	}
	if picture, err := d.Capture(t.Context(), desktop.Rect{X: 10, Y: 10, W: 70, H: 60}); err != nil || picture.Rect.Dx() != 70 || picture.Rect.Dy() != 60 {
		t.Errorf("a picture: %v", err)
	}
	if err := g.EndSessions(); err != nil {
		t.Fatal(err)
	}
	for d.Ping(t.Context()) == nil {
	}
	refused("a person withdrew", d.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 1, Y: 2}}))
	_, err = d.Capture(t.Context(), desktop.Rect{})
	refused("a person withdrew", err)
}

// A compositor that speaks the protocols for input, and tells nobody of its windows, is
// operated without the portal: by keys where they go, by the actions of elements, and by
// clicks only in a window that fills the screen.
func TestAtLengthACompositorThatReportsNoWindows(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	t.Setenv("GSK_RENDERER", "cairo")
	session := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900 scale 1")
	session.Enter(t)
	tells, err := filepath.Glob(filepath.Join(session.Dir, "sway-ipc.*.sock"))
	if err != nil || len(tells) != 1 {
		t.Fatalf("%v, %v", tells, err)
	}
	hidden := filepath.Join(session.Dir, "hidden")
	if err := os.Rename(tells[0], hidden); err != nil {
		t.Fatal(err)
	}
	s := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "auto", Dir: scratch.Dir(t)})}
	if i, err := s.Info(t.Context()); err != nil || i.Virtual || i.Display != session.Wayland || i.Manager != "one that does not report its windows" {
		t.Fatalf("got %+v (%v), want the session", i, err)
	}
	for toolkit, program := range countingWindows {
		t.Run(toolkit, func(t *testing.T) {
			s := &testDesktop{T: t, Desktop: s.Desktop}
			script, counted := filepath.Join(t.TempDir(), "counting.py"), filepath.Join(t.TempDir(), "counted")
			if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			s.launch("/usr/bin/python3 " + script + " " + counted)
			counts := func(want string) {
				t.Helper()
				var held []byte
				s.eventually("it counted "+want, func() bool {
					held, _ = os.ReadFile(counted)
					return strings.Join(strings.Fields(string(held)), " ") == want
				})
			}
			const alpha, beta = "window:Counting >> role:button && name:Alpha", "window:Counting >> role:button && name:Beta"
			s.does(kinds.WaitForElement, map[string]any{"selector": alpha, "condition": "exists", "timeout_ms": 60_000.0})
			s.eventually("its window is the active one", func() bool {
				w, err := s.Windows(t.Context())
				return err == nil && w.Active() != nil
			})
			o := s.tries(kinds.ClickElement, map[string]any{"selector": alpha, "timeout_ms": 2_000.0})
			if e := steps.AsError(o.Err); o.Err == nil || e.Code != steps.NotActionable {
				w, _ := s.Windows(t.Context())
				t.Errorf("a click in a window without a place: %v, want it to be refused (%+v, %v)", o.Err, w, o.Result)
			}
			s.does(kinds.InvokeElement, map[string]any{"selector": alpha, "timeout_ms": 60_000.0})
			counts("Alpha")
			if out, err := exec.Command("swaymsg", "-s", hidden, "fullscreen enable").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			s.does(kinds.ClickElement, map[string]any{"selector": beta, "timeout_ms": 60_000.0})
			counts("Alpha Beta")
		})
	}
}
