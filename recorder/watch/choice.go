package watch

import (
	"context"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

// choice is the combo box, slider or toggle in use, and its last value.
type choice struct {
	*shared
	settleTimer *time.Timer    // fires when it is to be read
	box         *recorder.Seen // nil: there is none
	shows       string
	known       time.Time // when that was read
	timeouts    int       // reads in a row that timed out
	listOpen    bool      // its list was open when it was read last
	reads       int       // reads that are due
	keyed       bool      // keys came since it was read
}

// is reports whether an element is the choice in use.
func (c *choice) is(h desktop.Handle) bool { return c.box != nil && c.box.Handle == h }

// follow makes an element the choice in use, if it has a choice.
func (c *choice) follow(ctx context.Context, t *recorder.Seen) {
	if t == nil || t.Handle == "" || !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) || c.is(t.Handle) {
		return
	}
	c.box, c.shows, c.known, c.timeouts, c.listOpen, c.keyed = t, recorder.Shown(&t.Element), time.Now(), 0, false, false
	if !t.DropDown() {
		return
	}
	if now, _, err := c.choiceShown(ctx, t); err == nil {
		c.shows = now
	}
}

// forget notes that no choice is in use.
func (c *choice) forget() { c.box, c.reads = nil, 0 }

// expect schedules a number of reads.
func (c *choice) expect(reads int) {
	if c.box != nil {
		c.reads = max(c.reads, reads)
		c.settleTimer.Reset(settleDelay)
	}
}

// read writes the value if it changed. While the list of a combo box is open, the highlighted
// option is not chosen yet.
func (c *choice) read(ctx context.Context) {
	c.keyed = false
	if c.box == nil || c.paused {
		c.reads = 0
		return
	}
	if c.reads--; c.reads > 0 {
		c.settleTimer.Reset(rereadDelay - settleDelay)
	}
	now, open, err := c.choiceShown(ctx, c.box)
	if timedOut(err) && c.timeouts < maxTimeouts {
		c.timeouts++
		c.reads = max(c.reads, 1)
		c.settleTimer.Reset(rereadDelay)
	}
	if timedOut(err) {
		return
	}
	c.timeouts, c.known = 0, time.Now()
	if err != nil {
		c.forget() // it is gone
		return
	}
	c.listOpen = open
	if now != c.shows && now != "" && !open {
		c.shows = now
		c.write(recorder.Event{Type: recorder.Chosen, Time: time.Now(), Element: c.box, Value: &now})
	}
}

// readValues reads the field and the choice that input may have changed.
func (k *keyboard) readValues(ctx context.Context) {
	k.readField(ctx)
	if k.choice.reads > 0 {
		k.choice.read(ctx)
	}
}

// dropDownOf returns the combo box that a focused element is a part of, or nil. It may be an option
// of the open list or, in GTK, the button of the combo box, which version 3 keeps out of the tree.
func dropDownOf(t *recorder.Seen, roots []*desktop.Element) *desktop.Element {
	if t.TakesText() || t.DropDown() {
		return nil
	}
	if e := find(roots, t.Handle); e != nil {
		return dropDownFrom(e)
	}
	return findLast(roots, func(e *desktop.Element) bool {
		return isDropDown(e) && e.Window == t.Window && !t.Bounds.Empty() && e.Bounds.Contains(t.Bounds.Center())
	})
}

// dropDownFrom returns the combo box that an element is, or is in without text of its own; or nil.
func dropDownFrom(e *desktop.Element) *desktop.Element {
	if e != nil && (&recorder.Seen{Element: *e}).TakesText() {
		return nil
	}
	for ; e != nil; e = e.Parent {
		if isDropDown(e) {
			return e
		}
	}
	return nil
}

// fieldOf returns the field in a combo box, for which Qt 5 reports the focus of the combo box; or nil.
func fieldOf(e *desktop.Element) *desktop.Element {
	if e == nil || !isDropDown(e) {
		return nil
	}
	return findLast(e.Children, func(o *desktop.Element) bool { return (&recorder.Seen{Element: *o}).TakesText() })
}

func isDropDown(e *desktop.Element) bool { return (&recorder.Seen{Element: *e}).DropDown() }

// choiceShown reads the value of an element, and reports whether that is only the
// highlighted option of an open list. Web pages expose the value of a combo box only as
// its selected option; programs of GTK have an option selected only while the list is
// open.
func (r *reader) choiceShown(ctx context.Context, t *recorder.Seen) (shows string, open bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(elementTimeout))
	defer cancel()
	e, err := r.desktop.Refresh(ctx, t.Handle)
	if err != nil {
		return "", false, err
	}
	if !t.DropDown() || e.Text != "" {
		return recorder.Shown(e), false, nil
	}
	tree, err := r.desktop.Tree(ctx, desktop.Scope{Root: t.Handle, Hidden: true, Full: true})
	if err != nil {
		return "", false, err
	}
	if shows, open := shownOnButton(tree); shows != "" {
		return shows, open, nil
	}
	o := selectedOption(tree)
	if o == nil || strings.Contains(e.Name, o.Name) {
		return recorder.Shown(e), false, nil
	}
	open = o.Parent != nil && o.Parent.Handle != t.Handle && o.Parent.States.Has(desktop.Showing)
	return o.Name, open, nil
}

// shownOnButton returns the label on the button of a GTK 4 combo box, and whether its list is open.
func shownOnButton(tree *desktop.Tree) (shows string, open bool) {
	seen := false
	walk(tree.Roots, func(e *desktop.Element) {
		open = open || e.Role.Is(desktop.Option) && e.States.Has(desktop.Showing) && !within(e, "button")
		if e.Role == "label" && within(e, "button") && (shows == "" || e.States.Has(desktop.Showing) && !seen) {
			shows, seen = e.Name, e.States.Has(desktop.Showing) // a hidden label beside it shows when nothing is chosen
		}
	})
	return shows, open
}

// within reports whether an element is inside one of a role.
func within(e *desktop.Element, role desktop.Role) bool {
	return e.Enclosing(func(p *desktop.Element) bool { return p.Role == role }) != nil
}

// selectedOption returns the selected option of a combo box, or nil.
func selectedOption(tree *desktop.Tree) *desktop.Element {
	return findLast(tree.Roots, func(o *desktop.Element) bool {
		return o.Role != "combobox" && recorder.IsOption(o.Role) && o.States.Has(desktop.Selected) && selector.Lasting(o.Name)
	})
}
