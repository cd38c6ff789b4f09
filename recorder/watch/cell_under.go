package watch

import (
	"context"
	"slices"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// cellAt returns the cell at a point of a sheet in the current tree, or nil. A hit test would need
// some four hundred calls around the sheet, and delay the keys that follow.
func (p *pointer) cellAt(ctx context.Context, at desktop.Point) *desktop.Element {
	windows, err := p.desktop.Windows(ctx)
	if err != nil {
		return nil
	}
	w := windows.PressedAt(at)
	if w == nil || w.Popup || !p.view.holds(w.PID) {
		return nil
	}
	if cell := p.readCell(ctx, w.ID, at); cell != nil && !p.keys.edits(cell) {
		return cell
	}
	return nil
}

// readCell reads the cell at a point of a sheet in the last tree, or nil.
func (r *reader) readCell(ctx context.Context, in desktop.WindowID, at desktop.Point) *desktop.Element {
	sheet := findLast(r.view.roots, func(e *desktop.Element) bool { return isPartlyRead(e) && e.Window == in && e.Bounds.Contains(at) })
	if sheet == nil {
		return nil
	}
	tree, err := r.desktop.Tree(ctx, desktop.Scope{Root: sheet.Handle, CellAt: &at, Full: true, Of: "cell"})
	if err != nil || len(tree.Roots) != 1 || len(tree.Roots[0].Children) != 1 {
		return nil
	}
	cell := tree.Roots[0].Children[0]
	if !cell.Bounds.Contains(at) || !cell.States.Has(desktop.Showing) {
		return nil
	}
	return keepCell(sheet, cell)
}

// keepCell adds a cell to the tree of its sheet, or updates it under its old handle.
func keepCell(sheet, cell *desktop.Element) *desktop.Element {
	cell.Parent = sheet
	i := slices.IndexFunc(sheet.Children, func(e *desktop.Element) bool { return e.Name == cell.Name })
	if i < 0 {
		sheet.Children = append(sheet.Children, cell)
		return cell
	}
	known := sheet.Children[i]
	cell.Handle = known.Handle
	*known = *cell
	return known
}

// isSheetCell reports whether an element is a cell of a partly read table.
func isSheetCell(e *desktop.Element) bool {
	return e.Role == "cell" && e.Parent != nil && e.Parent.Note != ""
}

// isPartlyRead reports whether an element is a sheet that has more cells than were read.
func isPartlyRead(e *desktop.Element) bool { return isSheet(e) && e.Note != "" }

// severalSheets reports whether there is more than one sheet.
func severalSheets(tree *desktop.Tree) bool {
	n := 0
	walk(tree.Roots, func(e *desktop.Element) {
		if isPartlyRead(e) {
			n++
		}
	})
	return n > 1
}

// edits reports whether the editor of a cell, which lies over it, has the focus.
func (f *focus) edits(cell *desktop.Element) bool {
	t := f.of(f.now)
	return t != nil && t.Role == "cell" && t.Name == cell.Name && f.handle != cell.Handle
}

// isEdited reports whether an element is the editor of the last cell, wherever it shows.
func (f *focus) isEdited(e *desktop.Element) bool {
	t := f.of(f.now)
	if t == nil || t.Role != "cell" || e.Role != "paragraph" || t.Window != e.Window {
		return false
	}
	return f.certain || t.Bounds.Contains(desktop.Point{X: e.Bounds.X + 1, Y: e.Bounds.Center().Y})
}

// cellUnder returns the cell of a sheet below the temporary field in which it is edited.
func (k *keyboard) cellUnder(ctx context.Context, t *recorder.Seen) *desktop.Element {
	if t.Role != "paragraph" {
		return nil
	}
	sheet := findLast(k.view.roots, func(e *desktop.Element) bool { return isPartlyRead(e) && e.Window == t.Window })
	if sheet == nil {
		return nil
	}
	return k.cellOfSheet(ctx, sheet)
}

// isSheet reports whether an element is a table whose cells take text.
func isSheet(e *desktop.Element) bool {
	return e != nil && e.Role == "table" && e.States.Has(desktop.Editable)
}

// cellOfSheet returns the cell that has the focus when the sheet reports it, as after editing; or nil.
func (k *keyboard) cellOfSheet(ctx context.Context, sheet *desktop.Element) *desktop.Element {
	if cell := k.cellNearFocus(ctx, sheet); cell != nil {
		return cell
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeout(maxTreeTimeout))
	defer cancel()
	tree, err := k.desktop.Tree(ctx, desktop.Scope{Root: sheet.Handle})
	if err != nil || len(tree.Roots) != 1 {
		return nil
	}
	cells := tree.Roots[0].Children
	i := slices.IndexFunc(cells, func(e *desktop.Element) bool { return e.States.Has(desktop.Focused) })
	if i < 0 {
		return nil
	}
	cell, err := k.desktop.Refresh(ctx, cells[i].Handle)
	if err != nil {
		return nil
	}
	if sheet = find(k.view.roots, sheet.Handle); sheet != nil {
		return keepCell(sheet, cell)
	}
	return cell
}

// cellNearFocus returns the focused cell if it is the last one or a neighbour, or nil. When editing
// begins, the last cell does not report the focus.
func (k *keyboard) cellNearFocus(ctx context.Context, sheet *desktop.Element) *desktop.Element {
	t := k.focus.of(k.focus.now)
	if t == nil || t.Role != "cell" || t.Window != sheet.Window {
		return nil
	}
	if k.focus.certain {
		return &t.Element
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeout(focusTimeout))
	defer cancel()
	b, mid := t.Bounds, t.Bounds.Center()
	for _, at := range []desktop.Point{{X: mid.X, Y: b.Y + b.H + 1}, {X: b.X + b.W + 1, Y: mid.Y}, {X: mid.X, Y: b.Y - 1}, {X: b.X - 1, Y: mid.Y}, mid} {
		if cell := k.readCell(ctx, t.Window, at); cell != nil && cell.States.Has(desktop.Focused) {
			return cell
		}
	}
	return nil
}
