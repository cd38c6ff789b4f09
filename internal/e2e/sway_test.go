//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"

	"understudy/steps"
)

// swayScenarios play in sessions of sway what is played on X: forms of four toolkits
// and the examples, tiled and floating, at two scales.
func swayScenarios() []scenario {
	native := slices.DeleteFunc(slices.Concat(formScenarios(), exampleScenarios()), func(c scenario) bool {
		return !slices.ContainsFunc([]string{"example: ", "form: Qt 6: ", "form: GTK 4: ", "form: a page as an application: "}, func(known string) bool {
			return strings.HasPrefix(c.name, known)
		})
	})
	var out []scenario
	for _, scale := range []int{1, 2} {
		for _, layout := range []string{"tiled", "floating"} {
			for _, c := range native {
				c.name = fmt.Sprintf("sway, %s, scale %d: %s", layout, scale, c.name)
				c.needs = append([]string{"sway", "swaymsg"}, c.needs...)
				c.varied = true
				c.sway = []string{fmt.Sprintf("output * resolution %dx%d scale %d", 1280*scale, 900*scale, scale)}
				if layout == "floating" {
					c.sway = append(c.sway, `for_window [title=".*"] floating enable`)
				}
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
