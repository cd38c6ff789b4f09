package recorder

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// choice is a combo box, a slider or a check box that is worked on, and what it
// showed last.
type choice struct {
	box   *Seen
	shows string
	known time.Time // when it did
	lags  int       // how often in a row it was not answered in time what it shows
}

// chooses notes that a person turned to an element: when it is one of those
// that show a choice, that is followed.
func (r *recording) chooses(ctx context.Context, t *Seen) {
	if t == nil || t.Handle == "" || !t.chooses() && !t.slides() && !switchable(t) || r.combo != nil && r.combo.box.Handle == t.Handle {
		return
	}
	r.combo = &choice{box: t, shows: shown(&t.Element), known: time.Now()}
	if !t.chooses() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.within(elementWithin))
	defer cancel()
	if now, err := r.shows(ctx, t); err == nil {
		r.combo.shows = now
	}
}

// readChoice notes what the element shows now, when that is another than
// before: however it was chosen, that is what was meant.
func (r *recording) readChoice(ctx context.Context) {
	c := r.combo
	r.keyed = false
	if c == nil || r.paused {
		r.choices = 0
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.within(elementWithin))
	defer cancel()
	if r.choices--; r.choices > 0 {
		r.settle.Reset(surelyAfter - settlesAfter)
	}
	now, err := r.shows(ctx, c.box)
	if slow(err) && c.lags < mostLags {
		c.lags++
		r.choices = max(r.choices, 1)
		r.settle.Reset(surelyAfter)
	}
	if slow(err) {
		return
	}
	c.lags, c.known = 0, time.Now()
	if err != nil {
		r.combo, r.choices = nil, 0 // it is gone
		return
	}
	if now != c.shows && now != "" {
		c.shows = now
		r.write(Event{Type: Chosen, Time: time.Now(), Element: c.box, Value: &now})
	}
}

// readKeyed is readChoice before a button is pressed: only when keys came
// before, for else it may read what the button did.
func (r *recording) readKeyed(ctx context.Context) {
	if r.keyed {
		r.readChoice(ctx)
	}
}

// shows is what an element shows as chosen now. A page tells it only by the
// option that is selected.
func (r *recording) shows(ctx context.Context, t *Seen) (string, error) {
	e, err := r.desktop.Refresh(ctx, t.Handle)
	if err != nil {
		return "", err
	}
	if !t.chooses() || e.Text != "" {
		return shown(e), nil
	}
	tree, err := r.desktop.Tree(ctx, desktop.Scope{Root: t.Handle, Hidden: true, Full: true})
	if err != nil {
		return "", err
	}
	selected := ""
	tree.Walk(func(o *desktop.Element) bool {
		if o.Role != "combobox" && optional(o.Role) && o.States.Has(desktop.Selected) && selector.Lasting(o.Name) {
			selected = o.Name
		}
		return true
	})
	if selected != "" && !strings.Contains(e.Name, selected) {
		return selected, nil
	}
	return shown(e), nil
}

// chose understands that an element shows something else: the steps that led to
// it, whichever they were, become that choice.
func (c *compiler) chose(ev Event) {
	if ev.Element == nil || ev.Value == nil || c.choseLate(ev) {
		return
	}
	c.flush()
	from := c.ledTo(ev.Element)
	if from < 0 {
		return // the program did it by itself
	}
	begin := c.steps[from].begin
	c.steps = c.steps[:from]
	s := selects(ev.Element, *ev.Value)
	s.begin = begin
	c.popup = nil
	c.emit(s)
}

// choseLate understands that a slider was set by what was done to it some steps
// ago: a browser says its new number only when the keyboard leaves it.
func (c *compiler) choseLate(ev Event) bool {
	if !ev.Element.slides() {
		return false
	}
	for i := len(c.steps) - 1; i >= 0; i-- {
		old := c.steps[i]
		if !alike(old.target, ev.Element) {
			continue
		}
		newest := i == len(c.steps)-1 && (c.typing == nil || alike(c.typing.target, ev.Element))
		if newest || old.choice() || old.click == nil && old.kind != "mouse_drag" {
			return false
		}
		s := selects(ev.Element, *ev.Value)
		s.begin, s.end, s.expect = old.begin, old.end, old.expect
		c.steps[i] = s
		return true
	}
	return false
}

// choice says whether a step sets what an element shows as chosen.
func (s *step) choice() bool {
	return s.kind == "select_option" || s.kind == "set_value" || s.kind == "set_selected"
}

// works says whether a step can change what its element shows as chosen.
func (s *step) works() bool {
	return s.choice() || s.click != nil || s.wheel != nil || s.kind == "press_key" || s.kind == "mouse_drag"
}

// ledTo is the first of the last steps that worked an element: on itself, and
// between those in the list of a combo box. A choice that was made before counts
// only when nothing came between.
func (c *compiler) ledTo(box *Seen) int {
	from := -1
	for i := len(c.steps) - 1; i >= 0; i-- {
		s := c.steps[i]
		switch {
		case alike(s.target, box) && s.choice():
			if i == len(c.steps)-1 || i == from-1 {
				from = i
			}
			return from
		case alike(s.target, box) && s.works():
			from = i
		case !box.chooses(), !s.inList():
			return from
		}
	}
	return from
}

// inList says whether a step can be one in the list of a combo box that is
// open.
func (s *step) inList() bool {
	switch s.kind {
	case "click_element":
		return s.target == nil || optional(s.target.Role) || s.target.Role == "window"
	case "press_key", "press_key_global":
		text, _ := s.arg("key").(string)
		chords, err := desktop.ParseKeys(text)
		return err == nil && !slices.ContainsFunc(chords, func(k desktop.Chord) bool { return !works(k.Key) || len(k.Mods) > 0 })
	}
	return s.kind == "type_text"
}

// inOpenList says whether a key is for the list of a combo box that is open,
// of which it is known already what it shows.
func (c *compiler) inOpenList(ev Event) bool {
	s := c.last()
	if s == nil || s.kind != "select_option" || !works(ev.Key) || len(ev.Mods) > 0 {
		return false
	}
	return slices.ContainsFunc(c.listed(), func(w desktop.Window) bool { return w.Popup })
}

// chosenAlready says whether a click is on the option that its combo box was
// seen to show even before the click was understood.
func (c *compiler) chosenAlready(t *Seen) bool {
	s := c.last()
	return s != nil && s.kind == "select_option" && t != nil && optional(t.Role) && s.input.value == t.name() && s.pid == t.PID
}

// optional says whether an element of a role can be an option of a list.
func optional(role desktop.Role) bool {
	switch role {
	case "menuitem", "listitem", "cell", "label", "row", "combobox", "menu":
		return true
	}
	return false
}

// selects is the step that makes an element show something.
func selects(t *Seen, shows string) *step {
	s := &step{subject: t.name()}
	if s.subject == "" {
		s.subject = "choose " + shows
	}
	s.aim(t)
	switch {
	case switchable(t):
		s.turn(shows == on)
	case t.slides():
		n, _ := strconv.ParseFloat(shows, 64) // shown wrote it
		s.kind, s.says = "set_value", "set "+t.words()+" to "+shows
		s.set("value", n)
	default:
		s.kind, s.says = "select_option", "choose "+brief(shows)+" in "+t.words()
		s.set("option_name", "")
		s.input = &input{arg: "option_name", value: shows}
	}
	return s
}

// turn makes a step one that turns its element on or off.
func (s *step) turn(to bool) {
	s.kind = "set_selected"
	s.set("state", to)
	s.says = map[bool]string{true: "turn on ", false: "turn off "}[to] + s.target.words()
}
