package compile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

const (
	// openTime is how long after a step a window that opens counts as its effect.
	openTime = 5 * time.Second
	// closeTime is the same for a window that closes.
	closeTime = 3 * time.Second
	// reopenTime bounds how long a program may have no window, as while it reads a large file.
	reopenTime = 30 * time.Second
)

// windows are the windows of all programs.
type windows struct {
	first         []desktop.Window // open when the recording began
	open          map[desktop.WindowID]desktop.Window
	unvisited     map[desktop.WindowID]bool // opened, and not used yet
	programs      map[int]bool              // processes that had a window
	active        desktop.WindowID
	current       desktop.WindowID // the window in which the last step acts
	process       string           // its program
	currentClosed bool             // it was closed since
}

// begin notes all windows, when the recording begins or goes on after a pause.
func (ws *windows) begin(all []desktop.Window) {
	if ws.first == nil {
		ws.first = all
	}
	clear(ws.open)
	for _, w := range all {
		ws.add(w)
		if w.Active {
			ws.active = w.ID
		}
	}
	_, there := ws.open[ws.current]
	ws.currentClosed = !there
}

func (ws *windows) add(w desktop.Window) {
	ws.open[w.ID] = w
	ws.programs[w.PID] = true
}

func (ws *windows) any(is func(desktop.Window) bool) bool {
	for _, w := range ws.open {
		if is(w) {
			return true
		}
	}
	return false
}

// inPopup reports whether a point lies in an open popup.
func (c *compilation) inPopup(at desktop.Point) bool {
	return c.windows.any(func(w desktop.Window) bool { return w.Popup && w.Bounds.Contains(at) })
}

// arrive notes the window in which the last step acts.
func (ws *windows) arrive(id desktop.WindowID, process string) {
	ws.current, ws.process, ws.currentClosed = id, process, false
}

// setActive makes a step act in the active window.
func (ws *windows) setActive(s *step) {
	if w, ok := ws.open[ws.active]; ok {
		s.process, s.pid, s.window = programName(w.Process), w.PID, w.ID
	}
}

// others returns how many other main windows the program of a window has.
func (ws *windows) others(w desktop.Window) (n int) {
	for _, o := range ws.open {
		if o.Process == w.Process && !o.Popup && !o.Modal && o.ID != w.ID {
			n++
		}
	}
	return n
}

// opened handles a new window: a started program, or an effect of the last step.
func (c *Compiler) opened(ev recorder.Event) {
	w := ev.Window
	if w == nil {
		return
	}
	known := c.runs(w.PID, ev.Time)
	c.windows.add(*w)
	if w.Popup {
		c.popup = &ev
		if c.dropDown != nil && c.list == (openList{}) {
			c.list.window = w.ID
		}
		return
	}
	caused := !known || c.caused(w, "opened", ev.Time)
	if !known {
		c.flush()
	}
	c.windows.unvisited[w.ID] = true
	s := c.steps.last()
	near := s != nil && ev.Time.Sub(s.end) <= openTime
	// A program may show its windows one after the other, each by a process of its own.
	sameProgram := known || near && (s.pid != 0 && slices.Contains(ev.Origins, s.pid) || s.process != "" && s.process == programName(w.Process))
	if !sameProgram {
		c.launched(ev)
	} else if near && caused && c.steps.lastingTitle(w.Title) {
		s.addExpect(windowExists(w))
	}
}

// runs reports whether a program ran before: it has windows, or had the one of the last step.
func (c *compilation) runs(pid int, at time.Time) bool {
	if pid == 0 {
		return false
	}
	if c.windows.any(func(o desktop.Window) bool { return o.PID == pid && !o.Popup }) {
		return true
	}
	s := c.steps.last()
	return c.windows.programs[pid] && s != nil && s.pid == pid && at.Sub(s.end) <= reopenTime
}

// launched makes the step that starts a program, in place of clicks in an unknown menu.
func (c *compilation) launched(ev recorder.Event) {
	words := splitCommand(strings.TrimSpace(ev.Command))
	if len(words) == 0 && ev.Window.Process == "" {
		c.missed = fmt.Sprintf("the window %q opened here, and its program is not known: a step that starts it is missing", bareTitle(ev.Window.Title))
		return
	}
	for s := c.steps.last(); s != nil && s.target == nil && s.click != nil && ev.Time.Sub(s.end) <= openTime; s = c.steps.last() {
		c.steps.pop()
	}
	if len(words) == 0 {
		words = []string{QuoteWord(programName(ev.Window.Process))}
	}
	command := strings.Join(words, " ")
	s := &step{kind: openApplication, subject: "open " + path.Base(unquoteWord(words[0])), summary: "open " + command}
	s.set("app_name", command)
	s.command = words
	s.process, s.pid, s.window = programName(ev.Window.Process), ev.Window.PID, ev.Window.ID
	c.emit(s)
	c.windows.arrive(ev.Window.ID, ev.Window.Process)
}

// closed handles a closed window, which may be an effect of the last step.
func (c *Compiler) closed(ev recorder.Event) {
	w := ev.Window
	if w == nil {
		return
	}
	caused := w.Popup || c.caused(w, "closed", ev.Time)
	delete(c.windows.open, w.ID)
	delete(c.windows.unvisited, w.ID)
	if c.windows.current == w.ID {
		c.windows.currentClosed = true
	}
	if c.popup != nil && c.popup.Window.ID == w.ID {
		c.popup = nil
	}
	if c.list.window == w.ID {
		c.list.closed, c.dropDown = true, nil
	}
	if w.Popup {
		return
	}
	if c.typing != nil && c.typing.target != nil && c.typing.target.Window == w.ID {
		c.flush()
	}
	s := c.steps.last()
	same := c.windows.any(func(o desktop.Window) bool { return o.Title == w.Title && o.Process == w.Process })
	if s != nil && caused && s.kind != openApplication && s.window == w.ID && ev.Time.Sub(s.end) <= closeTime && !same && c.steps.lastingTitle(w.Title) {
		s.addExpect("!" + windowExists(w))
	}
}

// addExpect adds a condition once, in place of its opposite.
func (s *step) addExpect(condition string) {
	s.expect = slices.DeleteFunc(s.expect, func(c string) bool { return c == "!"+condition || "!"+c == condition })
	if !slices.Contains(s.expect, condition) {
		s.expect = append(s.expect, condition)
	}
}

// known merges a window with its earlier state, because the process may be gone. If its title
// changed, the last step expects the new one.
func (c *compilation) known(w *desktop.Window) *desktop.Window {
	if w == nil {
		return nil
	}
	was, there := c.windows.open[w.ID]
	if !there {
		return w
	}
	now := *w
	now.Process = cmp.Or(now.Process, was.Process)
	c.windows.open[w.ID] = now
	s, old := c.steps.last(), windowExists(&was)
	if s == nil || old == windowExists(&now) || !slices.Contains(s.expect, old) {
		return &now
	}
	s.expect = slices.DeleteFunc(s.expect, func(e string) bool { return e == old })
	if c.steps.lastingTitle(now.Title) {
		s.addExpect(windowExists(&now))
	}
	return &now
}

// windowExists returns the condition that a window is there.
func windowExists(w *desktop.Window) string {
	sel := "window:" + selector.Quote(bareTitle(w.Title))
	if w.Process != "" {
		sel = "process:" + selector.Quote(programName(w.Process)) + " && " + sel
	}
	return "exists(" + quoteExpression(sel) + ")"
}

// sign returns the condition that best shows that the steps apply: the presence of a window that
// they closed, or of the first element.
func (c *compilation) sign() string {
	for i := range c.windows.first {
		w := &c.windows.first[i]
		if _, there := c.windows.open[w.ID]; !there && c.steps.lastingTitle(w.Title) {
			return windowExists(w)
		}
	}
	for _, s := range c.steps {
		if sel, ok := s.arg("selector").(string); ok {
			return exists(s.process, sel)
		}
	}
	return ""
}

// bareTitle returns a title without a mark of unsaved changes.
func bareTitle(title string) string { return strings.TrimSpace(strings.TrimLeft(title, "*● ")) }

// shortText is the length of a text below which a title may hold it by chance.
const shortText = 3

// lastingTitle reports whether a title holds neither a typed value nor a given file.
func (l stepList) lastingTitle(title string) bool {
	if bareTitle(title) == "" || !selector.Lasting(title) {
		return false
	}
	given := func(word string) bool {
		file := unquoteWord(word)
		return openable(file, false) != "" && len(path.Base(file)) >= shortText && strings.Contains(title, path.Base(file))
	}
	return !slices.ContainsFunc(l, func(s *step) bool {
		return len(s.command) > 1 && slices.ContainsFunc(s.command[1:], given) || s.input != nil && len(s.input.value) >= shortText && strings.Contains(title, s.input.value)
	})
}

// quoteExpression returns a text as a string of an expression.
func quoteExpression(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", " ", "${{", `\x24{{`).Replace(text) + "'"
}

// switchTo activates a window for the next step, unless it is current or opened by itself.
func (c *compilation) switchTo(id desktop.WindowID) {
	w, known := c.windows.open[id]
	fresh, gone := c.windows.unvisited[id], c.windows.currentClosed
	delete(c.windows.unvisited, id)
	if !known || w.Popup || id == c.windows.current {
		return
	}
	same := w.Process == c.windows.process && w.Process != ""
	c.windows.arrive(id, w.Process)
	if fresh || same && (gone || w.Modal && c.windows.others(w) < 2 || c.windows.others(w) == 0) {
		return
	}
	if w.Process == "" && bareTitle(w.Title) == "" {
		c.missed = "it acts in a window without a title, which must be in front"
		return
	}
	s := &step{kind: changeWindow, args: []arg{{Key: "do", Value: "activate"}}, subject: "switch to " + programName(w.Process), summary: "switch to " + strconv.Quote(w.Title)}
	if w.Process != "" {
		s.set("process", programName(w.Process))
	}
	if w.Process == "" || c.windows.others(w) > 0 {
		s.set("title", bareTitle(w.Title))
	}
	s.process, s.pid, s.window = programName(w.Process), w.PID, id
	c.emit(s)
}
