package watch

import (
	"context"
	"strings"
	"time"
	"unicode"

	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// shownTexts are what the elements of a program showed at a time.
type shownTexts struct {
	pid   int
	shown map[desktop.Handle]string
}

const (
	// textPoll is how often what is shown is looked at, at first, and beside
	// that when the pointer comes to rest, as it does before a click.
	textPoll = 4 * time.Second
	// textCostFactor is how many times longer than such a look took there is none.
	textCostFactor = 100
	// maxTextChanges is how many texts may have changed for one of them to be what a
	// person waited for; when more did, all is new.
	maxTextChanges = 8
	// maxTextLength is how long such a text is at most.
	maxTextLength = 80
)

// isOutput reports whether an element tells a person something, and nobody changes
// what it shows but its program.
func isOutput(e *desktop.Element) bool {
	t := &recorder.Seen{Element: *e}
	return !t.TakesText() && !t.Secret() && !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) && !recorder.IsContainer(t) && !recorder.InMenu(t)
}

// resetTexts begins to look at what is shown, before anything is done.
func (r *recording) resetTexts() {
	r.lastActivity, r.texts, r.textChange = time.Now(), shownTexts{}, textChange{}
	r.textTimer.Reset(settleDelay)
}

// readTexts looks, while nothing is done, what the program that is worked in
// tells: first when what was done last has shown its first effect, and then
// again and again, less often the longer it takes, whether that has changed.
func (r *recording) readTexts(ctx context.Context) {
	w := active(r.windows)
	idle := time.Since(r.lastActivity)
	if w == nil || w.PID == 0 || r.paused || r.queue.hasAction() || idle > compile.MaxWait {
		return
	}
	when := time.Now()
	roots := r.readProgram(ctx, &desktop.Element{PID: w.PID, Process: w.Process})
	r.textTimer.Reset(min(max(textPoll, idle/5, textCostFactor*time.Since(when)), 20*time.Second))
	switch {
	case roots == nil, r.queue.hasAction(): // then it may be what came of that
	case r.texts.shown == nil:
		r.texts = textsOf(w.PID, roots)
	case r.texts.pid == w.PID:
		if e := r.texts.changed(roots); e != nil {
			r.textChange = textChange{textOf(e), when, seenIn(e, roots)}
		}
	}
}

// textChange is a text that changed while nothing was done.
type textChange struct {
	text string
	when time.Time
	seen *recorder.Seen
}

func textsOf(pid int, roots []*desktop.Element) shownTexts {
	shown := map[desktop.Handle]string{}
	walk(roots, func(e *desktop.Element) {
		if isOutput(e) {
			shown[e.Handle] = textOf(e)
		}
	})
	return shownTexts{pid, shown}
}

func walk(roots []*desktop.Element, f func(*desktop.Element)) {
	for _, root := range roots {
		root.Walk(func(e *desktop.Element) bool {
			f(e)
			return true
		})
	}
}

// textOf is what an element tells.
func textOf(e *desktop.Element) string {
	if e.Text != "" {
		return e.Text
	}
	return e.Name
}

// noteActivity says that a person goes on. When they did nothing for a while, and
// a text had changed meanwhile, that may be what they waited for. What changed
// after they went on is what they did.
func (r *recording) noteActivity(now time.Time) {
	n, last := r.textChange, r.lastActivity
	r.lastActivity, r.textChange, r.texts = now, textChange{}, shownTexts{}
	r.textTimer.Stop()
	if n.seen != nil && now.Sub(last) >= compile.MinIdle && n.when.Before(now) {
		r.write(recorder.Event{Type: recorder.Changed, Time: now, Element: n.seen, Value: &n.text})
	}
}

// changed is the element whose text changed, if it can be expected to tell the
// same another day: of several the one that says how things stand.
func (t *shownTexts) changed(roots []*desktop.Element) (best *desktop.Element) {
	n := 0
	walk(roots, func(e *desktop.Element) {
		was, known := t.shown[e.Handle]
		if !known || !isOutput(e) || was == textOf(e) || e.Bounds.Empty() {
			return
		}
		n++
		if isLasting(textOf(e)) && (best == nil || importance(e) > importance(best)) {
			best = e
		}
	})
	if n > maxTextChanges {
		return nil
	}
	return best
}

// isLasting reports whether a text can be expected to be the same another day: it has
// words, and no numbers.
func isLasting(text string) bool {
	return len(text) <= maxTextLength && strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, unicode.IsDigit) &&
		!strings.ContainsAny(text, "\n\ufffc") && selector.Lasting(text)
}

// importance is how likely an element is to say how things stand.
func importance(e *desktop.Element) int {
	switch e.Role {
	case "statusbar", "alert", "notification", "infobar":
		return 2
	case "label", "heading", "paragraph":
		return 1
	}
	return 0
}
