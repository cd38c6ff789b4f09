package watch

import (
	"slices"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// usedElement is an element of a step, and the selectors that no tree has shown to
// match a wrong one, the best first.
type usedElement struct {
	seen *recorder.Seen
	left []selector.Candidate
	// untried says that they were tried only on a tree from before the last input.
	untried bool
}

// remember notes the element of an event, whose selectors are tried on each tree
// that is read from now on.
func (r *recording) remember(t *recorder.Seen) {
	if t == nil || t.Handle == "" {
		return
	}
	left := slices.DeleteFunc(slices.Clone(t.Selectors), func(c selector.Candidate) bool {
		return c.Matches != 1 || recorder.Positional(c.Selector) || namesProcess(c) || recorder.NamesToolkit(c.Selector)
	})
	if len(left) == 0 {
		return // a count is wrong wherever there is more or less
	}
	left = slices.Insert(left, 1, scoped(t, left[0])...)
	r.used[t.Handle] = &usedElement{t, left, t.PID == r.view.pid && !r.view.when.After(r.lastEffect)}
}

// scoped are selectors within the elements around one, which match nothing that the
// selector alone does not match.
func scoped(t *recorder.Seen, c selector.Candidate) (all []selector.Candidate) {
	if strings.Contains(c.Selector, ">>") {
		return nil // it is scoped already
	}
	for _, a := range t.In {
		if a.Role.Is(desktop.Container) {
			continue
		}
		scope := "role:" + string(a.Role)
		if name := strings.TrimSpace(a.Name); (a.Role == "dialog" || a.Role == "alert") && isLasting(name) && !namesFile.MatchString(name) {
			scope = "window:" + recorder.QuoteSelector(name)
		}
		all = append(all, selector.Candidate{Selector: scope + " >> " + c.Selector, Matches: 1})
	}
	return all
}

// trySelectors tries the selectors of the elements that were used on another tree of
// their program, and writes those that are left of an element when one matches a wrong
// one. When none is left, they stay as they are: nothing better is known.
func (r *recording) trySelectors(pid int, roots []*desktop.Element) {
	for h, u := range r.used {
		if u.seen.PID != pid {
			continue
		}
		tried := len(u.left)
		u.left = slices.DeleteFunc(u.left, func(c selector.Candidate) bool { return u.matchesOther(c, roots) })
		u.untried = u.untried && find(roots, h) == nil
		switch len(u.left) {
		case tried:
		case 0:
			delete(r.used, h)
		default:
			better := *u.seen
			better.Selectors = slices.Clone(u.left)
			u.seen = &better
			r.write(recorder.Event{Type: recorder.Narrowed, Time: time.Now(), Element: &better})
		}
	}
}

// matchesOther reports whether a selector matches another thing than the element. One
// in the same place is none: a list and a dialog are often made anew. Beside the
// element it is, where the selector was not tried yet.
func (u *usedElement) matchesOther(c selector.Candidate, roots []*desktop.Element) bool {
	s, err := selector.Parse(c.Selector)
	if err != nil {
		return true
	}
	found := s.Find(roots)
	is := func(e *desktop.Element) bool { return e.Handle == u.seen.Handle }
	if u.untried && len(found) > 1 && slices.ContainsFunc(found, is) {
		return true
	}
	return slices.ContainsFunc(found, func(e *desktop.Element) bool { return !is(e) && !slices.EqualFunc(ancestors(e), u.seen.In, samePlace) })
}

// samePlace reports whether two elements may be one that was made anew. The title of
// a window may name a file, that of a dialog says what it is for.
func samePlace(a, b recorder.Ancestor) bool {
	return a.Role == b.Role && (a.Name == b.Name || a.Role != "dialog" && a.Role != "alert")
}
