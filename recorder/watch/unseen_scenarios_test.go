//go:build unix

package watch_test

import (
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// unseenScenarios are in applications, and in parts of them, that no other test uses.
var unseenScenarios = []scenario{
	{
		name: "mousepad_find", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "red and red"}, state: note("list.txt"),
		do: func(p *person) {
			p.presses("ctrl+r")
			p.meets("Find and Replace")
			p.clicksNth("text", "", 0)
			p.slips("red")
			p.presses("Tab")
			p.types("blue")
			p.clicks("checkbox", "Replace all in:")
			p.clicks("button", "Replace All")
			p.clicks("button", "Close")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "blue and blue") })
		},
	},
	{
		name: "zenity_radiolist", command: []string{"zenity", "--list", "--radiolist", "--title=Fruit", "--text=Which?", "--column=Take", "--column=Name", "TRUE", "Apple", "FALSE", "Pear", "FALSE", "Plum"}, title: "Fruit",
		do: func(p *person) {
			p.clicks("cell", "Plum")
			p.clicksNth("cell", "", 4)
			p.clicks("button", "OK")
		},
	},
	{
		name: "zenity_calendar", command: []string{"zenity", "--calendar", "--title=Day", "--text=Which day?", "--day=10", "--month=5", "--year=2024", "--date-format=%Y-%m-%d"}, title: "Day",
		do: func(p *person) { p.clicks("button", "OK") },
	},
	{
		name: "zenity_forms", command: []string{"zenity", "--forms", "--title=Guest", "--text=Guest", "--add-entry=Name", "--add-entry=Town", "--add-combo=Meal", "--combo-values=Fish|Rice|Soup"}, title: "Guest",
		do: func(p *person) {
			p.clicksNth("text", "", 1)
			p.slips("Emmy Noether")
			p.clicksNth("text", "", 0)
			p.slips("Erlangen")
			p.clicks("combobox", "")
			p.clicks("menuitem", "Soup")
			p.sees("the choice", func() bool { return len(p.named("combobox", "Soup")) > 0 })
			p.clicks("button", "OK")
		},
	},
	{
		name: "galculator_mixed", command: []string{"galculator"}, title: "galculator", state: calculator,
		do: func(p *person) {
			p.types("12")
			p.clicks("togglebutton", "+")
			p.types("30")
			p.clicks("togglebutton", "=")
			p.sees("the sum", func() bool { return strings.Contains(calculator(p.scene), "42") })
		},
	},
	{
		name: "chromium_survey", command: page("long.html"), title: "Survey", state: sent,
		do: func(p *person) {
			p.clicks("spinbutton", "Age")
			p.presses("ctrl+a")
			p.slips("41")
			p.clicks("combobox", "Colour")
			p.presses("Down", "Down")
			p.presses("Return")
			p.turns(5, 40)
			p.clicks("checkbox", "I agree")
			p.clicks("entry", "Remark")
			p.slips("none")
			p.clicks("button", "Hand in")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "chromium_cells", command: page("cells.html"), title: "Cells", state: sent,
		do: func(p *person) {
			box := p.named("canvas", "Letters")[0].Bounds
			p.pointsAt(desktop.Point{X: box.X + 9*48 + 24, Y: box.Y + 2*48 + 24})
			p.does("click", "1")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "factory_page", command: []string{"gtk3-widget-factory"}, title: "gtk3-widget", state: func(s *scene) string { return on(s, "radiobutton") },
		do: func(p *person) {
			before := on(p.scene, "radiobutton")
			p.clicks("radiobutton", "Page 2")
			p.sees("the page", func() bool { return on(p.scene, "radiobutton") != before })
		},
	},
	{
		name: "icons_open", needs: []string{"gtk3-demo"}, command: []string{"gtk3-demo", "--run=iconview"}, title: "Icon View Basics", state: inFolder,
		do: func(p *person) {
			p.pointsAt(icon(p.scene, "etc"))
			p.does("click", "--repeat", "2", "--delay", "80", "1")
			p.sees("the folder", func() bool { return inFolder(p.scene) != "" })
		},
	},
	{
		name: "factory4_check", command: []string{"gtk4-widget-factory"}, title: "GTK Widget Factory", state: checks,
		do: func(p *person) {
			before := checks(p.scene)
			p.clicksNth("checkbox", "", 0)
			p.sees("the box", func() bool { return checks(p.scene) != before })
		},
	},
}

// inFolder reports whether the folder that is shown is in another.
func inFolder(s *scene) string {
	for _, e := range s.named("button", "Up") {
		if e.States.Has(desktop.Enabled) {
			return "in a folder"
		}
	}
	return ""
}

// icon is where one with a text is.
func icon(s *scene, text string) (at desktop.Point) {
	s.t.Helper()
	s.wait("the icon "+text, func() bool {
		found := s.named("icon", "")
		i := slices.IndexFunc(found, func(e *desktop.Element) bool { return e.Text == text })
		if i >= 0 {
			at = found[i].Bounds.Center()
		}
		return i >= 0
	})
	return at
}

// on is which elements of a role are on.
func on(s *scene, role desktop.Role) string {
	var b strings.Builder
	for _, e := range s.named(role, "") {
		b.WriteByte("-x"[min(1, int(e.States&desktop.Checked))])
	}
	return b.String()
}
