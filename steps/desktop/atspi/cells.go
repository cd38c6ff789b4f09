//go:build linux

package atspi

import (
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// A grid is the part of a table that shows. A spreadsheet says that it has all cells
// that it could have, more than can be counted.
type grid struct {
	rows, columns     int32 // of the whole table
	top, left         int32
	bottom, right     int32
	walker            *walker
	table             *node
	level             int
	firstRow          []*node // by column, from left on
	topLeft, botRight object
}

// expandTable reads the cells of a table that show, if it has too many for all to be
// read.
func (w *walker) expandTable(n *node, level int) {
	w.get(n.object, ifaceAccessible, "ChildCount", func(v any) {
		count := as[int32](v)
		if count >= 0 && count <= w.maxRows {
			w.expandAll(n, level)
			return
		}
		if w.noGrids {
			w.grids = append(w.grids, n)
			return
		}
		w.expandGrid(n, level)
	})
}

// readCellsAt reads the cell at a point of the screen of each table whose cells were
// left out.
func (w *walker) readCellsAt(at desktop.Point, roots []frameWindow) error {
	for _, n := range w.grids {
		if pane := n.rootPane(); pane != nil {
			w.askDrift(pane)
		}
	}
	if err := w.run(); err != nil {
		return err
	}
	for _, r := range roots {
		r.frame.each(func(n *node) bool {
			if slices.Contains(w.grids, n) {
				n.note = "at most one cell was read"
				w.askAt(n, r.inNode(n, at), func(o object) {
					w.load(o, n, 0, func(cell *node) { n.children = []*node{cell} })
				})
			}
			return true
		})
	}
	return w.run()
}

// askAt asks a container for the one child at a point, as the application counts.
func (w *walker) askAt(n *node, at desktop.Point, then func(object)) {
	w.want(n.object, ifaceComponent+".GetAccessibleAtPoint", func(b []any) {
		if o := objectOf(first[[]any](b)); !o.none() && o != n.object {
			then(o)
		}
	}, int32(at.X), int32(at.Y), w.boxesFrom())
}

func (w *walker) expandGrid(n *node, level int) {
	g := &grid{walker: w, table: n, level: level}
	sized := w.barrier(3, g.findCorners)
	w.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.rows = as[int32](variant(b)) }, sized), ifaceTable, "NRows")
	w.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.columns = as[int32](variant(b)) }, sized), ifaceTable, "NColumns")
	w.askBox(n, sized)
}

// insets are how far within a table its corners are looked for, one after the other:
// a header or a scroll bar may be at its edges.
var insets = []desktop.Point{{X: 2, Y: 2}, {X: 30, Y: 2}, {X: 2, Y: 30}, {X: 30, Y: 30}, {X: 60, Y: 60}}

// findCorners asks the table what is in its corners.
func (g *grid) findCorners() {
	if g.rows <= 0 || g.columns <= 0 {
		g.note(desktop.Opaque)
		return
	}
	box := g.table.box
	far := desktop.Point{X: box.X + box.W - 1, Y: box.Y + box.H - 1}
	found := g.walker.barrier(2, g.findRange)
	g.findCorner(&g.topLeft, insets, func(in desktop.Point) desktop.Point { return desktop.Point{X: box.X + in.X, Y: box.Y + in.Y} }, found)
	g.findCorner(&g.botRight, insets, func(in desktop.Point) desktop.Point { return desktop.Point{X: far.X - in.X, Y: far.Y - in.Y} }, found)
}

// findCorner looks for a cell at the first of the insets from a corner where one is.
func (g *grid) findCorner(to *object, insets []desktop.Point, from func(in desktop.Point) desktop.Point, then func()) {
	if len(insets) == 0 {
		then()
		return
	}
	at := from(insets[0])
	if !g.table.box.Contains(at) {
		g.findCorner(to, insets[1:], from, then)
		return
	}
	g.walker.ask(g.table.object, ifaceComponent+".GetAccessibleAtPoint", func(b []any, err error) {
		if *to = objectOf(first[[]any](b)); err == nil && !to.none() && *to != g.table.object {
			then()
			return
		}
		*to = object{}
		g.findCorner(to, insets[1:], from, then)
	}, int32(at.X), int32(at.Y), g.walker.boxesFrom())
}

// findRange asks for the rows and columns of the corners. Where nothing is in the
// last, the table ends before it.
func (g *grid) findRange() {
	if g.topLeft.none() {
		g.note(desktop.Opaque)
		return
	}
	found := g.walker.barrier(2, g.readCells)
	g.place(g.topLeft, &g.top, &g.left, found)
	if g.botRight.none() {
		g.bottom, g.right = g.rows-1, g.columns-1
		found()
		return
	}
	g.place(g.botRight, &g.bottom, &g.right, found)
}

// place requests the row and the column of a cell.
func (g *grid) place(cell object, row, column *int32, then func()) {
	w := g.walker
	w.ask(cell, ifaceAccessible+".GetIndexInParent", func(body []any, err error) {
		index := first[int32](body)
		if err != nil || index < 0 {
			then()
			return
		}
		both := w.barrier(2, then)
		w.ask(g.table.object, ifaceTable+".GetRowAtIndex", onSuccess(func(b []any) { *row = first[int32](b) }, both), index)
		w.ask(g.table.object, ifaceTable+".GetColumnAtIndex", onSuccess(func(b []any) { *column = first[int32](b) }, both), index)
	})
}

func (g *grid) note(text string) { g.table.note = text }

// readCells reads the cells that show. Those of a column are alike, so what they are
// is asked of the first only.
func (g *grid) readCells() {
	g.right = min(max(g.right, g.left), g.left+maxRows-1)
	columns := g.right - g.left + 1
	g.bottom = min(max(g.bottom, g.top), g.top+maxRows/columns-1, g.rows-1)
	note := fmt.Sprintf("visible rows %d–%d of %d", g.top+1, g.bottom+1, g.rows)
	if g.right-g.left+1 < g.columns {
		note += fmt.Sprintf(", columns %s–%s of %d", desktop.ColumnName(int(g.left)), desktop.ColumnName(int(g.right)), g.columns)
	}
	g.note(note)
	if most := maxRows / columns; g.walker.hidden && g.columns == columns && g.rows < maxHidden { // also rows above and below
		g.top = max(0, min(g.top, g.rows-most/2)-most/2)
		g.bottom = min(g.rows, g.top+most) - 1
	}
	g.table.children = make([]*node, int(columns)*int(g.bottom-g.top+1), int(columns)*int(g.bottom-g.top+1)+1)
	g.firstRow = make([]*node, columns)
	others := g.walker.barrier(int(columns), func() {
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
	w := g.walker
	w.ask(g.table.object, ifaceTable+".GetAccessibleAt", func(body []any, err error) {
		o := objectOf(first[[]any](body))
		if err != nil || o.none() {
			then()
			return
		}
		like := g.firstRow[column-g.left]
		index := int(row)*int(g.columns) + int(column)
		w.loadLike(o, like, g.table, index, func(cell *node) {
			if like == nil {
				g.firstRow[column-g.left] = cell
			}
			if w.hidden || w.shows(cell) {
				g.table.children[int(row-g.top)*len(g.firstRow)+int(column-g.left)] = cell
			}
		}, then)
	}, row, column)
}

// readHiddenCell reads the cell whose address is asked for, if it does not show.
func (g *grid) readHiddenCell() {
	column, row, ok := desktop.ParseAddress(g.walker.cell)
	shown := int32(row) >= g.top && int32(row) <= g.bottom && int32(column) >= g.left && int32(column) <= g.right
	if !ok || !g.walker.hidden || shown || row >= int(g.rows) || column >= int(g.columns) {
		return
	}
	w := g.walker
	w.want(g.table.object, ifaceTable+".GetAccessibleAt", func(body []any) {
		o := objectOf(first[[]any](body))
		if o.none() {
			return
		}
		w.load(o, g.table, row*int(g.columns)+column, func(cell *node) {
			g.table.children = append(g.table.children, cell)
		})
	}, int32(row), int32(column))
}

// loadLike reads the basics of an object that is of the kind of another, or all of
// them without one. It hands on the node, unless it is gone, and then calls done.
func (w *walker) loadLike(o object, like, parent *node, index int, then func(*node), done func()) {
	n, ok := w.newNode(o, parent, index)
	if !ok {
		done()
		return
	}
	finish := func(n *node) {
		then(n)
		done()
	}
	if n.item != nil {
		w.loadBox(n, finish)
		return
	}
	if like == nil {
		w.ask(o, ifaceAccessible+".GetRole", func(b []any, err error) {
			if err != nil {
				done()
				return
			}
			n.role = first[uint32](b)
			w.askOtherBasics(n, func() { w.loadBox(n, finish) })
		})
		return
	}
	n.role, n.offers = like.role, like.offers
	together := w.barrier(2, func() { w.loadBox(n, finish) })
	w.askName(n, together)
	w.askStates(n, together)
}
