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

// texts are what the elements of a program showed at a time.
type texts struct {
	pid   int
	shown map[desktop.Handle]string
}

const (
	// readsEvery is how often what is shown is looked at, at first, and beside
	// that when the pointer comes to rest, as it does before a click.
	readsEvery = 4 * time.Second
	// readsRest is how many times longer than such a look took there is none.
	readsRest = 100
	// mostNews is how many texts may have changed for one of them to be what a
	// person waited for; when more did, all is new.
	mostNews = 8
	// longestNews is how long such a text is at most.
	longestNews = 80
)

// tells says whether an element tells a person something, and nobody changes
// what it shows but its program.
func tells(e *desktop.Element) bool {
	t := &recorder.Seen{Element: *e}
	return !t.TakesText() && !t.Secret() && !t.DropDown() && !t.Slider() && !recorder.IsToggle(t) && !recorder.IsContainer(t) && !recorder.InMenu(t)
}

// readsTexts begins to look at what is shown, before anything is done.
func (r *recording) readsTexts() {
	r.worked, r.texts, r.news = time.Now(), texts{}, news{}
	r.texted.Reset(settlesAfter)
}

// readTexts looks, while nothing is done, what the program that is worked in
// tells: first when what was done last has shown its first effect, and then
// again and again, less often the longer it takes, whether that has changed.
func (r *recording) readTexts(ctx context.Context) {
	w := active(r.windows)
	idle := time.Since(r.worked)
	if w == nil || w.PID == 0 || r.paused || r.queue.waits() || idle > compile.MaxWait {
		return
	}
	when := time.Now()
	roots := r.roots(ctx, &desktop.Element{PID: w.PID, Process: w.Process})
	r.texted.Reset(min(max(readsEvery, idle/5, readsRest*time.Since(when)), 20*time.Second))
	switch {
	case roots == nil, r.queue.waits(): // then it may be what came of that
	case r.texts.shown == nil:
		r.texts = textsOf(w.PID, roots)
	case r.texts.pid == w.PID:
		if e := r.texts.news(roots); e != nil {
			r.news = news{told(e), when, seenIn(e, roots)}
		}
	}
}

// news is a text that changed while nothing was done.
type news struct {
	text string
	when time.Time
	seen *recorder.Seen
}

func textsOf(pid int, roots []*desktop.Element) texts {
	shown := map[desktop.Handle]string{}
	each(roots, func(e *desktop.Element) {
		if tells(e) {
			shown[e.Handle] = told(e)
		}
	})
	return texts{pid, shown}
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

// worksAgain says that a person goes on. When they did nothing for a while, and
// a text had changed meanwhile, that may be what they waited for. What changed
// after they went on is what they did.
func (r *recording) worksAgain(now time.Time) {
	n, last := r.news, r.worked
	r.worked, r.news, r.texts = now, news{}, texts{}
	r.texted.Stop()
	if n.seen != nil && now.Sub(last) >= compile.MinIdle && n.when.Before(now) {
		r.write(recorder.Event{Type: recorder.Changed, Time: now, Element: n.seen, Value: &n.text})
	}
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
