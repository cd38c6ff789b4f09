package watch

import (
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

// usedElement is an element of a step, and its selectors that have matched no other
// element so far, the best first.
type usedElement struct {
	seen *recorder.Seen
	left []selector.Candidate
	// untried: they were tried only on a tree from before the last input.
	untried bool
}

// usedElements are the elements of the events.
type usedElements map[desktop.Handle]*usedElement

// add notes an element, whose selectors are tried on each tree that is read from now on.
func (us usedElements) add(t *recorder.Seen, untried bool) {
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
	us[t.Handle] = &usedElement{t, left, untried}
}

// scoped returns a selector scoped to each of the element's ancestors. These match
// nothing that the selector alone does not match.
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
			scope = "window:" + selector.Quote(name)
		}
		all = append(all, selector.Candidate{Selector: scope + " >> " + c.Selector, Matches: 1})
	}
	return all
}

// try tries the selectors on another tree of their program. It drops those that match
// another element, and writes the rest. If none is left, they stay as they were.
func (us usedElements) try(v *programView, write func(recorder.Event)) {
	for h, u := range us {
		if u.seen.PID != v.pid {
			continue
		}
		tried := len(u.left)
		u.left = slices.DeleteFunc(u.left, func(c selector.Candidate) bool { return u.matchesOther(c, v.roots) })
		u.untried = u.untried && find(v.roots, h) == nil
		switch len(u.left) {
		case tried:
		case 0:
			delete(us, h)
		default:
			better := *u.seen
			better.Selectors = slices.Clone(u.left)
			u.seen = &better
			write(recorder.Event{Type: recorder.Narrowed, Time: time.Now(), Element: &better})
		}
	}
}

// matchesOther reports whether a selector matches another element. One in the same
// place counts as the same, because lists and dialogs are often created anew, unless the
// selector is untried and matches both.
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

// samePlace reports whether two elements may be one that was created anew. The title of
// a window may name a file; that of a dialog must be equal.
func samePlace(a, b recorder.Ancestor) bool {
	return a.Role == b.Role && (a.Name == b.Name || a.Role != "dialog" && a.Role != "alert")
}
