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
			p.start("note.txt", "soffice", "--norestore", "--nologo", "--nolockcheck", p.dir+"/note.txt")
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
}
