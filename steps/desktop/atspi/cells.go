//go:build linux

package atspi

import (
	"fmt"

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
		if count >= 0 && count <= maxRows {
			w.expandAll(n, level)
			return
		}
		g := &grid{walker: w, table: n, level: level}
		sized := w.barrier(3, g.findCorners)
		w.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.rows = as[int32](variant(b)) }, sized), ifaceTable, "NRows")
		w.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { g.columns = as[int32](variant(b)) }, sized), ifaceTable, "NColumns")
		w.askBox(n, sized)
	})
}

// edge is how far within a table its corners are looked for.
const edge = 2

// findCorners asks the table what is in its corners.
func (g *grid) findCorners() {
	box := g.table.box
	if g.rows <= 0 || g.columns <= 0 || box.W <= 2*edge || box.H <= 2*edge {
		g.note("its rows cannot be told: use keys")
		return
	}
	found := g.walker.barrier(2, g.findRange)
	at := func(x, y int, to *object) {
		g.walker.ask(g.table.object, ifaceComponent+".GetAccessibleAtPoint", onSuccess(func(b []any) { *to = objectOf(first[[]any](b)) }, found), int32(x), int32(y), g.walker.boxesFrom())
	}
	at(box.X+edge, box.Y+edge, &g.topLeft)
	at(box.X+box.W-1-edge, box.Y+box.H-1-edge, &g.botRight)
}

// findRange asks for the rows and columns of the corners. Where nothing is in the
// last, the table ends before it.
func (g *grid) findRange() {
	if g.topLeft.none() {
		g.note("its rows cannot be told: use keys")
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
	g.note(fmt.Sprintf("visible rows %d–%d of %d, columns %s–%s of %d", g.top+1, g.bottom+1, g.rows, desktop.ColumnName(int(g.left)), desktop.ColumnName(int(g.right)), g.columns))
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
