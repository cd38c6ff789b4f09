//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"understudy/engine"
	"understudy/internal/desktop"
)

// appScenarios use real applications in the ways that the witness is used in.
func appScenarios() []scenario {
	office := []string{"soffice"}
	return []scenario{
		{name: "zenity: choose in combo boxes", workflow: "zenity_combo", needs: []string{"/usr/bin/zenity"}, setup: answers, check: answered("medium|green\nstatus 0")},
		{
			name: "mousepad: move, maximize, minimize, show, mark", workflow: "mousepad_windows", needs: []string{"mousepad", "xdotool", "xprop", "import"},
			setup: note("text"), check: func(s *stage) error {
				return firstError(s.mentions("moved.txt", "Geometry: 59"), s.mentions("maximized.txt", "MAXIMIZED_VERT"), s.mentions("minimized.txt", "HIDDEN"), marked(s))
			},
		},
		{name: "galculator: look in every way", workflow: "galculator_look", closes: "galculator", needs: []string{"galculator", "import"}, check: whereKeysAre, inspect: lookedAtKeys},
		{name: "galculator: add by pictures", workflow: "galculator_pictures", closes: "galculator", needs: []string{"galculator", "import", "xclip"}, setup: keyPictures, check: copied("14")},
		{
			name: "xterm: scroll, select and read what has no elements", workflow: "xterm_points", needs: []string{"xterm", "tesseract", "xclip"},
			check: selectedEarlier, inspect: read("Gentle breeze tomorrow"),
		},
		{
			name: "calc: fill in a cell and save", workflow: "calc", needs: []string{"soffice", "localc"},
			setup: func(s *stage) { s.write("table.csv", "a,b\n1,2\n") }, check: func(s *stage) error { return s.holds("table.csv", "a,b\n1,2\n,42") },
		},
		{name: "writer: type and save", workflow: "writer", needs: office, setup: note("old"), check: noted("written"), stays: notedOr("old", "written")},
		{name: "writer: replace by the dialog", workflow: "writer_replace", needs: office, setup: note("red and red"), check: noted(byteOrderMark + "blue and blue")},
	}
}

// byteOrderMark is what the office puts before a text that has changed.
const byteOrderMark = "\ufeff"

var calculatorKeys = map[string]string{"seven": "7", "plus": "+", "equals": "="}

// box asks a reader of the screen of its own where a control is.
func (s *stage) box(role, name string) (desktop.Rect, error) {
	out, err := exec.CommandContext(s.t.Context(), "/usr/bin/python3", "-Wignore", s.testdata("reader.py"), "where", role, name).CombinedOutput()
	var r desktop.Rect
	if err == nil {
		_, err = fmt.Sscanf(string(out), "%d %d %d %d", &r.X, &r.Y, &r.W, &r.H)
	}
	if err != nil {
		return r, fmt.Errorf("where %s %q is: %w: %s", role, name, err, out)
	}
	return r, nil
}

// keyPictures takes pictures of the keys of a calculator that has gone before
// the workflow begins.
func keyPictures(s *stage) {
	cmd := exec.CommandContext(s.t.Context(), "galculator")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.shows("galculator")
	for file, name := range calculatorKeys {
		if err := eventually(s.t, func() error { return s.pictureOf(file+".png", name) }); err != nil {
			s.t.Fatal(err)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := s.noWindow("galculator"); err != nil {
		s.t.Fatal(err)
	}
}

// pictureOf takes a picture of a key, once it is drawn.
func (s *stage) pictureOf(file, key string) error {
	r, err := s.box("togglebutton", key)
	if err != nil {
		return err
	}
	s.tool("import", "-silent", "-window", "root", "-crop", fmt.Sprintf("%dx%d+%d+%d", r.W, r.H, r.X, r.Y), "+repage", file)
	if n := s.colours(filepath.Join(s.dir, file), desktop.Rect{W: r.W, H: r.H}); n < 8 {
		return fmt.Errorf("the key %q shows only %d colours", key, n)
	}
	return nil
}

// whereKeysAre says that the calculator is where it was moved to, and that
// nothing was pressed.
func whereKeysAre(s *stage) error {
	r, err := s.box("togglebutton", "7")
	if err == nil && (r.X < 100 || r.Y < 100 || r.X > 500 || r.Y > 500) {
		err = fmt.Errorf("the key is at %v", r)
	}
	return err
}

// lookedAtKeys compares what a run saw of a calculator with what others see.
func lookedAtKeys(s *stage, r engine.Report) error {
	var saw struct {
		Tree, Color string
		Key, Shot   desktop.Rect
	}
	if err := into(r, &saw); err != nil {
		return err
	}
	key, err := s.box("togglebutton", "7")
	if err != nil {
		return err
	}
	var errs []error
	if saw.Key != key || saw.Shot != key {
		errs = append(errs, fmt.Errorf("the key is at %v; found %v, and a picture of %v", key, saw.Key, saw.Shot))
	}
	if want := s.pixel(key.X+4, key.Y+4); saw.Color != want {
		errs = append(errs, fmt.Errorf("the colour: wanted %s, found %s", want, saw.Color))
	}
	for _, part := range []string{"7", "sqrt", "="} {
		if !strings.Contains(saw.Tree, strconv.Quote(part)) {
			errs = append(errs, fmt.Errorf("the tree lacks %s:\n%s", part, saw.Tree))
		}
	}
	return errors.Join(errs...)
}

var firstNumber = regexp.MustCompile(`\d+`)

// selectedEarlier says that a line of the terminal is selected that shows only
// when it was scrolled back: it has twelve lines, the last but one is 90.
func selectedEarlier(s *stage) error {
	return eventually(s.t, func() error {
		out, err := exec.CommandContext(s.t.Context(), "xclip", "-o", "-selection", "primary").CombinedOutput()
		if err != nil {
			return fmt.Errorf("the selection: %w: %s", err, out)
		}
		n, err := strconv.Atoi(firstNumber.FindString(string(out)))
		if err != nil || n == 0 || n > 75 {
			return fmt.Errorf("selected is %q, wanted one of the lines before", out)
		}
		return nil
	})
}
