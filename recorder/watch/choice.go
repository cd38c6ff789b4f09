package watch

import (
	"context"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// choice is a combo box, a slider or a check box that is worked on, and what it
// showed last.
type choice struct {
	box   *recorder.Seen
	shows string
	known time.Time // when it did
	lags  int       // how often in a row it was not answered in time what it shows
}

// chooses notes that a person turned to an element: when it is one of those
// that show a choice, that is followed.
func (r *recording) chooses(ctx context.Context, t *recorder.Seen) {
	if t == nil || t.Handle == "" || !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) || r.combo != nil && r.combo.box.Handle == t.Handle {
		return
	}
	r.combo = &choice{box: t, shows: recorder.Shown(&t.Element), known: time.Now()}
	if !t.DropDown() {
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
		r.write(recorder.Event{Type: recorder.Chosen, Time: time.Now(), Element: c.box, Value: &now})
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
func (r *recording) shows(ctx context.Context, t *recorder.Seen) (string, error) {
	e, err := r.desktop.Refresh(ctx, t.Handle)
	if err != nil {
		return "", err
	}
	if !t.DropDown() || e.Text != "" {
		return recorder.Shown(e), nil
	}
	tree, err := r.desktop.Tree(ctx, desktop.Scope{Root: t.Handle, Hidden: true, Full: true})
	if err != nil {
		return "", err
	}
	selected := ""
	tree.Walk(func(o *desktop.Element) bool {
		if o.Role != "combobox" && recorder.IsOption(o.Role) && o.States.Has(desktop.Selected) && selector.Lasting(o.Name) {
			selected = o.Name
		}
		return true
	})
	if selected != "" && !strings.Contains(e.Name, selected) {
		return selected, nil
	}
	return recorder.Shown(e), nil
}
