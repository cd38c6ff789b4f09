//go:build unix

package watch_test

import (
	"strings"

	"understudy/internal/desktop"
)

// holds waits until a file of the folder holds a text.
func (p *person) holds(name, text string) {
	p.t.Helper()
	p.sees("the file", func() bool { return strings.Contains(p.file(name), text) })
}

// shows is what a program says when something of it shows this text.
func shows(text string) func(*scene) string {
	return func(s *scene) string {
		if strings.Contains(s.outline(), text) {
			return text
		}
		return ""
	}
}

// adds is the work of a person who starts an editor, adds to what a file holds and saves it.
func adds(command ...string) func(*person) {
	return func(p *person) {
		p.start("list.txt", command[0], append(command[1:], p.dir+"/list.txt")...)
		p.meets("list.txt")
		p.presses("ctrl+End")
		p.slips(" and milk")
		p.presses("ctrl+s")
		p.holds("list.txt", "milk")
	}
}

var (
	eggs  = map[string]string{"list.txt": "eggs"}
	flour = map[string]string{"list.txt": "flour"}
)

// editorScenarios are in editors, calculators, sheets and terminals of other habits.
var editorScenarios = []scenario{
	{
		name: "text_editor_add", needs: []string{"gnome-text-editor"}, files: eggs, others: flour, come: "flour and milk\n", state: note("list.txt"),
		do: adds("gnome-text-editor", "--standalone"),
	},
	{
		name: "l3afpad_add", needs: []string{"l3afpad"}, files: eggs, others: flour, come: "flour and milk", state: note("list.txt"),
		do: adds("l3afpad"),
	},
	{
		name: "scite_add", needs: []string{"scite"}, files: eggs, others: flour, come: "flour and milk", state: note("list.txt"),
		do: adds("scite"),
	},
	{ // Motif has no elements, so what was typed is a secret
		name: "nedit_add", needs: []string{"nedit"}, files: eggs, others: flour, come: "flour and milk\n", state: note("list.txt"), inputs: []string{"--input", "hidden= and milk"},
		do: func(p *person) {
			p.start("list.txt", "nedit", p.dir+"/list.txt")
			p.meets("list.txt")
			p.presses("ctrl+End")
			p.types(" and milk")
			p.presses("ctrl+s")
			p.holds("list.txt", "milk")
		},
	},
	{
		name: "featherpad_save_as", needs: []string{"featherpad"}, state: note("new.txt"),
		do: func(p *person) {
			p.start("Untitled", "featherpad", "--standalone")
			p.meets("Untitled")
			p.types("eggs and milk")
			p.presses("ctrl+s")
			p.meets("Save")
			p.presses("ctrl+a")
			p.types(p.dir + "/new.txt")
			p.presses("Return")
			p.holds("new.txt", "milk")
		},
	},
	{
		name: "gnome_calculator_keys", needs: []string{"gnome-calculator"}, state: shows("408"),
		do: func(p *person) {
			p.start("Calculator", "gnome-calculator")
			p.meets("Calculator")
			p.types("12*34")
			p.presses("Return")
			p.sees("the product", func() bool { return shows("408")(p.scene) != "" })
		},
	},
	{
		name: "mate_calc_clicks", needs: []string{"mate-calc"}, state: shows("616"),
		do: func(p *person) {
			p.start("Calculator", "mate-calc")
			p.meets("Calculator")
			for _, key := range []string{"7", "multiply", "8", "8", "result"} {
				p.clicks("button", key)
			}
			p.sees("the product", func() bool { return shows("616")(p.scene) != "" })
		},
	},
	{
		name: "speedcrunch_keys", needs: []string{"speedcrunch"}, state: shows("408"),
		do: func(p *person) {
			p.start("SpeedCrunch", "speedcrunch")
			p.meets("SpeedCrunch")
			p.types("12*34")
			p.presses("Return")
			p.sees("the product", func() bool { return shows("408")(p.scene) != "" })
		},
	},
	{
		name: "sakura_line", needs: []string{"sakura"}, state: note("list.txt"),
		do: func(p *person) {
			// A person's own shell may be another, with any prompt or none.
			p.start("sakura", "sakura", "-x", "bash --norc --noprofile")
			p.meets("sakura")
			p.sees("the prompt", func() bool { return shows("bash-")(p.scene) != "" })
			p.types("echo eggs > " + p.dir + "/list.txt")
			p.presses("Return")
			p.holds("list.txt", "eggs")
		},
	},
	{
		name: "sakura_password", needs: []string{"sakura"}, state: note("length"), inputs: []string{"--input", "password=@SECRET"},
		files: map[string]string{"ask.sh": `printf "Password: "; read -s p; printf %s "${#p}" >length`},
		do: func(p *person) {
			p.start("ask", "sakura", "-d", p.dir, "-t", "ask", "-x", "bash ask.sh")
			p.meets("ask")
			p.sees("the question", func() bool { return shows("Password:")(p.scene) != "" })
			p.types(password)
			p.presses("Return")
			p.holds("length", "11")
		},
	},
	{
		name: "xmessage_answer", command: []string{"xmessage", "-print", "-buttons", "Yes,No", "Shall we go on?"}, title: "xmessage", bare: true,
		do: func(p *person) {
			at := p.window("xmessage").Bounds
			p.pointsAt(desktop.Point{X: at.X + 70, Y: at.Y + at.H - 18})
			p.does("click", "1")
		},
	},
	{
		name: "qt6ct_style", needs: []string{"qt6ct"}, state: func(s *scene) string { return strings.Join(names(s, "combobox"), "|") },
		do: func(p *person) {
			p.start("Qt6", "qt6ct")
			p.meets("Qt6")
			before := strings.Join(names(p.scene, "combobox"), "|")
			p.clicksNth("combobox", "", 0)
			p.presses("Up")
			p.presses("Return")
			p.sees("the style", func() bool { return strings.Join(names(p.scene, "combobox"), "|") != before })
		},
	},
	{
		name: "calc_cells", needs: []string{"soffice"}, files: map[string]string{"table.csv": "a,b\n1,2\n"}, state: note("table.csv"),
		others: map[string]string{"table.csv": "c,d\n3,4\n"}, come: "c,d\n3,4\n5,7\n",
		do: func(p *person) {
			p.start("Text Import", "soffice", office(p, "table.csv")...)
			p.meets("Text Import")
			p.clicks("button", "OK")
			p.meets("table.csv")
			p.clicks("cell", "A3")
			p.types("5")
			p.presses("Tab")
			p.types("7")
			p.presses("Return")
			p.presses("ctrl+s")
			p.clicks("button", "Use Text CSV Format")
			p.holds("table.csv", "5,7")
		},
	},
	{
		name: "sum_into_letter", needs: []string{"gnome-calculator", "l3afpad"}, files: map[string]string{"list.txt": ""}, state: note("list.txt"),
		do: func(p *person) {
			p.start("Calculator", "gnome-calculator")
			p.meets("Calculator")
			p.types("12*34")
			p.presses("Return")
			p.sees("the product", func() bool { return shows("408")(p.scene) != "" })
			p.presses("ctrl+c")
			p.start("list.txt", "l3afpad", p.dir+"/list.txt")
			p.meets("list.txt")
			p.presses("ctrl+v")
			p.presses("ctrl+s")
			p.holds("list.txt", "408")
		},
	},
	{
		name: "paste_into_scite", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", needs: []string{"scite"},
		files:  map[string]string{"list.txt": "eggs", "letter.txt": "buy "},
		others: map[string]string{"list.txt": "flour", "letter.txt": "get "}, come: "get flour", state: note("letter.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a", "ctrl+c")
			p.start("letter.txt", "scite", p.dir+"/letter.txt")
			p.meets("letter.txt")
			p.presses("ctrl+End", "ctrl+v")
			p.presses("ctrl+s")
			p.holds("letter.txt", "eggs")
		},
	},
	{
		name: "zenity_file", command: []string{"zenity", "--file-selection", "--title=Which", "--filename=DIR/"}, title: "Which",
		files: map[string]string{"list.txt": "eggs", "other.txt": "salt"},
		do: func(p *person) {
			p.clicks("cell", "other.txt")
			p.clicks("button", "OK")
		},
	},
	{
		name: "zenity_question", command: []string{"zenity", "--question", "--title=Sure", "--text=Go on?", "--switch", "--extra-button=Later", "--extra-button=Now"}, title: "Sure",
		do: func(p *person) { p.clicks("button", "Later") },
	},
}

// office are the arguments with which an office that is nobody else's opens a file.
func office(p *person, file string) []string {
	return []string{"--norestore", "--nologo", "--nolockcheck", "-env:UserInstallation=file://" + p.dir + "/../office", p.dir + "/" + file}
}

// names are what the elements of a role show.
func names(s *scene, role desktop.Role) (all []string) {
	for _, e := range s.named(role, "") {
		all = append(all, e.Name+e.Text)
	}
	return all
}
