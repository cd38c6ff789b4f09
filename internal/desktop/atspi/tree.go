//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"understudy/internal/desktop"
)

// An appTree is the part of a tree that was read of one application.
type appTree struct {
	app     *application
	roots   []frameWindow
	omitted int
	err     error
}

// Tree reads the elements in a scope, the topmost window first. Omitted counts
// what is known to have been left out; below an element that does not show,
// only some toolkits report how much there is. An application that timed out is
// in Unread; it is an error only if the scope is one of its elements.
func (c *Client) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	q, err := c.queryWindows(ctx)
	if err != nil {
		return nil, err
	}
	read := q.readAll
	if s.Root != "" {
		read = q.readBelow
	}
	parts, err := read(s)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, namingProgram(unread(parts), err)
	}
	return q.assemble(parts, s), nil
}

// unread names the programs that were not read completely.
func unread(parts []appTree) string {
	var names []string
	for _, p := range parts {
		if p.err != nil {
			names = append(names, p.app.process)
		}
	}
	return strings.Join(names, ", ")
}

// readAll reads every application of a scope concurrently.
func (q *query) readAll(s desktop.Scope) ([]appTree, error) {
	apps, err := q.applications()
	if err != nil {
		return nil, err
	}
	apps = slices.DeleteFunc(apps, func(a *application) bool { return !q.mayHold(a, s) })
	parts := make([]appTree, len(apps))
	var wg sync.WaitGroup
	for i, a := range apps {
		wg.Go(func() { parts[i] = q.readPart(a, s) })
	}
	wg.Wait()
	for _, p := range parts {
		if errors.Is(p.err, desktop.ErrUnavailable) {
			return nil, p.err
		}
	}
	return parts, nil
}

// mayHold reports whether a scope may include an application, as far as is
// known without calling it.
func (q *query) mayHold(a *application, s desktop.Scope) bool {
	if s.PID != 0 && a.pid != s.PID {
		return false
	}
	w := q.windows.ByID(s.Window)
	return s.Window == 0 || w == nil || w.PID == 0 || w.PID == a.pid
}

// readPart reads the elements of one application that are in a scope.
func (q *query) readPart(a *application, s desktop.Scope) appTree {
	r := appTree{app: a}
	named := s.Process != "" && (a.called(s.Process) || q.runs(a.pid, s.Process))
	if s.Process != "" && !named {
		if a.toolkit().name == "" { // then its name is unknown too
			r.err = a.greet(q.ctx, q.bus, min(greetTimeout, q.client.options.Timeout), false)
		}
		if !a.called(s.Process) {
			return r
		}
	}
	w, err := q.visit(a, named || s.PID != 0 || s.Window != 0, visitItems)
	if err != nil {
		r.err = err
		return r
	}
	defer w.end()
	frames, err := w.placedFrames()
	if err != nil {
		r.err = err
		return r
	}
	t := treeReader{walker: w, scope: s}
	for _, f := range frames {
		if f.in(s) && (s.Hidden || w.shows(f.frame)) {
			r.roots = append(r.roots, f)
		} else {
			t.omit(f.frame, 1)
		}
	}
	r.err = t.read(r.roots)
	r.omitted = w.omitted
	return r
}

// runs reports whether the window system knows a process by a name.
func (q *query) runs(pid int, process string) bool {
	return slices.ContainsFunc(q.windows, func(w desktop.Window) bool {
		return w.PID == pid && desktop.IsCalled(process, w.PID, w.Process, w.Aliases)
	})
}

// readBelow reads the elements below one element.
func (q *query) readBelow(s desktop.Scope) ([]appTree, error) {
	mode := visitItems
	if s.CellAt != nil {
		mode = visitWithoutItems
	}
	p, w, err := q.enter(s.Root, mode)
	if err != nil {
		return nil, err
	}
	defer w.end()
	home, err := w.frameOfHandle(p)
	if err != nil {
		return nil, err
	}
	if p.object != p.frame {
		if home.frame, err = w.loadAlone(p.object); err != nil {
			return nil, err
		}
	}
	if err := w.findRootPane(home.frame, p); err != nil {
		return nil, err
	}
	roots := []frameWindow{home}
	t := treeReader{walker: w, scope: s}
	if err := t.read(roots); err != nil {
		return nil, err
	}
	return []appTree{{app: w.app, roots: roots, omitted: w.omitted}}, nil
}

// frameOfHandle returns the frame that a handle names, with its window.
func (w *walker) frameOfHandle(p handleParts) (frameWindow, error) {
	frames, err := w.placedFrames()
	if err != nil {
		return frameWindow{}, err
	}
	i := slices.IndexFunc(frames, func(f frameWindow) bool { return f.frame.object == p.frame })
	if i < 0 {
		return frameWindow{}, fmt.Errorf("%w: its window is closed", desktop.ErrNotFound)
	}
	return frames[i], nil
}

// A treeReader reads the descendants of nodes, as far as a scope includes them.
type treeReader struct {
	*walker
	scope       desktop.Scope
	withoutRows bool    // leave out the cells of tables with too many
	tables      []*node // those tables
}

// read reads what is below the roots.
func (t *treeReader) read(roots []frameWindow) error {
	s := t.scope
	t.withoutRows = s.CellAt != nil
	for _, r := range roots {
		t.expand(r.frame, 1)
	}
	if err := t.run(); err != nil {
		return err
	}
	if s.CellAt != nil {
		if err := t.readCellsAt(*s.CellAt, roots); err != nil {
			return err
		}
	}
	for _, r := range roots {
		if err := t.keepOneMenuBar(r.frame); err != nil {
			return err
		}
		if t.losesPaddings() {
			t.addPaddings(r.frame)
		}
		t.rememberPopovers(r)
		r.frame.each(func(n *node) bool {
			n.askRole(t.pipeline)
			if s.IDs && !s.Full {
				t.askIdentity(n)
			}
			return true
		})
	}
	if !s.Full || s.Of != "" {
		if err := t.run(); err != nil || !s.Full {
			return err
		}
	}
	for _, r := range roots {
		left := s.Limit // per root: their order is not known yet
		r.frame.each(func(n *node) bool {
			if s.Of == "" || roleOf(n.rawRole()) == s.Of {
				t.askDetails(n, maxText)
				t.askDrift(n)
			}
			if !n.isInGrid() { // if it is blank, it will not count
				left--
			}
			return left != 0 // never 0 without a limit
		})
	}
	if err := t.run(); err != nil || s.Of != "" {
		return err
	}
	for _, r := range roots {
		r.frame.askLabels(t.pipeline)
	}
	if err := t.run(); err != nil {
		return err
	}
	for _, r := range roots {
		labelByPlace(r.frame)
	}
	return nil
}

// expand reads the descendants of a node at a level, the first being 1.
func (t *treeReader) expand(n *node, level int) {
	if t.scope.Depth > 0 && level >= t.scope.Depth || level >= maxDepth {
		t.omit(n, 0)
		return
	}
	if has(n.states, bitManagesDescendants) && n.offers&offersTable != 0 && (n.item == nil || !n.item.complete) {
		t.expandTable(n, level)
		return
	}
	t.expandAll(n, level)
}

// expandAll reads all children of a node and their descendants.
func (t *treeReader) expandAll(n *node, level int) {
	t.list(n, func(kids []object) {
		n.leaf = len(kids) == 0 || n.class == "GtkTreeView" // which reports nothing but its headers
		n.children = make([]*node, len(kids))               // nil is left out; see compact
		for i, k := range kids {
			if it := t.items[k.path]; it != nil && it.bus == k.bus && !it.shows && !t.scope.Hidden && !t.relative() {
				t.omitted += 1 + it.descendants // most of a long list: skip making a node
				continue
			}
			t.load(k, n, i, func(child *node) {
				if !t.scope.Hidden && !t.shows(child) {
					t.omit(child, 1)
					return
				}
				n.children[i] = child
				t.expand(child, level+levels(child))
			})
		}
	})
}

// levels returns how many levels of a scope's depth a node takes: none if it is
// merely a container.
func levels(n *node) int {
	if n.name == "" && n.desktopRole().Holds() {
		return 0
	}
	return 1
}

// omit counts a node that is left out and its known descendants.
func (t *treeReader) omit(n *node, self int) {
	t.omitted += self
	if n.item != nil {
		t.omitted += n.item.descendants
	}
}

// keepOneMenuBar drops the menu bars of a frame that have no size if another has
// one: LibreOffice has its own beside the toolkit's.
func (t *treeReader) keepOneMenuBar(frame *node) error {
	var bars []*node
	frame.each(func(n *node) bool {
		if roleName(n.role) == "menu bar" && n.parent != nil {
			bars = append(bars, n)
		}
		return true
	})
	if len(bars) < 2 || t.scope.Hidden {
		return nil
	}
	for _, b := range bars {
		t.askBox(b, func() {})
	}
	if err := t.run(); err != nil {
		return err
	}
	hollow := func(n *node) bool { return n.box.Empty() && slices.Contains(bars, n) }
	if !slices.ContainsFunc(bars, func(b *node) bool { return !hollow(b) }) {
		return nil
	}
	for _, b := range bars {
		if hollow(b) {
			b.each(func(*node) bool { t.omitted++; return true })
			b.parent.children = slices.DeleteFunc(b.parent.children, hollow)
		}
	}
	return nil
}
