//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"regexp"
	"strings"

	"understudy/engine"
	"understudy/internal/desktop"
)

// held looks at how far a button was dragged, whatever the canvas's place.
func held(s *stage) error {
	return eventually(s.t, func() error {
		lines := s.log("press", "release")
		var sx, sy int
		if len(lines) != 2 {
			return fmt.Errorf("wanted a press and a release, found %q", lines)
		}
		if _, err := fmt.Sscanf(lines[0], "press 2 ×1 at %d,%d", &sx, &sy); err != nil {
			return fmt.Errorf("wanted a press first: %q: %w", lines, err)
		}
		if want := fmt.Sprintf("release 2 at %d,%d", sx+40, sy+30); lines[1] != want {
			return fmt.Errorf("wanted %q, found %q", want, lines[1])
		}
		return nil
	})
}

// into reads what a run gives back.
func into(r engine.Report, v any) error {
	raw, err := json.Marshal(r.Output)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	return err
}

// shot is what capture_screenshot says of a picture.
type shot struct {
	Area          desktop.Rect
	Width, Height int
	Scale         float64
}

// looked compares what a run saw with what other programs see.
func looked(s *stage, r engine.Report) error {
	var saw struct {
		Titles                                  []string
		Tree, Color                             string
		Mark, Again                             desktop.Rect
		Screen, Window, Element, Region, Scaled shot
	}
	if err := into(r, &saw); err != nil {
		return err
	}
	var errs []error
	wants := func(what string, got, want any) {
		if got != want {
			errs = append(errs, fmt.Errorf("%s: wanted %v, found %v", what, want, got))
		}
	}
	screen := desktop.Rect{W: 1920, H: 1080}
	wants("the titles", strings.Join(saw.Titles, "|"), "Witness")
	for _, part := range []string{"Apply", "Canvas", "Check"} {
		if !strings.Contains(saw.Tree, part) {
			errs = append(errs, fmt.Errorf("the tree lacks %s:\n%s", part, saw.Tree))
		}
	}
	wants("the picture's size", desktop.Size{W: saw.Mark.W, H: saw.Mark.H}, desktop.Size{W: 48, H: 32})
	wants("the picture's place", saw.Again, saw.Mark)
	wants("the colour", saw.Color, s.pixel(saw.Mark.X+40, saw.Mark.Y+28))
	wants("the picture's colour", saw.Color, "#c8283c")
	wants("the screen", saw.Screen, shot{screen, 1920, 1080, 1})
	wants("the screen, scaled down", saw.Scaled, shot{screen, 480, 270, 0.25})
	wants("the region", saw.Region, shot{saw.Mark, 48, 32, 1})
	wants("the window", saw.Window.Area, desktop.Rect{X: 60, Y: 40, W: 700, H: 640})
	if e := saw.Element; e.Width != e.Area.W || !within(saw.Window.Area, e.Area) || !within(e.Area, saw.Mark) {
		errs = append(errs, fmt.Errorf("the element: %+v does not lie in the window, around the picture", e))
	}
	return errors.Join(errs...)
}

// within says whether one area holds another.
func within(outer, inner desktop.Rect) bool { return outer.Intersect(inner) == inner }

// pixel is the colour of a point of the screen, as ImageMagick sees it.
func (s *stage) pixel(x, y int) string {
	s.t.Helper()
	out := s.tool("import", "-silent", "-window", "root", "-crop", fmt.Sprintf("1x1+%d+%d", x, y), "-depth", "8", "txt:-")
	return strings.ToLower(hexColor.FindString(out))
}

var hexColor = regexp.MustCompile(`#[0-9A-Fa-f]{6}\b`)

// frameColour is the colour of a mark, which nothing else on the pictures has.
var frameColour = color.NRGBA{0xe5, 0x39, 0x35, 0xff}

// marked looks into pictures that another program took before, while and after
// a frame was shown.
func marked(s *stage) error {
	for _, row := range []struct {
		picture string
		frame   bool
	}{{"before.png", false}, {"marked.png", true}, {"after.png", false}} {
		if found := s.shown(row.picture)[frameColour]; found != row.frame {
			return fmt.Errorf("%s: wanted a frame: %v, found one: %v", row.picture, row.frame, found)
		}
	}
	return nil
}

// answersAll says that what was asked for beside an action was answered.
func answersAll(_ *stage, r engine.Report) error {
	var got struct {
		Diff, Tree, Changed string
		Verified            bool
	}
	if err := into(r, &got); err != nil {
		return err
	}
	if !got.Verified || !strings.Contains(got.Tree, "Canvas") || !strings.Contains(got.Changed, "Check") {
		return fmt.Errorf("wanted it verified, the tree, and what changed of the checkbox; found %+v", got)
	}
	return nil
}
