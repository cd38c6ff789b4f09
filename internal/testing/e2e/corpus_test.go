//go:build linux

package e2e

import (
	"path/filepath"

	"understudy/steps"
)

// corpusScenarios are applications of other toolkits and habits: editors with modes,
// editors and forms without elements, calculators that take keys, a game on a canvas.
func corpusScenarios() []scenario {
	editor := func(name, command, process, program string) scenario {
		return scenario{
			name: name, workflow: "keys_editor", needs: []string{program}, setup: note("first"), check: noted("first and more"), stays: notedOr("first", "first and more"),
			flags: []string{"-i", "command=" + command, "-i", "process=" + process},
		}
	}
	calculator := func(name, command, title, copies string) scenario {
		return scenario{
			name: name, workflow: "keys_calculator", needs: []string{command, "xclip"}, check: copied("42"), stays: copiedOrNot("42"), closes: command,
			flags: []string{"-i", "command=" + command, "-i", "title=" + title, "-i", "copy=" + copies},
		}
	}
	tk := func(name, workflow, said string) scenario {
		return scenario{name: "tk: " + name, workflow: workflow, needs: []string{python, "/usr/lib/python3*/lib-dynload/_tkinter*.so"}, setup: runs(python+" %q %q", "tk.py"), check: sent(said), stays: sentOrNot(said)}
	}
	refused := func(c scenario, code steps.Code) scenario {
		c.may, c.must, c.check = []steps.Code{code}, true, says("shown", "no sent", "no clicked")
		return c
	}
	vim := scenario{name: "gvim: insert and write", workflow: "gvim", needs: []string{"gvim"}, setup: note("first"), check: noted("firstand more"), stays: notedOr("first", "firstand more")}
	many := vim
	many.name, many.flags, many.check = "gvim: text of many scripts", []string{"-i", "text=" + unicode}, noted("first"+unicode)
	many.stays = notedOr("first", "first"+unicode)
	return []scenario{
		vim, many,
		editor("nedit: add at the end", "nedit note.txt", "nedit", "nedit"),
		editor("l3afpad: add at the end", "l3afpad note.txt", "l3afpad", "l3afpad"),
		editor("scite: add at the end", "scite note.txt", "scite", "scite"),
		editor("gnome-text-editor: add at the end", "gnome-text-editor --standalone note.txt", "gnome-text-editor", "gnome-text-editor"),
		calculator("speedcrunch: multiply by keys", "speedcrunch", "SpeedCrunch", "ctrl+r"),
		calculator("mate-calc: multiply by keys", "mate-calc", "Calculator", "ctrl+c"),
		calculator("gnome-calculator: multiply by keys", "gnome-calculator", "Calculator", "ctrl+c"),
		{
			name: "gnome-calculator: multiply by clicks", workflow: "calculator_clicks", needs: []string{"gnome-calculator", "xclip"}, closes: "gnome-calculator",
			check: copied("42"), stays: copiedOrNot("42"),
		},
		tk("fill in by what is read and send by keys", "tk_keys", "sent Ada Lovelace|True|Medium|0"),
		tk("press what is read", "tk_read", "sent Ada|False|Small|0"),
		refused(tk("a button that nobody can name", "form_click_absent", ""), steps.NotFound),
		refused(tk("a field that nobody can name", "tk_type", ""), steps.NotFound),
		game("hit a target that moves on", "game", false),
		game("a target that is not there", "game_absent", true),
	}
}

// game is a page that draws all that it shows.
func game(name, workflow string, fails bool) scenario {
	c := scenario{
		name: "game: " + name, workflow: workflow, needs: []string{"chromium", "convert"},
		setup: func(s *stage) {
			s.tool("convert", s.mark(), "-negate", "other.png")
			pageAsApplication(filepath.Join("forms", "game.html"))(s)
		},
		check: says("hit 1", "hit 2", "hit 3", "no missed"),
	}
	if fails {
		c.may, c.must, c.check = []steps.Code{steps.NotFound}, true, says("shown", "no hit", "no missed")
	}
	return c
}
