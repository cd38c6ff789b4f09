//go:build linux

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
)

// A nativeDesktop is a kind of session of Wayland in which scenarios are played.
type nativeDesktop struct {
	name   string
	needs  []string
	scales []int
	start  func(t testing.TB, scale int) *virtualtest.Session
}

func nativeDesktops() []nativeDesktop {
	sway := func(lines ...string) func(testing.TB, int) *virtualtest.Session {
		return func(t testing.TB, scale int) *virtualtest.Session {
			output := fmt.Sprintf("output * resolution %dx%d scale %d", 1280*scale, 900*scale, scale)
			return virtualtest.StartSway(t, append(lines, "xwayland disable", output)...)
		}
	}
	both := []int{1, 2}
	onGNOME := both[:1] // without a GPU a picture of it at scale 2 takes half a second
	if os.Getenv(variationsVariable) != "" {
		onGNOME = both
	}
	return []nativeDesktop{
		{"sway, tiled", []string{"sway", "swaymsg"}, both, sway()},
		{"sway, floating", []string{"sway", "swaymsg"}, both, sway(`for_window [title=".*"] floating enable`)},
		{"KWin", []string{"kwin_wayland"}, both, func(t testing.TB, scale int) *virtualtest.Session {
			return virtualtest.StartKWin(t, desktop.Size{W: 1280, H: 900}, scale)
		}},
		{"GNOME", []string{"gnome-shell"}, onGNOME, func(t testing.TB, scale int) *virtualtest.Session {
			return virtualtest.StartGNOME(t, scale).Session
		}},
	}
}

// nativeScenarios play in sessions of Wayland what is played on X: forms of three
// toolkits and the examples, at two scales.
func nativeScenarios() []scenario {
	native := slices.DeleteFunc(slices.Concat(formScenarios(), exampleScenarios()), func(c scenario) bool {
		return !slices.ContainsFunc([]string{"example: ", "form: Qt 6: ", "form: GTK 4: ", "form: a page as an application: "}, func(known string) bool {
			return strings.HasPrefix(c.name, known)
		})
	})
	var out []scenario
	for _, d := range nativeDesktops() {
		for _, scale := range d.scales {
			for _, c := range native {
				c.name = fmt.Sprintf("%s, scale %d: %s", d.name, scale, c.name)
				c.needs = slices.Concat(d.needs, c.needs)
				c.varied = true
				c.session = func(t testing.TB) *virtualtest.Session { return d.start(t, scale) }
				if c.workflow == "form_menu" { // nobody tells where its items are
					c.may, c.must, c.check = []steps.Code{steps.NotActionable}, true, sentOrNot("")
				}
				out = append(out, c)
			}
		}
	}
	return out
}

// exampleScenarios are the examples that need a desktop.
func exampleScenarios() []scenario {
	return []scenario{
		{
			name: "example: note", workflow: "example/note", needs: []string{"mousepad"}, flags: []string{"-i", "file=note.txt"},
			check: func(s *stage) error { return s.holds("note.txt", "Remember the milk") },
		},
		{
			name: "example: save_dialog", workflow: "example/save_dialog", needs: []string{"mousepad"}, flags: []string{"-i", "file=saved.txt"},
			check: func(s *stage) error { return s.holds("saved.txt", "saved by a workflow") },
		},
		{name: "example: form", workflow: "example/form", needs: []string{"zenity"}, check: func(*stage) error { return nil }},
	}
}
