// Package selector is the language that names elements of the screen:
// "window:Untitled >> role:button && name:Save".
//
// # The language
//
// A selector is a chain of parts joined by ">>". Each part matches elements inside the
// matches of the part before it. A part is a list of atoms joined by "&&" (or by a
// single "|", as in role:Button|name:Save), all of which an element must fulfil. "!"
// before an atom, or before several in parentheses, negates it: !state:enabled. "||", or
// a comma, separates alternatives, of which an element must fulfil one; "&&" binds more
// tightly, and ">>" less: window:A >> name:Yes || name:OK looks for both in the window.
//
//	role:button      the accessibility role, in any of its spellings; a toolkit's
//	                 own role, such as role:page, matches no other kind of panel
//	name:Save        the accessible name; the label of an element without a name
//	name?:Save       the name, or where no name equals it, one that contains it
//	text:Open        the text or the name of the element contains this; beside role:,
//	                 classname: or id:, else the words inside the element
//	id:submit        the toolkit's or document's id; also nativeid:
//	classname:Edit   the class
//	process:gedit    the program, ignoring case and an extension ".exe" or ".bin";
//	                 another name of it (gvim for vim.gtk3, the script of an
//	                 interpreter, a desktop file's id); or the process id
//	window:Untitled  the title of the window contains this, ignoring case;
//	                 window:#8388615 is the window with this id, and so is the
//	                 window of a result: window:${{ open.window }}
//	state:checked    a state; state:disabled is !state:enabled, and so on
//	visible:true     the element shows, or has a box; visible:false is !visible:true
//	nth:0, nth:-1    one of the part's matches, counted from the front or the back
//	rightof:SELECTOR nearest to the right of another element; also leftof:,
//	                 above:, below:, near:
//	has:SELECTOR     the element has such an element inside: role:row && has:name:Total
//	attr:class=a     an attribute of the element has this value; attr:class means true
//	pos:10,20        the smallest element at a point of the screen
//	ref:e12          an element of a printed tree; also ref=e12 or e12
//	image:save.png   a picture on the screen, which the caller must find
//	/Window/Pane[2]  a path of children by role, each counted from 1
//	..               the parents of the matches of the part before it
//
// In comparisons of names a run of white space counts as one blank. "~" before the colon
// means that the text contains the value, ignoring case: name~:sav.
//
// A value ends at the next operator and may contain blanks. A value with an operator
// in it is quoted, with \" and \\ inside: name:"a && b". A comma in a value needs no
// quotes, unless an atom such as name: follows it. The selector after rightof:, has: and
// the like is one atom, or a whole selector in parentheses or quotes:
// rightof:name:Age, rightof:(role:label && name:Age).
//
// Other spellings are understood: button|Save and Button:Save for role:button && name?:Save,
// role:button|contains:Sav for role:button && name~:Sav, button for role:button,
// localizedrole:button for it too, and #submit for id:submit.
//
// # The meaning of a part
//
// A part of only process: and window: is a scope. It matches the outermost elements
// that fit, which are windows or applications, and the next part may match those
// themselves. A part of only nth: picks from the matches of the part before it.
//
// rightof: (or leftof:, above:, below:, near:) matches the nearest of the elements on
// that side; nth: counts them from the nearest. If several anchors match, each has its
// own nearest.
//
// An element is right of an anchor if it begins where the anchor ends, or farther right,
// and shares a row of pixels with it; likewise for the other sides. Its distance is the
// gap between the two plus the number of pixels by which the smaller one sticks out of
// the other's row or column, so that of two entries beside a label the aligned one is
// nearer. An element is near an anchor if the gap is at most 100 pixels.
//
// Matching is pure: it compares elements that were read before. The caller decides
// whether a selector must match exactly one element.
package selector

import (
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// A Selector is a parsed selector. It is immutable and safe for concurrent use.
type Selector struct {
	parts []part
}

// A part is a list of conditions that one element must fulfil.
type part []atom

// In returns the selector that matches each of the chain inside the one before it. It
// skips nil selectors, and returns nil if all are nil.
func In(chain ...*Selector) (*Selector, error) {
	var all Selector
	for _, s := range chain {
		if s != nil {
			all.parts = append(all.parts, s.parts...)
		}
	}
	switch {
	case len(all.parts) == 0:
		return nil, nil
	case len(all.parts) > MaxParts:
		return nil, fmt.Errorf("selector %s: a chain has at most %d parts, this one has %d", &all, MaxParts, len(all.parts))
	}
	if i := slices.IndexFunc(all.parts[:len(all.parts)-1], func(p part) bool { return p[0].kind == byImage }); i >= 0 {
		return nil, fmt.Errorf("selector %s: a picture has nothing inside", &all)
	}
	return &all, nil
}

// Process returns the selector of a program, or nil for an empty name.
func Process(name string) *Selector { return single(byProcess, name) }

// Picture returns the selector of a picture, or nil for an empty file name.
func Picture(file string) *Selector { return single(byImage, file) }

func single(k kind, value string) *Selector {
	if strings.TrimSpace(value) == "" {
		return nil
	}
	return &Selector{[]part{{valued(k, value)}}}
}

// String returns the canonical form. Parsing it gives the same selector.
func (s *Selector) String() string { return join(s.parts, " >> ") }

func (p part) String() string {
	if len(p) == 1 && p[0].kind == anyOf {
		return join(p[0].any, " || ")
	}
	return join(p, " && ")
}

func join[T fmt.Stringer](all []T, separator string) string {
	words := make([]string, len(all))
	for i, x := range all {
		words[i] = x.String()
	}
	return strings.Join(words, separator)
}

// only returns the selector's atom if it is its only one, of the kind, and not negated.
func (s *Selector) only(k kind) (atom, bool) {
	if len(s.parts) != 1 || len(s.parts[0]) != 1 || s.parts[0][0].kind != k || s.parts[0][0].not {
		return atom{}, false
	}
	return s.parts[0][0], true
}

// Ref returns the ref of a selector that consists only of a ref, so that the caller can
// check whether its tree is stale.
func (s *Selector) Ref() (ref string, ok bool) {
	a, ok := s.only(byRef)
	return a.value, ok
}

// Point returns the point of a selector that consists only of pos:, which needs no
// element to be acted on.
func (s *Selector) Point() (at desktop.Point, ok bool) {
	a, ok := s.only(byPos)
	return a.at, ok
}

// Image returns the file of the picture that the selector ends with. Find returns
// nothing for such a selector: the caller must find the picture on the screen, inside
// the matches of Within.
func (s *Selector) Image() (file string, ok bool) {
	last := s.parts[len(s.parts)-1]
	if last[0].kind != byImage {
		return "", false
	}
	return last[0].value, true
}

// Counts reports whether the selector counts elements, so that it may match another one
// after an element appeared or disappeared.
func (s *Selector) Counts() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool {
		return p.has(byNth) || slices.ContainsFunc(slices.Collect(p.each()), func(a *atom) bool { return a.inner != nil && a.inner.Counts() })
	})
}

// A Word is a text or an ID that a match has, or what is around it.
type Word struct {
	Text  string `json:"text"`
	Whole bool   `json:"whole"` // it is all of a name, and not a part
	ID    bool   `json:"id"`
}

// Words returns what every match has itself, around it, or inside it. That is less than the selector
// asks for.
func (s *Selector) Words() (words []Word) {
	for _, p := range s.parts {
		for _, a := range p {
			switch {
			case a.not:
			case a.kind == byName, a.kind == byText:
				words = append(words, Word{Text: a.value, Whole: a.kind == byName && !a.fold})
			case a.kind == byID && !a.fold:
				words = append(words, Word{Text: a.value, ID: true})
			case a.kind == byHas:
				words = append(words, a.inner.Words()...)
			}
		}
	}
	return words
}

// Within returns the selector without its last part, or nil if it has only one.
func (s *Selector) Within() *Selector {
	if len(s.parts) < 2 {
		return nil
	}
	return &Selector{s.parts[:len(s.parts)-1]}
}

// Scope returns the smallest scope that must be read to evaluate the selector.
func (s *Selector) Scope() desktop.Scope {
	var sc desktop.Scope
	for i, p := range s.parts {
		if i > 0 && !s.parts[i-1].scopeOnly() {
			break
		}
		p.narrow(&sc)
	}
	for _, a := range s.parts[len(s.parts)-1] {
		if _, _, ok := desktop.ParseAddress(a.value); ok && a.kind == byName && !a.not {
			sc.Cell = a.value
		}
	}
	sc.Full, sc.Hidden = s.needs()
	return sc
}

// narrow sets the program and the window of a scope to those of the part, unless the
// scope has them already.
func (p part) narrow(sc *desktop.Scope) {
	for _, a := range p {
		switch {
		case a.not:
		case a.kind == byProcess && !a.fold && sc.Process == "":
			sc.Process = a.value
		case a.kind == byWindow && a.window != 0 && sc.Window == 0:
			sc.Window = a.window
		case a.kind == byWindow && a.window == 0 && sc.Title == "":
			sc.Title = a.value
		}
	}
}

// needs reports whether a full read, and hidden elements, are required.
func (s *Selector) needs() (full, hidden bool) {
	for _, p := range s.parts {
		for a := range p.each() {
			shows := a.kind == byVisible || a.kind == byState && a.state&(desktop.Showing|desktop.Visible) != 0
			full = full || shows || a.kind.needsFull() || a.role.OnlyWritten() || a.kind == byName && p.mayBeField()
			hidden = hidden || shows && a.not
			if a.inner != nil {
				f, h := a.inner.needs()
				full, hidden = full || f, hidden || h
			}
		}
	}
	return full, hidden
}

// Quick returns the scope of a read that is cheaper than that of Scope and decides the selector if it
// has one match, which must be in a page if inPage: a field elsewhere may be named by a label beside it.
func (s *Selector) Quick(scope desktop.Scope) (quick desktop.Scope, inPage, ok bool) {
	if !scope.Full {
		return scope, false, true
	}
	for _, p := range s.parts {
		for a := range p.each() {
			if a.inner != nil || a.kind == byVisible || a.kind == byState || a.kind != byID && a.kind.needsFull() || a.role.OnlyWritten() || a.kind == byNth {
				return scope, false, false
			}
			quick.IDs = quick.IDs || a.kind == byID
			inPage = inPage || a.kind == byName && p.mayBeField()
		}
	}
	ids := quick.IDs
	quick = scope
	quick.Full, quick.IDs = false, ids
	return quick, inPage, true
}

// mayBeField reports whether the part may match a field, whose name can be the label
// beside it.
func (p part) mayBeField() bool {
	for _, a := range p {
		if a.kind == byRole && !a.not {
			return isField(a.role)
		}
	}
	return true
}

// scopeOnly reports whether the part consists only of process: and window:.
func (p part) scopeOnly() bool {
	for _, a := range p {
		if a.not || a.kind != byProcess && a.kind != byWindow && a.kind != anyOf ||
			slices.ContainsFunc(a.any, func(p part) bool { return !p.scopeOnly() }) {
			return false
		}
	}
	return true
}

// ByPlace reports whether nothing but a place, a path or a number tells which element is
// meant among those of its role.
func (s *Selector) ByPlace() bool {
	placed := false
	for i := len(s.parts) - 1; i >= 0; i-- {
		only := true
		for a := range s.parts[i].each() {
			switch a.kind {
			case byNth, byPos, byPath:
				placed = true
			case parent:
			case byRole, byVisible, byState:
				only = false
			default:
				return false
			}
		}
		if !only {
			break
		}
	}
	return placed
}
