//go:build unix

package watch_test

import (
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/desktop"
)

const python = "/usr/bin/python3"

// form is the path of an order form, which is made in several toolkits.
func form(name string) string {
	wd, _ := os.Getwd()
	return filepath.Join(wd, "..", "..", "internal", "testing", "e2e", "testdata", "forms", name)
}

// ordered is what the form wrote when it was sent.
func ordered(s *scene) string {
	_, after, _ := strings.Cut(s.file("orders"), "sent ")
	return after
}

// orders fills in the form, whose combo box is set by choose, and sends it.
func orders(choose func(*person)) func(*person) {
	return func(p *person) {
		p.clicksNth("text", "", 0)
		p.slips("Ada Lovelace")
		p.clicks("checkbox", "Gift wrap")
		choose(p)
		p.clicks("button", "Send")
		p.sees("the order", func() bool { return ordered(p.scene) != "" })
	}
}

// startsAndOrders is orders, in a form that the person starts.
func startsAndOrders(choose func(*person), command ...string) func(*person) {
	return func(p *person) {
		p.start("Order", command[0], append(command[1:], p.dir+"/orders")...)
		p.meets("Order")
		orders(choose)(p)
	}
}

// turnsUp clicks the arrow of the form's number three times.
func turnsUp(p *person) {
	b := p.named("spinbutton", "")[0].Bounds
	at := desktop.Point{X: b.X + b.W - 8, Y: b.Y + b.H/4}
	for range 3 {
		p.pointsAt(at)
		p.does("click", "1")
	}
}

// byKeys sets the combo box to its last option, by keys.
func byKeys(name string) func(*person) {
	return func(p *person) {
		p.clicks("combobox", name)
		p.presses("Down")
		p.presses("Down")
		p.presses("Return")
	}
}

// byClicks sets the combo box to its last option, by clicks.
func byClicks(name string) func(*person) {
	return func(p *person) {
		p.clicks("combobox", name)
		p.sees("the options", func() bool { return p.option("Large") != nil })
		p.pointsAt(p.option("Large").Bounds.Center())
		p.does("click", "1")
	}
}

// option is one of a list that has dropped down.
func (p *person) option(name string) *desktop.Element {
	for _, role := range []desktop.Role{"option", "listitem", "menuitem", "label"} {
		if found := p.named(role, name); len(found) > 0 {
			return found[0]
		}
	}
	return nil
}

// toolkitScenarios are in a form, in toolkits of other habits.
var toolkitScenarios = []scenario{
	{
		name: "form_qt6", needs: []string{python, "/usr/lib/python3/dist-packages/PyQt6"}, state: ordered,
		do: startsAndOrders(byClicks("Small"), python, form("qt6.py")),
	},
	{
		name: "form_qt6_amount", needs: []string{python, "/usr/lib/python3/dist-packages/PyQt6"}, state: ordered,
		do: startsAndOrders(turnsUp, python, form("qt6.py")),
	},
	{
		name: "form_gtk4", needs: []string{python}, state: ordered,
		do: startsAndOrders(byClicks(""), python, form("gtk4.py")),
	},
	{
		name: "form_gtk4_keys", command: []string{python, form("gtk4.py"), "DIR/orders"}, title: "Order", state: ordered,
		do: orders(func(p *person) {
			p.presses("Tab")
			p.presses("space")
			p.presses("Down")
			p.presses("Return")
		}),
	},
	{
		name: "form_adwaita", command: []string{python, form("gtk4.py"), "DIR/orders", "adwaita"}, title: "Order", state: ordered,
		do: orders(byClicks("")),
	},
	{
		name: "form_wx", needs: []string{python, "/usr/lib/python3/dist-packages/wx"}, state: ordered,
		do: startsAndOrders(byKeys("Small"), python, form("wxform.py")),
	},
	{
		name: "form_qml", needs: []string{"/usr/lib/qt6/bin/qml"},
		command: []string{"bash", "-c", `QT_FORCE_STDERR_LOGGING=1 exec /usr/lib/qt6/bin/qml "$0" 2> >(sed -un "s/^qml: //p" >>"$1")`, form("order.qml"), "DIR/orders"},
		title:   "Order", state: ordered,
		do: orders(func(*person) {}),
	},
	{ // Tk has no elements, so what was typed is a secret
		name: "form_tk", command: []string{python, form("tk.py"), "DIR/orders"}, title: "Order", bare: true, state: ordered, inputs: []string{"--input", "hidden=Ada"},
		do: func(p *person) {
			p.types("Ada")
			p.presses("ctrl+Return")
			p.sees("the order", func() bool { return ordered(p.scene) != "" })
		},
	},
	{ // nor have the pieces on a board that it draws
		name: "board_tk", command: []string{python, form("board.py"), "DIR/orders"}, title: "Board", bare: true, state: ordered,
		do: func(p *person) {
			box := p.window("Board").Bounds
			square := func(column, row int) desktop.Point {
				return desktop.Point{X: box.X + column*60 + 30, Y: box.Y + row*60 + 30}
			}
			p.drags(square(0, 0), square(2, 3))
			p.sees("the move", func() bool { return ordered(p.scene) != "" })
			p.drags(square(4, 0), square(3, 4))
			p.sees("the second move", func() bool { return strings.Contains(ordered(p.scene), "D5") })
		},
	},
}
