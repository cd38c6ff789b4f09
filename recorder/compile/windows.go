package compile

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

const (
	// opensWithin is how long after a step a window counts as its doing.
	opensWithin = 5 * time.Second
	// closesWithin is the same for one that goes away.
	closesWithin = 3 * time.Second
)

func (c *Compiler) begin(ev recorder.Event) {
	for _, w := range ev.Windows {
		c.windows[w.ID] = w
		if w.Active {
			c.active = w.ID
		}
	}
}

// opened notes a new window: a program that was started, or what the last step
// brought about.
func (c *Compiler) opened(ev recorder.Event) {
	w := ev.Window
	if w == nil {
		return
	}
	known := slices.ContainsFunc(c.listed(), func(o desktop.Window) bool { return o.PID == w.PID && o.PID != 0 && !o.Popup })
	c.windows[w.ID] = *w
	if w.Popup {
		c.popup = &ev
		return
	}
	if !known {
		c.flush()
	}
	c.fresh[w.ID] = true
	s := c.last()
	near := s != nil && ev.Time.Sub(s.end) <= opensWithin
	switch {
	case known || near && s.pid != 0 && slices.Contains(ev.Origins, s.pid):
		if near && steady(w.Title) && !c.mentions(w.Title) {
			s.expects(there(w))
		}
	default:
		c.launched(ev)
	}
}

func (c *Compiler) listed() []desktop.Window {
	var all []desktop.Window
	for _, w := range c.windows {
		all = append(all, w)
	}
	return all
}

// launched makes the step that starts a program. A click of which nothing is
// known, as in a menu of the window manager, was probably how it was started.
func (c *Compiler) launched(ev recorder.Event) {
	for s := c.last(); s != nil && s.target == nil && s.click != nil && ev.Time.Sub(s.end) <= opensWithin; s = c.last() {
		c.steps = c.steps[:len(c.steps)-1]
	}
	command := ev.Command
	if command == "" {
		command = ev.Window.Process
	}
	s := &step{kind: openApplication, subject: "open " + ev.Window.Process, says: "open " + command}
	s.set("app_name", command)
	s.process, s.pid, s.window = ev.Window.Process, ev.Window.PID, ev.Window.ID
	c.emit(s)
	c.arrive(ev.Window.ID, ev.Window.Process)
}

// closed notes that a window is gone, which the last step may have done.
func (c *Compiler) closed(ev recorder.Event) {
	w := ev.Window
	if w == nil {
		return
	}
	delete(c.windows, w.ID)
	delete(c.fresh, w.ID)
	if c.front == w.ID {
		c.gone = true
	}
	if c.popup != nil && c.popup.Window.ID == w.ID {
		c.popup = nil
	}
	if w.Popup {
		return
	}
	if c.typing != nil && c.typing.target != nil && c.typing.target.Window == w.ID {
		c.flush()
	}
	s := c.last()
	same := slices.ContainsFunc(c.listed(), func(o desktop.Window) bool { return o.Title == w.Title && o.Process == w.Process })
	if s != nil && s.window == w.ID && ev.Time.Sub(s.end) <= closesWithin && steady(w.Title) && !same && !c.mentions(w.Title) {
		s.expects("!" + there(w))
	}
}

// expects adds a condition once.
func (s *step) expects(condition string) {
	if !slices.Contains(s.expect, condition) {
		s.expect = append(s.expect, condition)
	}
}

// there is the condition that a window is there.
func there(w *desktop.Window) string {
	sel := "window:" + quoted(bare(w.Title))
	if w.Process != "" {
		sel = "process:" + quoted(w.Process) + " && " + sel
	}
	return "exists(" + literal(sel) + ")"
}

// bare is a title without a mark of unsaved changes.
func bare(title string) string { return strings.TrimSpace(strings.TrimLeft(title, "*● ")) }

// steady says whether a title can be expected to be the same tomorrow.
func steady(title string) bool { return bare(title) != "" && selector.Lasting(title) }

// mentions says whether a title holds what was typed, which may be something
// else next time.
func (c *Compiler) mentions(title string) bool {
	const short = 3
	return slices.ContainsFunc(c.steps, func(s *step) bool {
		return s.input != nil && len(s.input.value) >= short && strings.Contains(title, s.input.value)
	})
}

// literal is a text as expressions write it.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", " ").Replace(text) + "'"
}

// goTo makes the workflow be in a window before the next step: a window that
// was there before, of another program or beside the present one, is brought
// to the front. One that came by itself is where it should be.
func (c *Compiler) goTo(id desktop.WindowID) {
	w, known := c.windows[id]
	fresh, gone := c.fresh[id], c.gone
	delete(c.fresh, id)
	if !known || w.Popup || id == c.front {
		return
	}
	same := w.Process == c.process && w.Process != ""
	c.arrive(id, w.Process)
	if fresh || same && (gone || !c.several(w)) {
		return
	}
	s := &step{kind: activateWindow, subject: "switch to " + w.Process, says: "switch to " + strconv.Quote(w.Title)}
	if w.Process != "" {
		s.set("process", w.Process)
	}
	if w.Process == "" || c.several(w) {
		s.set("title", bare(w.Title))
	}
	s.process, s.pid, s.window = w.Process, w.PID, id
	c.emit(s)
}

func (c *Compiler) arrive(id desktop.WindowID, process string) {
	c.front, c.process, c.gone = id, process, false
}

// several says whether a program has more than one window that is no dialog.
func (c *Compiler) several(w desktop.Window) bool {
	n := 0
	for _, o := range c.windows {
		if o.Process == w.Process && !o.Popup && !o.Modal {
			n++
		}
	}
	return n > 1
}
