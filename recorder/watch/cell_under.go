package watch

import (
	"context"

	"understudy/recorder"
	"understudy/steps/desktop"
)

// cellAt is the cell of a sheet at a point, when it is still as it was in the tree
// that serves; nil otherwise. A hit test asks each bar and button around the sheet, some
// four hundred calls, and keeps the program from the keys that follow.
func (r *recording) cellAt(ctx context.Context, at desktop.Point) *desktop.Element {
	windows, err := r.desktop.Windows(ctx)
	if err != nil {
		return nil
	}
	w := windows.PressedAt(at)
	if w == nil || w.Popup || !r.view.holds(w.PID) {
		return nil
	}
	cell := r.shownCell(w.ID, at)
	if cell == nil || r.edits(cell) {
		return nil
	}
	now, err := r.desktop.Refresh(ctx, cell.Handle)
	if err != nil || now.Role != cell.Role || now.Name != cell.Name || now.Bounds != cell.Bounds || !now.States.Has(desktop.Showing) {
		return nil
	}
	return now
}

// shownCell is the cell of a sheet at a point in the tree that was read last, or nil.
func (r *recording) shownCell(in desktop.WindowID, at desktop.Point) (cell *desktop.Element) {
	walk(r.view.roots, func(e *desktop.Element) {
		if isSheetCell(e) && e.Window == in && e.Bounds.Contains(at) {
			cell = e
		}
	})
	return cell
}

// isSheetCell reports whether an element is a cell of a table of which only the part
// that shows was read.
func isSheetCell(e *desktop.Element) bool {
	return e.Role == "cell" && e.Parent != nil && e.Parent.Note != ""
}

// edits reports whether the field in which a cell is edited, which lies over it, has
// the keyboard.
func (r *recording) edits(cell *desktop.Element) bool {
	t := r.focus.of(r.focus.now)
	return t != nil && t.Role == "cell" && t.Name == cell.Name && r.focus.handle != cell.Handle
}

// isEdited reports whether an element is the field in which the last cell is edited. That
// is where the cell is, but says another place while it comes up.
func (r *recording) isEdited(e *desktop.Element) bool {
	t := r.focus.of(r.focus.now)
	if t == nil || t.Role != "cell" || e.Role != "paragraph" || t.Window != e.Window {
		return false
	}
	return r.focus.certain || t.Bounds.Contains(desktop.Point{X: e.Bounds.X + 1, Y: e.Bounds.Center().Y})
}

// cellUnder is the cell of a sheet that is edited in a field which is there only
// meanwhile, and lies over the cell.
func cellUnder(t *recorder.Seen, roots []*desktop.Element) (cell *desktop.Element) {
	if t.Role != "paragraph" {
		return nil
	}
	walk(roots, func(e *desktop.Element) {
		if e.Role == "cell" && e.States.Has(desktop.Focused) && e.Window == t.Window {
			cell = e
		}
	})
	return cell
}

// isSheet reports whether an element is a table that takes text, which goes into one of
// its cells.
func isSheet(e *desktop.Element) bool {
	return e != nil && e.Role == "table" && e.States.Has(desktop.Editable)
}

// cellOfSheet is the cell that has the keyboard, if that is said of its sheet, as it is
// when the editing of a cell has ended; nil when it is not known.
func (r *recording) cellOfSheet(ctx context.Context, sheet *desktop.Element) *desktop.Element {
	if cell := r.cellNearFocus(ctx, sheet); cell != nil {
		return cell
	}
	if sheet = find(r.readProgram(ctx, sheet), sheet.Handle); sheet == nil {
		return nil
	}
	for _, cell := range sheet.Children {
		if cell.States.Has(desktop.Focused) {
			return cell
		}
	}
	return nil
}

// cellNearFocus is the cell of a sheet that has the keyboard if that is the last one or
// next to it, or nil. While its editing begins, the last one does not say so.
func (r *recording) cellNearFocus(ctx context.Context, sheet *desktop.Element) *desktop.Element {
	t := r.focus.of(r.focus.now)
	if t == nil || t.Role != "cell" || t.Window != sheet.Window {
		return nil
	}
	if r.focus.certain {
		return &t.Element
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	b, mid := t.Bounds, t.Bounds.Center()
	for _, at := range []desktop.Point{{X: mid.X, Y: b.Y + b.H + 1}, {X: b.X + b.W + 1, Y: mid.Y}, {X: mid.X, Y: b.Y - 1}, {X: b.X - 1, Y: mid.Y}, mid} {
		cell := r.shownCell(t.Window, at)
		if cell == nil {
			continue
		}
		if e, err := r.desktop.Refresh(ctx, cell.Handle); err == nil && e.Bounds == cell.Bounds && e.States.Has(desktop.Focused) {
			e.Handle = cell.Handle
			return e
		}
	}
	return nil
}
