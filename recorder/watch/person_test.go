//go:build unix

package watch_test

import (
	"slices"
	"strconv"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// person works in front of the display while a recording is made. Their input
// comes through another program, as a person's comes. They look at what they
// do: they go on when the application, and the recording, have followed.
type person struct {
	*scene
	session *watch.Session
}

// does is what xdotool is told.
func (p *person) does(args ...string) {
	p.t.Helper()
	p.tool("xdotool", args...)
	p.looks()
}

// looks waits until what was done is understood.
func (p *person) looks() {
	p.t.Helper()
	quiet := 0
	p.wait("the recording to follow", func() bool {
		if quiet++; p.session.Status().Pending {
			quiet = 0
		}
		return quiet > 4
	})
}

// pointsAt moves the pointer, as a hand does, and rests.
func (p *person) pointsAt(at desktop.Point) {
	p.t.Helper()
	const moves = 6
	from, err := p.desk.PointerPosition(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var args []string
	for i := 1; i <= moves; i++ { // in a bow, slower at its end
		part := 1 - float64((moves-i)*(moves-i))/(moves*moves)
		bow := int(24 * part * (1 - part))
		x, y := from.X+int(part*float64(at.X-from.X))+bow, from.Y+int(part*float64(at.Y-from.Y))-bow
		args = append(args, "mousemove", strconv.Itoa(max(x, 0)), strconv.Itoa(max(y, 0)), "sleep", "0.02")
	}
	p.tool("xdotool", append(args, "mousemove", strconv.Itoa(at.X), strconv.Itoa(at.Y))...)
	p.wait("the pointer", func() bool { return p.session.Watches(at) })
	p.looks()
}

func (p *person) clicks(role desktop.Role, name string) { p.clicksNth(role, name, 0) }

func (p *person) clicksNth(role desktop.Role, name string, nth int, how ...string) {
	p.t.Helper()
	p.pointsAt(p.finds(role, name, nth))
	if len(how) == 0 {
		how = []string{"click", "1"}
	}
	p.does(how...)
}

// drags moves the pointer with the button held, in as many moves as a hand makes.
func (p *person) drags(from, to desktop.Point) {
	p.t.Helper()
	const moves = 10
	p.pointsAt(from)
	args := []string{"mousedown", "1"}
	for i := 1; i <= moves; i++ {
		x, y := from.X+(to.X-from.X)*i/moves, from.Y+(to.Y-from.Y)*i/moves
		args = append(args, "mousemove", strconv.Itoa(x), strconv.Itoa(y), "sleep", "0.05")
	}
	p.does(append(args, "mouseup", "1")...)
}

func (p *person) types(text string) {
	p.t.Helper()
	p.does("type", "--delay", "15", text)
}

// slips types a text with a wrong letter before the last, which is corrected.
func (p *person) slips(text string) {
	p.t.Helper()
	last := len(text) - 1
	p.types(text[:last] + "q")
	p.presses("BackSpace")
	p.types(text[last:])
}

// turns turns the wheel some times: button 5 is down.
func (p *person) turns(button, times int) {
	p.t.Helper()
	p.does("click", "--repeat", strconv.Itoa(times), "--delay", "20", strconv.Itoa(button))
}

func (p *person) presses(keys ...string) {
	p.t.Helper()
	p.does(append([]string{"key", "--delay", "40"}, keys...)...)
}

// meets waits for a window, and until its application listens to keys.
func (p *person) meets(title string) {
	p.t.Helper()
	p.wait("the window "+title, func() bool {
		w := p.window(title)
		return w != nil && w.Active && p.session.Knows(w.ID)
	})
	p.looks()
}

// meetsList waits for a list that drops down, lower than that of before, and
// gives its height.
func (p *person) meetsList(before int) (height int) {
	p.t.Helper()
	p.sees("a list", func() bool {
		windows, err := p.desk.Windows(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.Popup && w.Bounds.H < before })
		if i >= 0 {
			height = windows[i].Bounds.H
		}
		return i >= 0
	})
	return height
}

// sees waits until something is so.
func (p *person) sees(what string, so func() bool) {
	p.t.Helper()
	p.wait(what, so)
	p.looks()
}

// stops ends the recording, and gives the workflow.
func (p *person) stops() string {
	p.t.Helper()
	p.looks()
	time.Sleep(200 * time.Millisecond) // the windows that close now belong to what was done
	seen, err := p.session.Stop()
	if err != nil {
		p.t.Fatal(err)
	}
	text, notes, err := compile.Events(seen, compile.Options{Kinds: kinds.All(), Name: "recorded", Pictures: "pictures"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("the workflow:\n%s\nnotes: %v", text, notes)
	if _, err := workflows.Compile(workflows.Source{Name: "recorded", Text: text}, workflows.CompileOptions{Kinds: kinds.All()}); err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}
