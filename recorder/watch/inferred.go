package watch

import (
	"context"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// inference infers input that is not reported from its effects on focused fields and controls, and on
// windows. Changes without the focus are ignored: the program made them.
type inference struct {
	keys      bool // keys are not reported
	limits    []string
	timer     *time.Timer
	due       bool                    // an observation is due
	shown     map[int]programControls // the last observation of each process
	left      desktop.Handle          // the element that had the keyboard before
	moved     time.Time               // when the keyboard moved last
	pressable desktop.Handle          // a button that got the focus, without an effect yet
	until     time.Time               // the deadline of its effect
	clicked   bool                    // a click elsewhere changed the field that has the keyboard
	typed     bool                    // something was typed since the last observation, which may change texts elsewhere
}

// programControls are the values of the elements of a program.
type programControls struct {
	controls map[desktop.Handle]string // of toggles, choices and sliders
	texts    map[desktop.Handle]string // of fields
	outputs  map[desktop.Handle]string // of all elements
}

const (
	// effectTime is how long after a button got the focus a text change counts as its effect.
	effectTime = 3 * time.Second
	// effectPoll is the interval at which texts are compared in this time.
	effectPoll = 250 * time.Millisecond
	// clickedTime is how long after a click a change of a field counts as its effect.
	clickedTime = time.Second
	// observePoll is the interval of observations: a change before the focus is no effect.
	observePoll = time.Second
)

// begun handles the beginning of the watch, in which input of some types is not reported.
func (r *recording) begun(ctx context.Context, sorts []desktop.InputType) {
	if len(sorts) > 0 {
		r.write(recorder.Event{Type: recorder.Limited, Time: time.Now(), Unreported: sorts})
		limits := desktop.Limits(sorts)
		if r.bar != nil && slices.Contains(sorts, desktop.ButtonPress) {
			r.bar.close(ctx, r)
			r.bar = nil
			limits = append(limits, "there is no bar: clicks on its buttons would not be reported")
		}
		r.inferred.limits = limits
	}
	r.inferred.keys = slices.Contains(sorts, desktop.KeyPress)
	r.allCells = r.inferred.keys // their values are observed
	if !r.inferred.keys {
		r.listening()
		return
	}
	r.inferred.observeSoon(0)
}

// observe writes the effects of unreported input since the last observation.
func (r *recording) observe(ctx context.Context) {
	u := &r.inferred
	defer r.listening()
	u.due = false
	u.timer.Reset(max(observePoll, readCostFactor*r.view.took))
	if r.paused {
		return
	}
	w := r.windows.Active()
	if windows, err := r.desktop.Windows(ctx); err == nil {
		w = windows.Active()
	}
	if w == nil || w.PID == 0 {
		r.pollWindows(ctx)
		return
	}
	roots := r.readProgram(ctx, &desktop.Element{PID: w.PID, Process: w.Process})
	if roots == nil {
		r.inferred.observeSoon(time.Until(r.readAgain))
		return
	}
	has := focusedIn(roots, w.ID)
	before := u.shown[w.PID]
	now := r.readControls(ctx, before, roots, has)
	u.shown[w.PID] = now
	if has != nil && has.Handle != r.focus.handle {
		r.readField(ctx) // it holds what was typed until now
		u.left = r.focus.handle
	}
	typed, followed := u.typed, r.noteEffect(before, roots)
	u.typed = false
	if has != nil && has.Handle != r.focus.handle {
		r.meetInferred(ctx, has, before)
		if !typed && !followed {
			r.noteEffect(before, roots) // the program was faster
		}
	}
	r.noteChosen(before, now, roots)
	r.pollWindows(ctx)
	if u.pressable != "" && time.Now().Before(u.until) {
		u.timer.Reset(effectPoll)
	}
}

// observeSoon schedules an observation.
func (u *inference) observeSoon(after time.Duration) {
	if u.keys {
		u.due = true
		u.timer.Reset(max(after, settleDelay))
	}
}

// focusedIn returns the focused element of a window, preferably one that takes text. It makes no
// calls, which could disturb the press of the person.
func focusedIn(roots []*desktop.Element, in desktop.WindowID) (has *desktop.Element) {
	walk(roots, func(e *desktop.Element) {
		if e.Parent == nil || e.Window != in || !e.States.Has(desktop.Focused) {
			return
		}
		if has == nil || !(&recorder.Seen{Element: *has}).TakesText() {
			has = e
		}
	})
	return has
}

// meetInferred handles an element that got the focus: from its program if it or its window is new.
func (k *keyboard) meetInferred(ctx context.Context, e *desktop.Element, before programControls) {
	h := e.Handle
	was := k.focus.of(k.focus.now)
	read := *e
	t, text := k.describe(ctx, &read), e.Text
	t.Handle = h
	if held, known := before.texts[h]; known {
		text = held
	}
	t.New = was == nil || was.Window != e.Window || !before.has(h)
	k.inferred.pressable = ""
	if recorder.Pressable(t) && !t.New {
		k.inferred.pressable, k.inferred.until = h, time.Now().Add(k.timeout(effectTime))
	}
	k.addField(ctx, t, text)
}

// noteChosen writes the new value of a control, if it or its list has or just had the focus.
func (k *keyboard) noteChosen(before, now programControls, roots []*desktop.Element) {
	u := &k.inferred
	var changed, lists []*desktop.Element
	walk(roots, func(e *desktop.Element) {
		was, known := before.controls[e.Handle]
		if shows := now.controls[e.Handle]; !known || shows == was || shows == "" {
			return
		}
		changed = append(changed, e)
		if isDropDown(e) {
			lists = append(lists, e)
		}
	})
	chosen := holderOf(changed, k.focus.handle, roots)
	if chosen == nil {
		chosen = holderOf(changed, u.left, roots)
	}
	if chosen == nil && len(lists) == 1 && time.Since(u.moved) < k.timeout(effectTime) {
		chosen, u.moved = lists[0], time.Time{}
	}
	if chosen == nil {
		return
	}
	shows := now.controls[chosen.Handle]
	if chosen.Role == "radiobutton" && shows == recorder.Off {
		return // another one was turned on
	}
	if recorder.Selectable(chosen.Role) && time.Since(k.lastPress) < k.timeout(effectTime) {
		return // by a reported click
	}
	if c := &k.choice; c.is(chosen.Handle) {
		if c.shows == shows {
			return // that was read after a click
		}
		c.shows, c.known = shows, time.Now()
	}
	t := seenIn(chosen, roots)
	k.write(recorder.Event{Type: recorder.Chosen, Time: time.Now(), Element: t, Value: &shows})
}

// holderOf returns the one of some elements that has the focus, or contains the focused element.
func holderOf(some []*desktop.Element, h desktop.Handle, roots []*desktop.Element) *desktop.Element {
	for e := find(roots, h); e != nil; e = e.Parent {
		if slices.Contains(some, e) {
			return e
		}
	}
	return nil
}

// noteEffect writes a text that changed after a button got the focus, if one did.
func (s *shared) noteEffect(before programControls, roots []*desktop.Element) bool {
	u := &s.inferred
	if u.pressable == "" || time.Now().After(u.until) {
		return false
	}
	var shows *desktop.Element
	walk(roots, func(e *desktop.Element) {
		if was, known := before.outputs[e.Handle]; shows == nil && e.Handle != u.pressable && isOutput(e) && recorder.Shown(e) != "" && (!known || was != recorder.Shown(e)) {
			shows = e
		}
	})
	if shows == nil {
		return false
	}
	u.pressable = ""
	text := recorder.Shown(shows)
	s.write(recorder.Event{Type: recorder.Changed, Time: time.Now(), Element: seenIn(shows, roots), Value: &text})
	return true
}

// readControls reads the values of the elements of a tree, except passwords.
func (r *reader) readControls(ctx context.Context, was programControls, roots []*desktop.Element, has *desktop.Element) programControls {
	const mostBoxes = 16
	inList := has == nil || has.Role.Is(desktop.Option) || has.Role == "list" || has.Role == "menu"
	c := programControls{map[desktop.Handle]string{}, map[desktop.Handle]string{}, map[desktop.Handle]string{}}
	walk(roots, func(e *desktop.Element) {
		t := &recorder.Seen{Element: *e}
		c.outputs[e.Handle] = ""
		switch {
		case t.Secret():
		case t.TakesText():
			c.texts[e.Handle] = e.Text
		case t.DropDown() && len(c.controls) < mostBoxes:
			shows, open, err := r.choiceShown(ctx, t)
			onlyName := shows == e.Name && was.outputs[e.Handle] == shows // which some programs say when they say no choice
			c.controls[e.Handle], c.outputs[e.Handle] = shows, e.Name
			if err != nil || open && inList || onlyName && was.controls[e.Handle] != "" {
				c.controls[e.Handle], c.outputs[e.Handle] = was.controls[e.Handle], was.outputs[e.Handle] // what is highlighted is not chosen yet
			}
		case t.Slider() || recorder.IsToggle(t):
			c.controls[e.Handle] = recorder.Shown(e)
		case recorder.Selectable(e.Role) && !e.Bounds.Empty():
			c.controls[e.Handle] = map[bool]string{true: recorder.On}[e.States.Has(desktop.Selected)]
		case isOutput(e):
			c.outputs[e.Handle] = recorder.Shown(e)
		}
	})
	return c
}

// has reports whether an element was there.
func (c *programControls) has(h desktop.Handle) bool {
	_, there := c.outputs[h]
	return there
}

// fieldInferred handles a change of the focused field; of a password field nothing more is known. It
// schedules an observation for the end of the typing, so that later changes are not its effect.
func (k *keyboard) fieldInferred() {
	k.changes.edited(k.focus.now)
	after := time.Unix(0, k.changes.field.last.Load()).Sub(k.lastPress)
	k.inferred.clicked = after >= 0 && after < clickedTime && k.pressedOn != k.focus.handle
	k.inferred.typed = !k.inferred.clicked
	k.inferred.observeSoon(rereadDelay)
	if t := k.focus.of(k.focus.now); t.Secret() && k.changes.field.count > 1 && !recorder.EndsHidden(k.journal.events, k.focus.now) {
		k.write(recorder.Event{Type: recorder.Typed, Time: time.Now(), Hidden: true, Field: k.focus.now})
	}
}
