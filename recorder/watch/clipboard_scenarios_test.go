//go:build unix

package watch_test

import (
	"strings"

	"understudy/internal/desktop"
)

// pricesPage is a page with a number and a line that a person copies.
const pricesPage = "<!doctype html><meta charset=utf-8><title>Prices</title>" +
	"<style>p { font-size: 30px }</style><p>4711</p><p>Kiwis from Crete</p>"

// fromMenu chooses an item of the context menu of what is under the pointer.
func (p *person) fromMenu(name string) {
	p.t.Helper()
	p.does("click", "3")
	var at desktop.Point
	p.sees("the item "+name, func() bool {
		i := p.item(name)
		if i == nil || i.Bounds.Center() != at {
			if i != nil {
				at = i.Bounds.Center()
			}
			return false
		}
		return true
	})
	p.pointsAt(at)
	p.does("click", "1")
}

// item is one of a menu, whose name may end with its shortcut.
func (p *person) item(name string) *desktop.Element {
	for _, e := range p.named("menuitem", "") {
		if e.Name == name || strings.HasPrefix(e.Name, name+" ") {
			return e
		}
	}
	return nil
}

// clipboardScenarios are of what is copied more than once, in more than one way.
var clipboardScenarios = []scenario{
	{
		name: "copy_page_twice", command: pageAt("DIR/prices.html"), title: "Prices", needs: []string{"mousepad"},
		files: map[string]string{"prices.html": pricesPage, "list.txt": ""},
		state: note("list.txt"),
		do: func(p *person) {
			p.pointsAtLine(0)
			p.does("click", "--repeat", "2", "--delay", "60", "1")
			p.presses("ctrl+c")
			p.start("list.txt", "mousepad", p.dir+"/list.txt")
			p.meets("list.txt")
			p.clicks("text", "")
			p.presses("ctrl+v")
			p.presses("Return")
			p.activates("Prices")
			p.pointsAtLine(1)
			p.does("click", "--repeat", "3", "--delay", "60", "1")
			p.fromMenu("Copy")
			p.activates("list.txt")
			p.presses("ctrl+v")
			p.presses("ctrl+s")
			p.holds("list.txt", "Crete")
		},
	},
	{
		name: "copy_editor_twice", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", needs: []string{"featherpad"},
		files:  map[string]string{"list.txt": "eggs", "letter.txt": ""},
		others: map[string]string{"list.txt": "flour", "letter.txt": ""}, come: "flour flour\n", state: note("letter.txt"),
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a")
			p.fromMenu("Copy")
			p.start("letter.txt", "featherpad", "--standalone", p.dir+"/letter.txt")
			p.meets("letter.txt")
			p.presses("ctrl+v")
			p.types(" ")
			p.presses("ctrl+v")
			p.presses("ctrl+s")
			p.holds("letter.txt", "eggs eggs")
		},
	},
}

// activates brings a window to the front, as a click into a list of windows does.
func (p *person) activates(title string) {
	p.t.Helper()
	if err := p.desk.Do(p.t.Context(), desktop.Manage{Window: p.window(title).ID, Do: desktop.Activate}); err != nil {
		p.t.Fatal(err)
	}
	p.meets(title)
}

// pointsAtLine points at the first word of a line of a page.
func (p *person) pointsAtLine(nth int) {
	p.t.Helper()
	at := p.finds("paragraph", "", nth)
	at.X = p.named("paragraph", "")[nth].Bounds.X + 30
	p.pointsAt(at)
}
