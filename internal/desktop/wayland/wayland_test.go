//go:build linux

package wayland_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// open enters a session and opens it.
func open(t *testing.T, s *virtualtest.Session) *desktop.Desktop {
	t.Helper()
	s.Enter(t)
	d, err := wayland.Open(t.Context(), wayland.Options{Display: s.Wayland})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d.Desktop()
}

// Another device that moves the pointer is noticed, and then the compositor is asked. A command that
// moves it is not noticed.
func TestThePointerIsWhereTheCompositorHasIt(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900")
	d := open(t, s)
	if _, err := s.Message("seat - cursor set 300 200"); err != nil {
		t.Fatal(err)
	}
	if at, err := d.PointerPosition(t.Context()); err != nil || at != (desktop.Point{X: 300, Y: 200}) {
		t.Errorf("before we moved it: %s, %v, want 300,200", at, err)
	}
	other := open(t, s)
	for _, to := range []desktop.Point{{X: 0, Y: 0}, {X: 641, Y: 377}, {X: 1279, Y: 899}} {
		for _, by := range []*desktop.Desktop{d, other} {
			if err := by.Do(t.Context(), desktop.MovePointer{To: to}); err != nil {
				t.Fatal(err)
			}
			for who, asked := range map[string]*desktop.Desktop{"the first": d, "the second": other} {
				if at, err := asked.PointerPosition(t.Context()); err != nil || at != to {
					t.Errorf("%s says %s, %v, want %s", who, at, err, to)
				}
			}
		}
	}
}

// A picture has one pixel per point, whatever the scale of the output.
func TestAPictureIsInPoints(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 1280x900 scale 2", "output * bg #3070b0 solid_color")
	d := open(t, s)
	picture, err := d.Capture(t.Context(), desktop.Rect{})
	if err != nil || picture.Rect.Dx() != 640 || picture.Rect.Dy() != 450 {
		t.Fatalf("got %v, %v, want 640x450", picture.Rect, err)
	}
}

// A picture shows a turned or flipped output as people see it, and the pointer goes where they see it
// too.
func TestAPictureOfATurnedOutput(t *testing.T) {
	for _, transform := range []string{"normal", "90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270"} {
		s := virtualtest.StartSway(t, "xwayland disable", "output * resolution 640x480 transform "+transform)
		d := open(t, s)
		to := desktop.Point{X: 41, Y: 377}
		if err := d.Do(t.Context(), desktop.MovePointer{To: to}); err != nil {
			t.Fatal(err)
		}
		if at, err := open(t, s).PointerPosition(t.Context()); err != nil || at != to {
			t.Errorf("%s: the pointer is at %s (%v), want %s", transform, at, err, to)
		}
		area := desktop.Rect{X: 40, Y: 90, W: 60, H: 30}
		if err := d.Do(t.Context(), desktop.Mark{Area: area}); err != nil {
			t.Fatal(err)
		}
		var marked desktop.Rect
		for end := scratch.Deadline(t); marked != (desktop.Rect{X: 37, Y: 87, W: 66, H: 36}); {
			picture, err := d.Capture(t.Context(), desktop.Rect{})
			if err != nil {
				t.Fatal(err)
			}
			var red image.Rectangle
			for y := range picture.Rect.Dy() {
				for x := range picture.Rect.Dx() {
					if picture.RGBAAt(x, y) == (color.RGBA{R: 0xe5, G: 0x39, B: 0x35, A: 0xff}) {
						red = red.Union(image.Rect(x, y, x+1, y+1))
					}
				}
			}
			if marked = desktop.RectOf(red); time.Now().After(end) {
				t.Errorf("%s: the mark around %s is drawn at %s", transform, area, marked)
				break
			}
		}
	}
}

// A window is where its output shows it, with its title bar, which sway tells by its place in what
// holds the window.
func TestAWindowOfAnotherOutputIsThere(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "default_border normal", "output HEADLESS-1 resolution 640x480 position 0 0", "output HEADLESS-2 resolution 1240x980 position 640 100", "workspace 2 output HEADLESS-2")
	d := open(t, s)
	do := func(command string) {
		t.Helper()
		if _, err := s.Message(command); err != nil {
			t.Fatal(err)
		}
	}
	do("create_output")
	do("workspace 2")
	program := desktoptest.Start(t, s.Env())
	if err := program.Do("open Second"); err != nil {
		t.Fatal(err)
	}
	left, right, whole := desktop.Rect{X: 640, Y: 100, W: 620, H: 980}, desktop.Rect{X: 1260, Y: 100, W: 620, H: 980}, desktop.Rect{X: 640, Y: 100, W: 1240, H: 980}
	for _, row := range []struct {
		command, again   string // again: until the windows are there; a program that draws in its last size undoes a resize
		contract, second desktop.Rect
	}{
		{"layout splith", "nop", left, right},
		{"splitv", "nop", left, right}, // in a container of its own
		{"splith", "nop", left, right}, // in another one
		{"[title=Second] floating enable", "[title=Second] resize set 300 px 200 px, move absolute position 700 px 300 px", whole, desktop.Rect{X: 700, Y: 300, W: 300, H: 200}},
	} {
		do(row.command)
		want := map[string]desktop.Rect{"Contract": row.contract, "Second": row.second}
		got := map[string]desktop.Rect{}
		for end := scratch.Deadline(t); !maps.Equal(got, want) && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			do(row.again)
			all, err := d.Windows(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			clear(got)
			for _, w := range all {
				got[w.Title] = w.Bounds
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-want +got):\n%s", row.command, diff)
		}
	}
}

// Typing that is cancelled leaves the modifiers as they were held.
func TestCancelledTypingLeavesTheModifiersAsTheyWere(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable", "default_border none", "output * resolution 1280x900")
	d := open(t, s)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	program := desktoptest.Start(t, s.Env())
	must(program.Do("reset")) // returns when its window is active
	must(d.Do(t.Context(), desktop.KeyDown{Key: desktop.Ctrl}))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := d.Do(ctx, desktop.Type{Text: strings.Repeat("A", 3000)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want that it took too long", err)
	}
	boxes, err := program.Boxes()
	must(err)
	must(d.Do(t.Context(), desktop.Click{At: boxes["Canvas"].Center(), Button: desktop.Left}))
	must(program.Do("settle"))
	pressed := slices.DeleteFunc(program.Received(), func(line string) bool { return !strings.HasPrefix(line, "press ") })
	if len(pressed) != 1 || !strings.HasSuffix(pressed[0], " ctrl") {
		t.Errorf("got %q, want one press with ctrl", pressed)
	}
}

// A session that ends is reported as lost, and every call returns.
func TestLostSessionIsReported(t *testing.T) {
	s := virtualtest.StartSway(t, "xwayland disable")
	d := open(t, s)
	if err := d.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _ = s.Message("exit") // the answer may be cut off
	for d.Ping(t.Context()) == nil {
	}
	for what, err := range map[string]error{
		"a ping":  d.Ping(t.Context()),
		"a click": d.Do(t.Context(), desktop.Click{At: desktop.Point{X: 5, Y: 5}, Button: desktop.Left}),
		"a text":  d.Do(t.Context(), desktop.Type{Text: "x"}),
	} {
		if !errors.Is(err, desktop.ErrUnavailable) {
			t.Errorf("%s: %v, want that the display is not available", what, err)
		}
	}
}

// The windows of one session are not those of another, whose variables this process has.
func TestTheWindowsOfAnotherSessionAreNotTaken(t *testing.T) {
	sockets := func(s *virtualtest.Session) string {
		t.Helper()
		found, _ := filepath.Glob(filepath.Join(s.Dir, "sway-ipc.*.sock"))
		if len(found) != 1 {
			t.Fatalf("sway has the sockets %v", found)
		}
		return found[0]
	}
	mute, own := virtualtest.StartSway(t, "xwayland disable"), virtualtest.StartSway(t, "xwayland disable")
	mute.Enter(t)
	if err := os.Remove(sockets(mute)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SWAYSOCK", sockets(own))
	d, err := wayland.Open(t.Context(), wayland.Options{Display: mute.Wayland})
	if err == nil {
		t.Error("a session that does not tell its windows was opened")
		_ = d.Close()
	}
	own.Enter(t)
	t.Setenv("SWAYSOCK", sockets(own))
	d, err = wayland.Open(t.Context(), wayland.Options{Display: own.Wayland})
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
}

// A display without a compositor is refused, and the error names it.
func TestADisplayThatIsNotThere(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	_, err := wayland.Open(t.Context(), wayland.Options{Display: "wayland-7"})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || !missing.Wayland || !strings.Contains(missing.What, "wayland-7") {
		t.Errorf("got %v", err)
	}
}
