//go:build linux

package atspi

import (
	"fmt"
	"slices"

	"understudy/internal/desktop"
)

// A grid reads the part of a table that shows. A spreadsheet reports all cells
// that it could have, more than can be read.
type grid struct {
	*treeReader
	table         *node
	rows, columns int32 // of the whole table
	top, left     int32
	bottom, right int32
	firstRow      []*node // by column, from left on
}

// expandTable reads the cells of a table that show, if it has too many to read
// all.
func (t *treeReader) expandTable(n *node, level int) {
	most := int32(maxRows)
	if t.scope.Limit > 0 && !t.scope.Hidden {
		most = maxShown
	}
	t.get(n.object, ifaceAccessible, "ChildCount", func(v any) {
		switch count := as[int32](v); {
		case count >= 0 && count <= most:
			t.expandAll(n, level)
		case t.withoutRows:
			t.tables = append(t.tables, n)
		default:
			t.expandGrid(n)
		}
	})
}

// isInGrid reports whether a node is a cell of a table of which only a part was read.
func (n *node) isInGrid() bool {
	return n.parent != nil && n.parent.note != "" && n.parent.offers&offersTable != 0
}

// readCellsAt reads the cell at a point of the screen of each table whose cells were
// left out.
func (t *treeReader) readCellsAt(at desktop.Point, roots []frameWindow) error {
	for _, n := range t.tables {
		if pane := n.rootPane(); pane != nil {
			t.askDrift(pane)
		}
	}
	if err := t.run(); err != nil {
		return err
	}
	for _, r := range roots {
		r.frame.each(func(n *node) bool {
			if slices.Contains(t.tables, n) {
				n.note = "at most one cell was read"
				t.askAt(n, r.inNode(n, at), func(o object) {
					t.load(o, n, 0, func(cell *node) { n.children = []*node{cell} })
				}, func() {})
			}
			return true
		})
	}
	return t.run()
}

// askAt asks a container for the child at a point, in the coordinates of the
// application. It passes the child to found, or else calls missing.
func (l *loader) askAt(n *node, at desktop.Point, found func(object), missing func()) {
	l.ask(n.object, ifaceComponent+".GetAccessibleAtPoint", func(b []any, err error) {
		if o := objectOf(first[[]any](b)); err == nil && !o.none() && o != n.object {
			found(o)
			return
		}
		missing()
	}, int32(at.X), int32(at.Y), l.boxesFrom())
}

func (t *treeReader) expandGrid(n *node) {
	g := &grid{treeReader: t, table: n}
	sized := barrier(3, g.findCorners)
	t.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.rows = as[int32](variant(b)) }, sized), ifaceTable, "NRows")
	t.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.columns = as[int32](variant(b)) }, sized), ifaceTable, "NColumns")
	t.askBox(n, sized)
}

// insets are the distances from a corner of a table at which a cell is looked
// for, one after the other: a header or a scroll bar may be at its edges.
var insets = []desktop.Point{{X: 2, Y: 2}, {X: 30, Y: 2}, {X: 2, Y: 30}, {X: 30, Y: 30}, {X: 60, Y: 60}}

// findCorners asks the table for the cells in two of its corners.
func (g *grid) findCorners() {
	if g.rows <= 0 || g.columns <= 0 {
		g.table.note = desktop.Opaque
		return
	}
	box := g.table.box
	far := desktop.Point{X: box.X + box.W - 1, Y: box.Y + box.H - 1}
	var topLeft, botRight object
	found := barrier(2, func() { g.findRange(topLeft, botRight) })
	g.findCorner(&topLeft, insets, func(in desktop.Point) desktop.Point { return desktop.Point{X: box.X + in.X, Y: box.Y + in.Y} }, found)
	g.findCorner(&botRight, insets, func(in desktop.Point) desktop.Point { return desktop.Point{X: far.X - in.X, Y: far.Y - in.Y} }, found)
}

// findCorner looks for a cell at the first of the insets from a corner where
// there is one.
func (g *grid) findCorner(to *object, insets []desktop.Point, from func(in desktop.Point) desktop.Point, then func()) {
	if len(insets) == 0 {
		then()
		return
	}
	next := func() { g.findCorner(to, insets[1:], from, then) }
	at := from(insets[0])
	if !g.table.box.Contains(at) {
		next()
		return
	}
	g.askAt(g.table, at, func(o object) {
		*to = o
		then()
	}, next)
}

// findRange asks for the rows and columns of the corners. Without a cell in the
// last one, the table ends before it.
func (g *grid) findRange(topLeft, botRight object) {
	if topLeft.none() {
		g.table.note = desktop.Opaque
		return
	}
	found := barrier(2, g.readCells)
	g.place(topLeft, &g.top, &g.left, found)
	if botRight.none() {
		g.bottom, g.right = g.rows-1, g.columns-1
		found()
		return
	}
	g.place(botRight, &g.bottom, &g.right, found)
}

// place requests the row and the column of a cell.
func (g *grid) place(cell object, row, column *int32, then func()) {
	g.ask(cell, ifaceAccessible+".GetIndexInParent", func(body []any, err error) {
		index := first[int32](body)
		if err != nil || index < 0 {
			then()
			return
		}
		both := barrier(2, then)
		g.ask(g.table.object, ifaceTable+".GetRowAtIndex", onSuccess(func(b []any) { *row = first[int32](b) }, both), index)
		g.ask(g.table.object, ifaceTable+".GetColumnAtIndex", onSuccess(func(b []any) { *column = first[int32](b) }, both), index)
	})
}

// readCells reads the cells that show. The cells of a column have the same role
// and interfaces, so only the first is asked for them.
func (g *grid) readCells() {
	g.right = min(max(g.right, g.left), g.left+maxRows-1)
	columns := g.right - g.left + 1
	g.bottom = min(max(g.bottom, g.top), g.top+maxRows/columns-1, g.rows-1)
	note := fmt.Sprintf("visible rows %d–%d of %d", g.top+1, g.bottom+1, g.rows)
	if g.right-g.left+1 < g.columns {
		note += fmt.Sprintf(", columns %s–%s of %d", desktop.ColumnName(int(g.left)), desktop.ColumnName(int(g.right)), g.columns)
	}
	g.table.note = note
	if most := maxRows / columns; g.scope.Hidden && g.columns == columns && g.rows < maxHidden { // also rows above and below
		g.top = max(0, min(g.top, g.rows-most/2)-most/2)
		g.bottom = min(g.rows, g.top+most) - 1
	}
	g.table.children = make([]*node, int(columns)*int(g.bottom-g.top+1), int(columns)*int(g.bottom-g.top+1)+1)
	g.firstRow = make([]*node, columns)
	others := barrier(int(columns), func() {
		for row := g.top + 1; row <= g.bottom; row++ {
			for column := g.left; column <= g.right; column++ {
				g.readCell(row, column, func() {})
			}
		}
	})
	for column := g.left; column <= g.right; column++ {
		g.readCell(g.top, column, others)
	}
	g.readHiddenCell()
}

// readCell reads one cell, and calls then in any case.
func (g *grid) readCell(row, column int32, then func()) {
	g.ask(g.table.object, ifaceTable+".GetAccessibleAt", func(body []any, err error) {
		o := objectOf(first[[]any](body))
		if err != nil || o.none() {
			then()
			return
		}
		like := g.firstRow[column-g.left]
		index := int(row)*int(g.columns) + int(column)
		g.loadLike(like, o, g.table, index, func(cell *node) {
			if like == nil {
				g.firstRow[column-g.left] = cell
			}
			if g.scope.Hidden || g.shows(cell) {
				g.table.children[int(row-g.top)*len(g.firstRow)+int(column-g.left)] = cell
				if cell.name == "" && g.signalsChanges() { // GTK 3 draws an icon and a name in one
					g.expandAll(cell, 1)
				}
			}
		}, then)
	}, row, column)
}

// readHiddenCell reads the cell with the address of the scope, if it does not
// show.
func (g *grid) readHiddenCell() {
	column, row, ok := desktop.ParseAddress(g.scope.Cell)
	shown := int32(row) >= g.top && int32(row) <= g.bottom && int32(column) >= g.left && int32(column) <= g.right
	if !ok || !g.scope.Hidden || shown || row >= int(g.rows) || column >= int(g.columns) {
		return
	}
	g.want(g.table.object, ifaceTable+".GetAccessibleAt", func(body []any) {
		o := objectOf(first[[]any](body))
		if o.none() {
			return
		}
		g.load(o, g.table, row*int(g.columns)+column, func(cell *node) {
			g.table.children = append(g.table.children, cell)
		})
	}, int32(row), int32(column))
}
