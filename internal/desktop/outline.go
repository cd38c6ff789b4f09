package desktop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/words"
)

const (
	outlineText = 80 // characters of a name or text that an outline shows
	markerSize  = 20 // bytes of the note of omitted elements, without its indent
)

// Opaque is the note of an element that shows more than it reports.
const Opaque = "opaque: use keys, another view, a picture or read_text"

// Outline prints the tree for people and models, one element a line:
//
//	# as YAML
//	- frame "Notes" [ref=e1] [active]:
//	  - entry "Title" [ref=e2] [focused]: "Monday"
//	  - slider "Size" [ref=e3] [value=3 in 0 to 10]
//	  - … 12 more
//
// Containers that say nothing themselves are replaced by their children; elements
// that only repeat their parent or child share its line, and so do the cells of a row of a
// table. At most limit bytes are
// printed, 0 meaning no limit; elements nearer to the roots are preferred, and omitted
// counts those that were left out.
func (t *Tree) Outline(limit int) (text string, omitted int) {
	o := &outline{limit: limit, shown: map[*Element]bool{}, rows: map[*Element]row{}}
	roots := meaningful(t.Roots)
	o.plan(roots)
	o.print(roots, 0)
	return o.text.String(), o.omitted
}

// An outline prints a tree.
type outline struct {
	limit   int
	shown   map[*Element]bool
	rows    map[*Element]row // those that were made
	text    strings.Builder
	omitted int
}

// level holds the children of one element, and their depth.
type level struct {
	elements []*Element
	depth    int
}

// plan chooses the elements to show, level by level, within the limit.
func (o *outline) plan(roots []*Element) {
	used := 0
	for queue := []level{{roots, 0}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range at.elements {
			r := o.row(e)
			cost := len(r.line(at.depth))
			if len(r.children) > 0 {
				cost += 2*at.depth + 2 + markerSize
			}
			if o.limit > 0 && used+cost > o.limit {
				return
			}
			used += cost
			o.shown[e] = true
			if len(r.children) > 0 {
				queue = append(queue, level{r.children, at.depth + 1})
			}
		}
	}
}

func (o *outline) print(elements []*Element, depth int) {
	left := 0
	for _, e := range elements {
		if !o.shown[e] {
			left += o.count(e)
			continue
		}
		r := o.row(e)
		o.text.WriteString(r.line(depth))
		o.print(r.children, depth+1)
	}
	if left > 0 && depth > 0 {
		fmt.Fprintf(&o.text, "%s- … %d more\n", strings.Repeat("  ", depth), left)
	}
	o.omitted += left
}

// row returns the row of an element, with the cells of a table in the lines of their rows.
func (o *outline) row(e *Element) row {
	r, made := o.rows[e]
	if !made {
		r = rowOf(e)
		if r.element.Role.Is(Rows) {
			r.children = joinCells(r.children)
		}
		r.takeCells()
		o.rows[e] = r
	}
	return r
}

// count returns how many lines an element takes, with those below it.
func (o *outline) count(e *Element) int {
	n := 1
	for _, c := range o.row(e).children {
		n += o.count(c)
	}
	return n
}

func (r row) line(depth int) string {
	key := headline(r.element)
	for _, e := range slices.Backward(r.around) {
		if (e.Role.Is(Option) || e.Role == "heading") && e.Role != r.element.Role { // the others mean nothing to a reader
			key = string(e.Role) + " > " + key
		}
	}
	text := strings.TrimSpace(r.element.Text)
	if text == strings.TrimSpace(r.element.Name) || r.saysOnlyLabels() {
		text = ""
	}
	children := len(r.children) > 0
	indent := strings.Repeat("  ", depth)
	switch {
	case r.cells != "":
		return indent + "- " + yamlKey(key) + ": " + r.cells + "\n"
	case text != "" && children: // YAML allows only one of them after the colon
		return indent + "- " + yamlKey(key+" [text="+quoted(text)+"]") + ":\n"
	case text != "":
		return indent + "- " + yamlKey(key) + ": " + quoted(text) + "\n"
	case children:
		return indent + "- " + yamlKey(key) + ":\n"
	}
	return indent + "- " + yamlKey(key) + "\n"
}

// Headline returns the line of the element in an outline, without its text.
func (e *Element) Headline() string { return headline(e.shownCell()) }

func headline(e *Element) string {
	var b strings.Builder
	b.WriteString(cmp.Or(string(e.Role), "unknown"))
	if name := strings.TrimSpace(e.Name); name != "" {
		b.WriteString(" " + quoted(name))
	} else if e.Label != "" {
		b.WriteString(" " + quoted(e.Label))
	}
	if e.Ref != "" {
		b.WriteString(" [ref=" + e.Ref + "]")
	}
	for _, s := range e.Marks() {
		b.WriteString(" [" + s + "]")
	}
	if e.Note != "" {
		b.WriteString(" [" + e.Note + "]")
	}
	if v := e.shownValue(); v != nil {
		fmt.Fprintf(&b, " [value=%g in %g to %g]", v.Now, v.Min, v.Max)
	}
	return b.String()
}

// Marks returns the states that a reader needs: those that are unusual or can change.
func (e *Element) Marks() []string {
	var marks []string
	for _, s := range []States{Active, Checked, Collapsed, Expanded, Focused, Indeterminate, IsModal, Pressed, ReadOnly, Required, Selected} {
		if e.States.Has(s) && !(s == ReadOnly && e.Role == "label") {
			marks = append(marks, s.Names()[0])
		}
	}
	if !e.States.Has(Enabled) && e.Role.Is(Operable) {
		marks = append(marks, "disabled")
	}
	return marks
}

// Shown returns a text as an outline shows it: on one line, shortened if it is long.
func Shown(text string) string {
	return words.Shorten(strings.Join(strings.Fields(text), " "), outlineText)
}

func quoted(text string) string { return strconv.Quote(Shown(text)) }

// yamlKey returns a line as a YAML key, in single quotes where the plain line would
// mean something else.
func yamlKey(line string) string {
	if strings.Contains(line, ": ") || strings.Contains(line, " #") || strings.HasSuffix(line, ":") {
		return "'" + strings.ReplaceAll(line, "'", "''") + "'"
	}
	return line
}
