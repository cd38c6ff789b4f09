package watch

import (
	"context"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// choice is the combo box, slider or toggle in use, and its last value.
type choice struct {
	box      *recorder.Seen
	shows    string
	known    time.Time // when that was read
	timeouts int       // reads in a row that timed out
}

// followChoice makes an element that was used the choice in use, if it shows one.
func (r *recording) followChoice(ctx context.Context, t *recorder.Seen) {
	if t == nil || t.Handle == "" || !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) || r.choice != nil && r.choice.box.Handle == t.Handle {
		return
	}
	r.choice = &choice{box: t, shows: recorder.Shown(&t.Element), known: time.Now()}
	if !t.DropDown() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout(elementTimeout))
	defer cancel()
	if now, err := r.choiceShown(ctx, t); err == nil {
		r.choice.shows = now
	}
}

// readChoice writes the value of the choice in use if it changed: however it was
// chosen, that is what was meant.
func (r *recording) readChoice(ctx context.Context) {
	c := r.choice
	r.keyed = false
	if c == nil || r.paused {
		r.choiceReads = 0
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout(elementTimeout))
	defer cancel()
	if r.choiceReads--; r.choiceReads > 0 {
		r.settleTimer.Reset(rereadDelay - settleDelay)
	}
	now, err := r.choiceShown(ctx, c.box)
	if timedOut(err) && c.timeouts < maxTimeouts {
		c.timeouts++
		r.choiceReads = max(r.choiceReads, 1)
		r.settleTimer.Reset(rereadDelay)
	}
	if timedOut(err) {
		return
	}
	c.timeouts, c.known = 0, time.Now()
	if err != nil {
		r.choice, r.choiceReads = nil, 0 // it is gone
		return
	}
	if now != c.shows && now != "" {
		c.shows = now
		r.write(recorder.Event{Type: recorder.Chosen, Time: time.Now(), Element: c.box, Value: &now})
	}
}

// readChoiceAfterKeys is readChoice before a button press. Without keys before it,
// a read might already show the effect of the press.
func (r *recording) readChoiceAfterKeys(ctx context.Context) {
	if r.keyed {
		r.readChoice(ctx)
	}
}

// choiceShown reads the value of an element. Web pages show the value of a combo
// box only as its selected option.
func (r *recording) choiceShown(ctx context.Context, t *recorder.Seen) (string, error) {
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
