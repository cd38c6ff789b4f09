//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"understudy/engine"
)

func otherScenarios() []scenario {
	calculator := []string{"galculator", "xclip"}
	factory := []string{"gtk3-widget-factory"}
	return []scenario{
		{name: "galculator: multiply by clicks", workflow: "galculator", needs: calculator, closes: "galculator", check: copied("408"), stays: copiedOrNot("408")},
		{name: "galculator: click under a tooltip", workflow: "galculator_tooltip", needs: calculator, closes: "galculator", check: copied("8888")},
		{name: "galculator: add without the mouse", workflow: "galculator_invoke", needs: calculator, closes: "galculator", check: copied("17")},
		{name: "gtk3-widget-factory: controls", workflow: "factory", needs: factory, closes: "gtk3-widget-factory", check: seen("checkbox checkbutton 1 checked", "spinbutton 33", "slider 20"), stays: open("gtk3-widget-factory")},
		{name: "gtk3-widget-factory: pages", workflow: "factory_pages", needs: factory, closes: "gtk3-widget-factory", check: seen("radiobutton Page 2 checked")},
		{name: "xterm: a command", workflow: "xterm", needs: []string{"xterm"}, check: func(s *stage) error { return s.holds("said.txt", "typed: ä") }, stays: saidOrNot("typed: ä")},
		{name: "galculator: opened by a command", workflow: "open_named", needs: calculator, closes: "galculator", flags: []string{"-i", "app=/usr/bin/galculator"}, check: copied("7")},
		{name: "galculator: opened by a desktop file", workflow: "open_named", needs: calculator, closes: "galculator", flags: []string{"-i", "app=galculator.desktop"}, check: copied("7")},
		{name: "galculator: opened by its name", workflow: "open_named", needs: calculator, closes: "galculator", flags: []string{"-i", "app=Galculator"}, check: copied("7")},
		{name: "zenity: read text off the screen", workflow: "read_text", needs: []string{"/usr/bin/zenity", "tesseract"}, check: noWindowOf("Words"), inspect: read("Gentle breeze tomorrow")},
		page(), choice(), hush(), pad(), visit(), scripted(),
	}
}

// copied says what is on the clipboard.
func copied(want string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t, func() error {
			// xclip fails while there is nothing.
			out, err := exec.CommandContext(s.t.Context(), "xclip", "-o", "-selection", "clipboard").CombinedOutput()
			got := strings.TrimSpace(string(out))
			if err != nil {
				return fmt.Errorf("the clipboard: wanted %q, xclip said %q: %w", want, got, err)
			}
			if got != want {
				return fmt.Errorf("the clipboard: wanted %q, found %q", want, got)
			}
			return nil
		})
	}
}

// copiedOrNot says that this is on the clipboard, or nothing.
func copiedOrNot(want string) func(*stage) error {
	return func(s *stage) error {
		// xclip fails when there is nothing.
		out, err := exec.CommandContext(s.t.Context(), "xclip", "-o", "-selection", "clipboard").Output()
		if got := strings.TrimSpace(string(out)); err == nil && got != want {
			return fmt.Errorf("the clipboard: wanted nothing or %q, found %q", want, got)
		}
		return nil
	}
}

// saidOrNot says that a command wrote this, or has not run.
func saidOrNot(want string) func(*stage) error {
	return func(s *stage) error {
		if _, err := os.Stat(filepath.Join(s.dir, "said.txt")); err != nil {
			return nil
		}
		return s.holds("said.txt", want)
	}
}

// open says that a program still shows a window.
func open(program string) func(*stage) error {
	return func(s *stage) error {
		if out, err := exec.CommandContext(s.t.Context(), "xdotool", "search", "--onlyvisible", "--class", program).CombinedOutput(); err != nil {
			return fmt.Errorf("%s shows no window: %w: %s", program, err, out)
		}
		return nil
	}
}

// seen asks a reader of the screen of its own, testdata/reader.py, whether
// the controls are like this.
func seen(lines ...string) func(*stage) error {
	return func(s *stage) error {
		out := s.tool("/usr/bin/python3", append([]string{"-Wignore", s.testdata("reader.py")}, lines...)...)
		if out != "as wanted" {
			return fmt.Errorf("the controls: %s", out)
		}
		return nil
	}
}

// noWindowOf says that a window is gone.
func noWindowOf(title string) func(*stage) error {
	return func(s *stage) error { return s.noWindow(title) }
}

// read says that a text was read.
func read(want string) func(*stage, engine.Report) error {
	return func(_ *stage, r engine.Report) error {
		if got := fmt.Sprint(r.Output); !strings.Contains(got, want) {
			return fmt.Errorf("the text on the screen: wanted %q, found %q", want, got)
		}
		return nil
	}
}
