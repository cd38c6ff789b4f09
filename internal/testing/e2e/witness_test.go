//go:build linux

package e2e

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"understudy/steps"
)

// witness is a setup with options of the witness.
func witness(options string) func(*stage) {
	return func(s *stage) { s.witness(options) }
}

// says is a check that the witness wrote just these lines.
func says(lines ...string) func(*stage) error {
	return func(s *stage) error { return s.witnessed(lines...) }
}

func witnessScenarios() []scenario {
	fails := func(name, workflow, options string, code steps.Code) scenario {
		return scenario{
			name: "witness: " + name, workflow: workflow, setup: witness(options), may: []steps.Code{code}, must: true,
			check: says("shown", "no clicked"),
		}
	}
	expects := fails("an effect that does not come", "witness_expect", "", steps.Unexpected)
	expects.check = says("clicked Apply")
	return []scenario{
		{name: "witness: click a button once", workflow: "witness_click", setup: witness(""), check: says("clicked Apply")},
		{
			name: "witness: each control once", workflow: "witness_form", setup: witness(""),
			check: says("shown", "entry Ada", "check True", "combo blue", "spin 7", "scale 70", "tab 1", "clicked OK"),
			stays: clickedAtMostOnce,
		},
		{name: "witness: change the page by a click", workflow: "witness_tab", setup: witness(""), check: says("tab 1")},
		{name: "witness: type key by key", workflow: "witness_typed", setup: witness(""), check: says("entry a", "entry ab", "entry abc", "entry ab")},
		{name: "witness: hold a key", workflow: "witness_held", setup: witness(""), check: says("key Shift_L", "key F7", "key-up F7", "key-up Shift_L")},
		{name: "witness: click, drag and scroll at points", workflow: "witness_points", setup: witness(""), check: pointed},
		{name: "witness: other buttons, twice, with a key", workflow: "witness_buttons", setup: witness(""), check: pressed("3 ×1", "1 ×1 ctrl", "1 ×1", "1 ×1", "1 ×2")},
		{name: "witness: hover and turn the wheel", workflow: "witness_hover", setup: witness(""), check: says("scroll down")},
		{name: "witness: scroll a row into view", workflow: "witness_row", setup: witness("wide"), check: says("clicked Row 30")},
		{name: "witness: find a picture and click there", workflow: "witness_picture", setup: pictured, check: pressed("1 ×1")},
		{name: "witness: click a picture", workflow: "witness_picture_click", setup: pictured, check: pressed("1 ×1")},
		{name: "witness: bring the window to the front", workflow: "witness_front", needs: []string{"xterm"}, setup: witness(""), check: says("clicked Apply")},
		{
			name: "witness: maximize, minimize, show", workflow: "witness_windows", setup: witness(""),
			check: func(s *stage) error {
				return firstError(s.witnessed("clicked OK"), s.mentions("maximized.txt", "MAXIMIZED_VERT"), s.mentions("minimized.txt", "HIDDEN"))
			},
		},
		{
			name: "witness: hold a button while the pointer moves", workflow: "witness_mouse", setup: witness(""), check: held,
		},
		{name: "witness: look in every way", workflow: "witness_look", setup: pictured, check: says("shown", "no clicked"), inspect: looked},
		{name: "witness: show a frame around a button", workflow: "witness_marked", needs: []string{"import"}, setup: witness(""), check: marked},
		{name: "witness: wait until the screen stands still", workflow: "witness_idle", setup: witness("busy"), check: says("rests", "clicked Apply")},
		{
			name: "witness: all that may be asked of an action", workflow: "witness_options", setup: witness(""),
			check: says("clicked Apply", "check True"), inspect: answersAll,
		},
		{name: "witness: close the window", workflow: "witness_close", setup: witness(""), check: func(s *stage) error { return firstError(s.witnessed("closed"), s.noWindow("Witness")) }},
		fails("two buttons of one name", "witness_twin", "twins", steps.Ambiguous),
		fails("a disabled button", "witness_disabled", "", steps.NotActionable),
		fails("a button that is not there", "witness_absent", "", steps.NotFound),
		fails("a button under another window", "witness_covered", "", steps.NotActionable),
		fails("a button behind a question", "witness_question", "dialog", steps.NotActionable),
		expects,
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

var pressLine = regexp.MustCompile(`^press (\d ×\d) at (\d+),(\d+)(.*)$`)

// pressed says which buttons were pressed on the canvas, wherever.
func pressed(want ...string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t, func() error {
			var got []string
			for _, line := range s.log("press") {
				got = append(got, pressLine.ReplaceAllString(line, "$1$4"))
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("pressed on the canvas: wanted %q, found %q", want, got)
			}
			return nil
		})
	}
}

// pointed looks at where the clicks went by their distance from the first,
// which does not depend on where the canvas is.
func pointed(s *stage) error {
	return eventually(s.t, func() error {
		lines := s.log("press", "release", "scroll")
		var sx, sy int
		if len(lines) == 0 {
			return fmt.Errorf("nothing reached the canvas")
		}
		if _, err := fmt.Sscanf(lines[0], "press 1 ×1 at %d,%d", &sx, &sy); err != nil {
			return fmt.Errorf("wanted a press first: %q: %w", lines, err)
		}
		want := []string{
			lines[0], fmt.Sprintf("release 1 at %d,%d", sx, sy),
			fmt.Sprintf("press 1 ×1 at %d,%d", sx+10, sy+10), fmt.Sprintf("release 1 at %d,%d", sx+110, sy+40),
			"scroll up", "scroll up",
		}
		if !slices.Equal(lines, want) {
			return fmt.Errorf("on the canvas: wanted %q, found %q", want, lines)
		}
		return nil
	})
}

// pictured makes a picture that is like nothing else, and has the witness show it.
func pictured(s *stage) { s.witness("picture=" + strings.ReplaceAll(s.mark(), " ", "\\ ")) }

// mark makes a picture that is like nothing else.
func (s *stage) mark() (path string) {
	m := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for y := range 32 {
		for x := range 48 {
			c := color.RGBA{R: 200, G: 40, B: 60, A: 255}
			if (x/8+y/8)%3 == 0 || x*x+y*y < 300 {
				c = color.RGBA{R: 20, G: 90, B: 220, A: 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	f, err := os.Create(filepath.Join(s.dir, "mark.png"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		s.t.Fatal(err)
	}
	return f.Name()
}
