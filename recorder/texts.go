package recorder

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// texts are what the elements of a program showed at a time.
type texts struct {
	pid   int
	shown map[desktop.Handle]string
}

const (
	// mostNews is how many texts may have changed for one of them to be what a
	// person waited for; when more did, all is new.
	mostNews = 8
	// longestNews is how long such a text is at most.
	longestNews = 80
)

// tells says whether an element tells a person something, and nobody changes
// what it shows but its program.
func tells(e *desktop.Element) bool {
	t := &Thing{Element: *e}
	return !t.takesText() && !t.secret() && !t.chooses() && !t.slides() && !switchable(t) && !wide(t) && !inMenu(t)
}

// rememberTexts notes what the program that is worked in shows, once what was
// done last has shown its first effect.
func (r *recording) rememberTexts(ctx context.Context) {
	r.texts = texts{}
	w := active(r.windows)
	if w == nil || w.PID == 0 || r.paused || r.queue.waits() {
		return
	}
	roots := r.roots(ctx, &desktop.Element{PID: w.PID, Process: w.Process})
	shown := map[desktop.Handle]string{}
	each(roots, func(e *desktop.Element) {
		if tells(e) {
			shown[e.Handle] = told(e)
		}
	})
	r.texts = texts{w.PID, shown}
}

func each(roots []*desktop.Element, f func(*desktop.Element)) {
	for _, root := range roots {
		root.Walk(func(e *desktop.Element) bool {
			f(e)
			return true
		})
	}
}

// told is what an element tells.
func told(e *desktop.Element) string {
	if e.Text != "" {
		return e.Text
	}
	return e.Name
}

// waited notes a text that changed while a person did nothing for a while, just
// before they go on: it may be what they waited for.
func (r *recording) waited(ctx context.Context, now time.Time) {
	before, last := r.texts, r.worked
	r.worked = now
	if before.pid == 0 || last.IsZero() || now.Sub(last) < waitsFrom {
		return
	}
	r.texts = texts{}
	roots := r.roots(ctx, &desktop.Element{PID: before.pid})
	e := before.news(roots)
	if e == nil {
		return
	}
	t := &Thing{Element: *e, In: around(e), Selectors: candidates(e, roots)}
	t.Children, t.Parent = nil, nil
	text := told(e)
	r.write(Event{Type: Changed, Time: now, Element: t, Value: &text})
}

// news is the element whose text changed, if it can be expected to tell the
// same another day: of several the one that says how things stand.
func (t *texts) news(roots []*desktop.Element) (best *desktop.Element) {
	n := 0
	each(roots, func(e *desktop.Element) {
		was, known := t.shown[e.Handle]
		if !known || !tells(e) || was == told(e) || e.Bounds.Empty() {
			return
		}
		n++
		if lasts(told(e)) && (best == nil || importance(e) > importance(best)) {
			best = e
		}
	})
	if n > mostNews {
		return nil
	}
	return best
}

// lasts says whether a text can be expected to be the same another day: it has
// words, and no numbers.
func lasts(text string) bool {
	return len(text) <= longestNews && strings.ContainsFunc(text, unicode.IsLetter) && !strings.ContainsFunc(text, unicode.IsDigit) &&
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

// waitsForText makes a step of a person's wait for a text: nothing was done for
// a while, and then it had changed.
func (c *compiler) waitsForText() bool {
	ev, last := c.news, c.last()
	c.news = nil
	if ev == nil || last == nil || len(unique(ev.Element)) == 0 {
		return false
	}
	waited := ev.Time.Sub(last.end)
	if waited < waitsFrom {
		return false
	}
	text := *ev.Value
	s := &step{kind: "wait_for_element", subject: "wait for " + text, says: "wait for " + brief(text), begin: last.end, end: ev.Time}
	t := *ev.Element
	byText := func(k selector.Candidate) bool { return strings.Contains(k.Selector, text) }
	if others := slices.DeleteFunc(slices.Clone(t.Selectors), byText); len(unique(&Thing{Selectors: others})) > 0 && !counts(unique(&Thing{Selectors: others})[0]) {
		t.Selectors = others
	}
	s.aim(&t)
	if !strings.Contains(unique(&t)[0], text) {
		s.set("condition", "text")
		s.set("text", plain(text))
	}
	s.certain() // what follows says it
	s.set("timeout_ms", waitsFor(waited))
	c.emit(s)
	return true
}
