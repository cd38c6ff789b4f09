package selector

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/desktop"
)

// A segment of a path is the nth child with a role, counted from 1.
type segment struct {
	role desktop.Role
	n    int
}

func (s segment) String() string { return fmt.Sprintf("/%s[%d]", s.role, s.n) }

var segmentText = regexp.MustCompile(`^([A-Za-z][A-Za-z _-]*?)\s*(?:\[([1-9][0-9]{0,4})\])?$`)

// path parses a path of roles, as other tools print it: /Window/Pane[2]/Button.
func (p *parser) path() (atom, *SyntaxError) {
	from := p.pos
	p.pos = p.bareEnd()
	a := atom{kind: byPath}
	for text := range strings.SplitSeq(strings.Trim(strings.TrimSpace(p.text[from:p.pos]), "/"), "/") {
		m := segmentText.FindStringSubmatch(strings.TrimSpace(text))
		if m == nil {
			return a, p.errorf(from, p.pos, "", "a path is written /Window/Pane[2]/Button, found %q in it", text)
		}
		role, ok := desktop.WantedRole(m[1])
		if !ok {
			return a, p.errorf(from, p.pos, "", "there is no role %q", m[1])
		}
		n, _ := strconv.Atoi(m[2]) // it is a number, or missing
		a.path = append(a.path, segment{role, max(n, 1)})
	}
	return a, nil
}

// follow returns the element that the path leads to. It begins below the elements, or at
// the roots: at them or, as applications are no part of a path, below them.
func (a *atom) follow(from []*desktop.Element, atRoots bool) []*desktop.Element {
	level := childrenOf(from)
	if atRoots && slices.ContainsFunc(from, func(e *desktop.Element) bool { return e.HasRole(a.path[0].role) }) {
		level = from
	}
	for i, s := range a.path {
		if i > 0 {
			level = childrenOf(level)
		}
		level = pick(slices.DeleteFunc(slices.Clone(level), func(e *desktop.Element) bool { return !e.HasRole(s.role) }), s.n-1)
	}
	return level
}

func childrenOf(all []*desktop.Element) (children []*desktop.Element) {
	for _, e := range all {
		children = append(children, e.Children...)
	}
	return children
}
