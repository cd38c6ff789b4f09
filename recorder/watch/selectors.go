package watch

import (
	"regexp"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

func find(roots []*desktop.Element, h desktop.Handle) *desktop.Element {
	return findLast(roots, func(e *desktop.Element) bool { return h != "" && e.Handle == h })
}

// findLast returns the last element that fits: descendants come after their ancestors.
func findLast(roots []*desktop.Element, fits func(*desktop.Element) bool) (found *desktop.Element) {
	walk(roots, func(e *desktop.Element) {
		if fits(e) {
			found = e
		}
	})
	return found
}

// same finds an element that was read separately in a tree. The handles of cells change.
func same(roots []*desktop.Element, e *desktop.Element) *desktop.Element {
	found := find(roots, e.Handle)
	if found != nil || e.Role != "cell" {
		return found
	}
	found = findLast(roots, func(o *desktop.Element) bool {
		return o.Role == e.Role && o.Name == e.Name && o.Window == e.Window && o.Bounds == e.Bounds
	})
	if found != nil {
		found.Handle = e.Handle
	}
	return found
}

// candidates returns the unique selectors, or else the first one. A lone page of text has no label
// above it, so it is named by its role and its tab: in a wider window a field of a tool bar may
// have that role too.
func candidates(e *desktop.Element, roots []*desktop.Element) []selector.Candidate {
	role, lone := roleAlone(e, roots)
	if lone && (&recorder.Seen{Element: *e}).MultiLine() {
		e.Label = ""
		if inTab := (selector.Candidate{Selector: "role:pagetab >> " + role.Selector, Matches: 1}); findsOnly(inTab.Selector, e, roots) {
			return []selector.Candidate{inTab}
		}
		return []selector.Candidate{role}
	}
	all := selector.For(e, roots)
	if isSheetCell(e) { // its neighbours are unknown
		lone = false
		all = slices.DeleteFunc(all, func(c selector.Candidate) bool {
			return !strings.HasSuffix(c.Selector, "name:"+selector.Quote(e.Name))
		})
	}
	sole := slices.DeleteFunc(slices.Clone(all), func(c selector.Candidate) bool { return c.Matches != 1 })
	if len(sole) == 0 {
		return all[:min(len(all), 1)]
	}
	if short := slices.DeleteFunc(slices.Clone(sole), namesProcess); len(short) > 0 {
		sole = short
	}
	if lone {
		at := slices.IndexFunc(sole, func(c selector.Candidate) bool { return recorder.Positional(c.Selector) || namesProcess(c) })
		if at < 0 {
			at = len(sole)
		}
		sole = slices.Insert(sole, at, role)
	}
	for _, c := range all {
		if within, ok := inDialog(e, roots, c); ok {
			sole = slices.Insert(sole, 0, within)
			break
		}
	}
	return sole[:min(len(sole), maxSelectors)]
}

// inDialog scopes a selector to its dialog: another window may have a button of that name.
func inDialog(e *desktop.Element, roots []*desktop.Element, c selector.Candidate) (within selector.Candidate, ok bool) {
	top := e
	for top.Parent != nil {
		top = top.Parent
	}
	title := strings.TrimSpace(top.WindowTitle)
	if len(roots) < 2 || top.Role != "dialog" && top.Role != "alert" || !isLasting(title) || namesFile.MatchString(title) || recorder.Positional(c.Selector) || namesProcess(c) {
		return within, false
	}
	sel := c.Selector
	if !strings.Contains(sel, "window:") {
		sel = "window:" + selector.Quote(title) + " >> " + sel
	}
	return selector.Candidate{Selector: sel, Matches: 1}, findsOnly(sel, e, roots)
}

// findsOnly reports whether a selector finds an element, and nothing else.
func findsOnly(sel string, e *desktop.Element, roots []*desktop.Element) bool {
	s, err := selector.Parse(sel)
	if err != nil {
		return false
	}
	found := s.Find(roots)
	return len(found) == 1 && found[0] == e
}

// namesFile matches a title with the name of a file, which may change.
var namesFile = regexp.MustCompile(`\w\.\w`)

// namesProcess reports whether a selector names the program, which its step does anyway.
func namesProcess(c selector.Candidate) bool { return strings.Contains(c.Selector, "process:") }

// roleAlone returns a selector by role alone, if the element is the only one of its role.
func roleAlone(e *desktop.Element, roots []*desktop.Element) (selector.Candidate, bool) {
	s, err := selector.Parse("role:" + string(e.Role))
	if err != nil || (&recorder.Seen{Element: *e}).Named() || len(s.Find(roots)) != 1 {
		return selector.Candidate{}, false
	}
	return selector.Candidate{Selector: s.String(), Matches: 1}, true
}
