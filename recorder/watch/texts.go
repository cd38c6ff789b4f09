package watch

import (
	"context"
	"strings"
	"time"
	"unicode"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
	"understudy/recorder/compile"
)

// shownTexts are the texts of a program's elements at one time.
type shownTexts struct {
	pid   int
	shown map[desktop.Handle]string
}

const (
	// textPoll is the first interval of reads while idle, in addition to those when the pointer rests.
	textPoll = 4 * time.Second
	// textCostFactor times the duration of a read is the least interval.
	textCostFactor = 100
	// maxTextChanges bounds the changed texts; with more, the whole view has changed.
	maxTextChanges = 8
	// maxTextLength bounds such a text.
	maxTextLength = 80
	// idleBeforeChange is the idle time after which texts are read when the pointer rests.
	idleBeforeChange = compile.MinIdle - time.Second
)

// isOutput reports whether an element shows text that only its program changes.
func isOutput(e *desktop.Element) bool {
	t := &recorder.Seen{Element: *e}
	return !t.TakesText() && !t.Secret() && !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) && !recorder.IsContainer(t) && !recorder.InMenu(t)
}

// resetTexts drops the texts, and schedules a read of them.
func (r *recording) resetTexts() {
	r.lastActivity, r.texts, r.textChange = time.Now(), shownTexts{}, textChange{}
	r.textTimer.Reset(settleDelay)
}

// readTexts reads the texts of the active program while the person is idle: once after the effect of
// the last input, then for changes, at growing intervals. A tree that was read since a time is reused.
func (r *recording) readTexts(ctx context.Context, since time.Time) {
	w := r.windows.Active()
	idle := time.Since(r.lastActivity)
	if w == nil || w.PID == 0 || r.paused || r.queue.hasAction() || idle > compile.MaxWait {
		return
	}
	when, roots := r.view.when, r.view.roots
	if r.view.pid != w.PID || when.Before(since) {
		when = time.Now()
		roots = r.readProgram(ctx, &desktop.Element{PID: w.PID, Process: w.Process})
	}
	r.textTimer.Reset(min(max(textPoll, idle/5, textCostFactor*time.Since(when)), 20*time.Second))
	switch {
	case roots == nil, r.queue.hasAction(): // a change may be the effect of that input
	case r.texts.shown == nil:
		r.texts = textsOf(w.PID, roots)
	case r.texts.pid == w.PID:
		if e := r.texts.changed(roots); e != nil {
			r.textChange = textChange{recorder.Shown(e), when, seenIn(e, roots)}
		}
	}
}

// textChange is a text that changed without input.
type textChange struct {
	text string
	when time.Time
	seen *recorder.Seen
}

func textsOf(pid int, roots []*desktop.Element) shownTexts {
	shown := map[desktop.Handle]string{}
	walk(roots, func(e *desktop.Element) {
		if isOutput(e) {
			shown[e.Handle] = recorder.Shown(e)
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

// noteActivity notes input, and writes a text that changed while idle: the person may have waited for
// it.
func (r *recording) noteActivity(now time.Time) {
	n, last := r.textChange, r.lastActivity
	r.lastActivity, r.textChange, r.texts = now, textChange{}, shownTexts{}
	r.textTimer.Stop()
	if n.seen != nil && now.Sub(last) >= compile.MinIdle && n.when.Before(now) {
		r.write(recorder.Event{Type: recorder.Changed, Time: now, Element: n.seen, Value: &n.text})
	}
}

// changed returns the element whose text changed to a lasting one, preferably a status; or nil.
func (t *shownTexts) changed(roots []*desktop.Element) (best *desktop.Element) {
	n := 0
	walk(roots, func(e *desktop.Element) {
		was, known := t.shown[e.Handle]
		if !known || !isOutput(e) || was == recorder.Shown(e) || e.Bounds.Empty() {
			return
		}
		n++
		if isLasting(recorder.Shown(e)) && (best == nil || importance(e) > importance(best)) {
			best = e
		}
	})
	if n > maxTextChanges {
		return nil
	}
	return best
}

// isLasting reports whether a text can be expected in another run: it has words and no numbers.
func isLasting(text string) bool {
	return len(text) <= maxTextLength && strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, unicode.IsDigit) &&
		!strings.ContainsAny(text, "\n\ufffc") && selector.Lasting(text)
}

// importance ranks how likely an element is a status.
func importance(e *desktop.Element) int {
	switch e.Role {
	case "statusbar", "alert", "notification", "infobar":
		return 2
	case "label", "heading", "paragraph":
		return 1
	}
	return 0
}
