package desktop

import (
	"slices"
	"strings"
)

// mostInLine bounds the bytes of the cells that share the line of their row.
const mostInLine = 500

// takeCells tells the cells of a row of a table in its line, as "Ann | Bonn | 12", if they fit:
// a table of many lines would be cut before a reader has seen a row of it. Cells that a caller
// may want to name, as those with a button, keep their refs.
func (r *row) takeCells() {
	if r.element.Role != "row" || len(r.children) == 0 {
		return
	}
	named := r.element.Ref != "" || r.element.Handle != ""
	words, lines := make([]string, len(r.children)), make([]string, len(r.children))
	plain := true
	for i, c := range r.children {
		var ok bool
		if words[i], ok = plainCell(c, r.element); ok && (named || i > 0) {
			lines[i] = quoted(words[i])
			continue
		}
		plain = false
		if lines[i], ok = inLine(c); !ok {
			return
		}
	}
	text := "'" + strings.ReplaceAll(strings.Join(lines, " | "), "'", "''") + "'"
	if plain {
		text = quotedRow(words)
	}
	if len(text) > mostInLine {
		return
	}
	if withoutSpace(r.element.Name) == withoutSpace(strings.Join(words, "")) { // browsers name rows by their cells
		e := *r.element
		e.Name, e.Label = "", ""
		r.element = &e
	}
	r.cells, r.children = text, nil
}

// quotedRow quotes cells that are only words, each shortened by itself.
func quotedRow(words []string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		q := quoted(w)
		parts[i] = q[1 : len(q)-1]
	}
	return `"` + strings.Join(parts, " | ") + `"`
}

// plainCell returns the words of a cell that is nothing but these words, of which its row
// says whatever else there is to say.
func plainCell(c, of *Element) (words string, ok bool) {
	r := rowOf(c)
	e := r.element
	marks := of.Marks()
	if of.Handle == "" && of.Ref == "" && len(of.Children) > 0 {
		marks = of.Children[0].Marks()
	}
	is := e.Role == "cell" || e.Role == "columnheader" || e.Role == "rowheader" || e.Role == "label" && c != e
	all := slices.Compact(e.words())
	return strings.Join(all, ""), is && len(r.children) == 0 && len(all) < 2 && e.shownValue() == nil && e.Note == "" &&
		!e.States.Has(Editable) && subset(e.Marks(), marks) && !slices.ContainsFunc(e.Actions, isPress)
}

// isPress reports whether an action is what pressing an element does that reacts to it.
func isPress(action string) bool {
	return slices.Contains([]string{"click", "press", "toggle"}, strings.ToLower(action))
}

// inLine returns an element of a cell, with what is in it, as a part of a line. It returns false
// for one that holds rows itself.
func inLine(c *Element) (string, bool) {
	r := rowOf(c)
	if r.element.Role.Is(Rows) || r.element.Role == "row" {
		return "", false
	}
	var line strings.Builder
	line.WriteString(headline(r.element))
	if text := strings.TrimSpace(r.element.Text); text != "" && text != strings.TrimSpace(r.element.Name) && !r.saysOnlyLabels() {
		line.WriteString(": " + quoted(text))
	}
	for _, c := range r.children {
		part, ok := inLine(c)
		if !ok {
			return "", false
		}
		line.WriteString(" " + part)
	}
	return line.String(), true
}

// joinCells makes rows of the cells of a table whose toolkit reports no rows, by their places.
func joinCells(elements []*Element) []*Element {
	var all []*Element
	for i := 0; i < len(elements); {
		n := sameLine(elements[i:])
		if n == 1 {
			all = append(all, elements[i])
		} else {
			all = append(all, &Element{Role: "row", Children: elements[i : i+n]})
		}
		i += n
	}
	return all
}

// sameLine returns how many of the first elements are cells of one row.
func sameLine(elements []*Element) int {
	first := elements[0]
	i := slices.IndexFunc(elements, func(e *Element) bool {
		return e.Role != "cell" || e.Parent == nil || !e.Parent.Role.Is(Rows) || e.Bounds.Empty() || e.States.Has(Editable) ||
			e.Bounds.Y != first.Bounds.Y || e.Bounds.H != first.Bounds.H
	})
	if i < 0 {
		return len(elements)
	}
	return max(i, 1)
}

// isJoined reports whether an element is a row that joinCells or JoinRows made.
func isJoined(e *Element) bool {
	return e.Role == "row" && e.Handle == "" && e.Ref == "" && len(e.Children) > 0
}

// ofCell returns the cell of a table that an element is a part of, or the element.
func (e *Element) ofCell() *Element {
	for e.isPartOfCell() {
		e = e.Parent
	}
	return e
}

// shownCell returns the element that an outline shows for a cell, such as the one with its name
// beside an icon; for others the element.
func (e *Element) shownCell() *Element {
	if e.Role != "cell" {
		return e
	}
	r := rowOf(e.ofCell())
	if i := slices.IndexFunc(r.children, func(c *Element) bool { return c.isPartOfCell() && len(c.words()) > 0 }); i >= 0 && len(r.element.words()) == 0 {
		return r.children[i]
	}
	return r.element
}

// cellWords returns the words of the cells of a joined row.
func (e *Element) cellWords() string {
	if !isJoined(e) {
		return ""
	}
	var all []string
	for _, c := range e.Children {
		if words := c.shownCell().words(); len(words) > 0 {
			all = append(all, words[0])
		}
	}
	return quotedRow(all)
}

// JoinRows makes one change of the same changes of the cells of a row, for tables whose toolkit
// reports no rows.
func JoinRows(changes []Change) (all []Change) {
	for i := 0; i < len(changes); {
		first, cells, n := changes[i], []*Element{changes[i].Element.ofCell()}, 1
		for _, c := range changes[i+1:] {
			cell := c.Element.ofCell()
			if c.Kind != first.Kind || !slices.Equal(c.Fields, first.Fields) || cell.Parent != cells[0].Parent {
				break
			}
			if more := append(slices.Clip(cells), cell); cell != cells[len(cells)-1] && sameLine(more) < len(more) {
				break
			} else if cell != cells[len(cells)-1] {
				cells = more
			}
			n++
		}
		if len(cells) > 1 {
			first.Element, first.Inside = &Element{Role: "row", Window: cells[0].Window, Children: cells}, len(cells)
		}
		all = append(all, first)
		i += n
	}
	return all
}
