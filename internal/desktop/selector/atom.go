package selector

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// A kind of atom is the word before its colon.
type kind string

const (
	byRole    kind = "role"
	byName    kind = "name"
	byText    kind = "text"
	byID      kind = "id"
	byClass   kind = "classname"
	byProcess kind = "process"
	byWindow  kind = "window"
	byState   kind = "state"
	byVisible kind = "visible"
	byRef     kind = "ref"
	byNth     kind = "nth"
	byPos     kind = "pos"
	byImage   kind = "image"
	rightOf   kind = "rightof"
	leftOf    kind = "leftof"
	above     kind = "above"
	below     kind = "below"
	near      kind = "near"
	byHas     kind = "has"
	byAttr    kind = "attr"
	parent    kind = ".."
	byPath    kind = "/"
	anyOf     kind = "||"
)

// kinds maps the words before a colon, including those of other tools, to
// kinds.
var kinds = map[string]kind{
	"role": byRole, "name": byName, "text": byText, "state": byState, "visible": byVisible,
	"id": byID, "nativeid": byID, "classname": byClass, "class": byClass,
	"process": byProcess, "processname": byProcess, "window": byWindow, "title": byWindow,
	"ref": byRef, "nth": byNth, "pos": byPos, "image": byImage,
	"has": byHas, "attr": byAttr, "localizedrole": byRole,
	"rightof": rightOf, "leftof": leftOf, "above": above, "below": below, "near": near,
}

// Atoms lists the words that may stand before an atom's colon, sorted.
func Atoms() []string {
	return slices.Sorted(maps.Keys(kinds))
}

// relative reports whether the atom's value is another selector.
func (k kind) relative() bool {
	return k == rightOf || k == leftOf || k == above || k == below || k == near
}

// needsFull reports whether deciding the atom needs a full read.
func (k kind) needsFull() bool {
	return k == byText || k == byID || k == byClass || k == byAttr || k == byPos || k.relative()
}

// local reports whether an element fulfils the atom regardless of other
// elements. Only such an atom can be negated.
func (k kind) local() bool {
	switch k {
	case byNth, byPos, byImage, byPath, parent:
		return false
	}
	return !k.relative()
}

// foldable reports whether "~" may stand before the colon.
func (k kind) foldable() bool {
	switch k {
	case byName, byText, byID, byClass, byAttr, byProcess, byWindow:
		return true
	}
	return false
}

// An atom is one condition. Which fields are used depends on the kind.
type atom struct {
	inside bool // of text: it is among the words inside an element; see lookingInside
	kind   kind
	not    bool
	fold   bool   // written with "~" or "?"
	either bool   // written with "?": what equals counts before what contains
	value  string // of the atoms that compare text
	folded string // the value, prepared for comparison without case
	role   desktop.Role
	state  desktop.States
	n      int              // of nth; negative counts from the back
	window desktop.WindowID // of window: with an id instead of a title
	at     desktop.Point
	inner  *Selector
	path   []segment
	any    []part // the alternatives of anyOf
	// program reports whether a program is called so; see withPrograms.
	program func(pid int, name string, aliases []string) bool
}

func (a atom) String() string {
	text := string(a.kind)
	switch {
	case a.either:
		text += "?"
	case a.fold:
		text += "~"
	}
	if a.not {
		text = "!" + text
	}
	switch {
	case a.kind == parent:
		return text
	case a.kind == byPath:
		return join(a.path, "")
	case a.kind == anyOf:
		return "(" + join(a.any, " || ") + ")"
	case a.kind == byNth:
		return fmt.Sprintf("nth:%d", a.n)
	case a.kind == byPos:
		return text + ":" + a.at.String()
	case a.kind == byRole:
		return text + ":" + string(a.role)
	case a.kind == byState:
		return text + ":" + a.state.Names()[0]
	case a.kind == byVisible:
		return text + ":true"
	case a.window != 0:
		return fmt.Sprintf("%s:#%d", text, a.window)
	case a.kind == byWindow && (strings.HasPrefix(a.value, "{") || windowNumber.MatchString(a.value)):
		return text + ":" + quoted(a.value) // bare, it would mean a window's id
	case a.inner != nil:
		return text + ":" + a.inner.nested()
	}
	return text + ":" + Quote(a.value)
}

// nested returns the selector in the form that follows rightof: and the like.
func (s *Selector) nested() string {
	if len(s.parts) == 1 && len(s.parts[0]) == 1 && !s.parts[0][0].not && s.parts[0][0].kind != anyOf {
		return s.String()
	}
	return "(" + s.String() + ")"
}

// Quote returns a value, quoted if it would parse differently otherwise.
func Quote(v string) string {
	if !mustQuote(v) {
		return v
	}
	return quoted(v)
}

func quoted(v string) string { return `"` + escaped.Replace(v) + `"` }

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func mustQuote(v string) bool {
	return v == "" || v != strings.TrimSpace(v) || v[0] == '"' || strings.HasPrefix(v, containsWord) ||
		strings.ContainsAny(v, "|()\n\r") || strings.Contains(v, "&&") || strings.Contains(v, ">>") || commaWithin.MatchString(v)
}
