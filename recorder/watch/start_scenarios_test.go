//go:build unix

package watch_test

import "strings"

// startScenarios are those in which the person starts the application.
var startScenarios = []scenario{
	{
		name: "chromium_start", needs: []string{"chromium"}, state: sent,
		do: func(p *person) {
			command := page("booking.html")
			for i := range command {
				command[i] = strings.ReplaceAll(command[i], "DIR", p.dir)
			}
			p.start("Booking", command[0], command[1:]...)
			p.meets("Booking")
			p.clicks("button", "Book")
			p.sees("the answer", func() bool { return sent(p.scene) != "" })
		},
	},
	{
		name: "writer_start", needs: []string{"soffice"}, files: map[string]string{"note.txt": "eggs"}, state: note("note.txt"),
		do: func(p *person) {
			p.start("note.txt", "soffice", office(p, "note.txt")...)
			p.meets("note.txt")
			p.sees("the page", func() bool { return len(p.named("paragraph", "")) > 0 })
			p.presses("ctrl+a")
			p.types("milk")
			p.presses("ctrl+s")
			p.clicks("button", "Use Text Format")
			p.sees("the file", func() bool { return strings.Contains(p.file("note.txt"), "milk") })
		},
	},
	{
		name: "featherpad_start", needs: []string{"featherpad"}, files: map[string]string{"list.txt": "eggs"}, state: note("list.txt"),
		do: func(p *person) {
			p.start("list.txt", "featherpad", "--standalone", p.dir+"/list.txt")
			p.meets("list.txt")
			p.clicks("text", "")
			p.presses("ctrl+End")
			p.types(" and milk")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "mousepad_add_other", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", files: map[string]string{"list.txt": "eggs"}, state: note("list.txt"),
		others: map[string]string{"list.txt": "flour"}, come: "flour and milk",
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+End")
			p.types(" and milkk")
			p.presses("BackSpace")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("list.txt"), "milk") })
		},
	},
	{
		name: "copy_between", command: []string{"mousepad", "DIR/list.txt"}, title: "list.txt", needs: []string{"featherpad"},
		files: map[string]string{"list.txt": "eggs", "letter.txt": "buy "}, state: note("letter.txt"),
		others: map[string]string{"list.txt": "flour", "letter.txt": "get "}, come: "get flour\n", // the editor ends the line
		do: func(p *person) {
			p.clicks("text", "")
			p.presses("ctrl+a", "ctrl+c")
			p.start("letter.txt", "featherpad", "--standalone", p.dir+"/letter.txt")
			p.meets("letter.txt")
			p.presses("ctrl+End", "ctrl+v")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("letter.txt"), "eggs") })
		},
	},
	{
		name: "copy_result", command: []string{"galculator"}, title: "galculator", needs: []string{"mousepad"},
		files: map[string]string{"sum.txt": ""}, state: note("sum.txt"),
		do: func(p *person) {
			p.types("12*34")
			p.presses("Return")
			p.sees("the product", func() bool { return strings.Contains(calculator(p.scene), "408") })
			p.presses("ctrl+c")
			p.start("sum.txt", "mousepad", p.dir+"/sum.txt")
			p.meets("sum.txt")
			p.clicks("text", "")
			p.presses("ctrl+v")
			p.presses("ctrl+s")
			p.sees("the file", func() bool { return strings.Contains(p.file("sum.txt"), "408") })
		},
	},
}
