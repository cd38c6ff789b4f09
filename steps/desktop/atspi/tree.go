//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"understudy/steps/desktop"
)

// An appTree is what was read of one application.
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
	l, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	windows, err := c.windows(ctx)
	if err != nil {
		return nil, err
	}
	var parts []appTree
	if s.Root != "" {
		parts, err = c.readBelow(ctx, l, windows, s)
	} else {
		parts, err = c.readAll(ctx, l, windows, s)
	}
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, namingProgram(unread(parts), err)
	}
	return c.assemble(l, parts, windows, s), nil
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
func (c *Client) readAll(ctx context.Context, l *busConn, windows desktop.Windows, s desktop.Scope) ([]appTree, error) {
	apps, err := c.applications(ctx, l)
	if err != nil {
		return nil, err
	}
	apps = slices.DeleteFunc(apps, func(a *application) bool { return !mayHold(a, windows, s) })
	parts := make([]appTree, len(apps))
	var wg sync.WaitGroup
	for i, a := range apps {
		wg.Go(func() { parts[i] = c.readPart(ctx, l, a, windows, s) })
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
func mayHold(a *application, windows desktop.Windows, s desktop.Scope) bool {
	if s.PID != 0 && a.pid != s.PID {
		return false
	}
	w := windows.ByID(s.Window)
	return s.Window == 0 || w == nil || w.PID == 0 || w.PID == a.pid
}

// readPart reads what a scope includes of one application.
func (c *Client) readPart(ctx context.Context, l *busConn, a *application, windows desktop.Windows, s desktop.Scope) appTree {
	r := appTree{app: a}
	named := s.Process != "" && (a.called(s.Process) || runs(windows, a.pid, s.Process))
	if s.Process != "" && !named {
		if a.toolkitName() == "" { // then its name is unknown too
			r.err = a.greet(ctx, l, min(greetTimeout, c.options.Timeout), false)
		}
		if !a.called(s.Process) {
			return r
		}
	}
	w, done, err := c.visit(ctx, l, a, named || s.PID != 0 || s.Window != 0, visitItems)
	if err != nil {
		r.err = err
		return r
	}
	defer done()
	frames, err := w.framesIn(windows)
	if err != nil {
		r.err = err
		return r
	}
	for _, f := range w.matchWindows(frames, windows) {
		if f.in(s) && (s.Hidden || w.shows(f.frame)) {
			r.roots = append(r.roots, f)
		} else {
			w.omit(f.frame, 1)
		}
	}
	r.err = w.read(r.roots, s)
	r.omitted = w.omitted
	return r
}

// runs reports whether the window system knows a process by a name.
func runs(windows desktop.Windows, pid int, process string) bool {
	return slices.ContainsFunc(windows, func(w desktop.Window) bool {
		return w.PID == pid && desktop.IsCalled(process, w.PID, w.Process, w.Aliases)
	})
}

// A visitMode is how an application is prepared for a walk.
type visitMode int

const (
	visitUngreeted    visitMode = iota // little is read, without waiting for the greeting
	visitWithoutItems                  // little is read, one by one
	visitCachedItems                   // like visitItems where items are cached and cheap, else without
	visitCheapItems                    // like visitItems unless items are not cheap
	visitItems                         // much is read: fetch the items first
)

// visit greets an application and prepares a walk over it.
func (c *Client) visit(ctx context.Context, l *busConn, a *application, asked bool, t visitMode) (*walker, context.CancelFunc, error) {
	wait := min(greetTimeout, c.options.Timeout)
	if asked {
		wait = c.options.Timeout
	}
	ctx, cancel := context.WithCancel(ctx) // also ends calls in flight after the visit
	known := a.toolkitName() != "" && a.unresponsiveUntil() == nil
	if !known || t != visitUngreeted {
		if err := a.greet(ctx, l, wait, asked); err != nil {
			cancel()
			return nil, nil, err
		}
	}
	w := c.newWalker(ctx, l, a)
	if t == visitItems || t == visitCheapItems && a.itemsCheap() || t == visitCachedItems && a.signalsChanges() && a.itemsCheap() {
		var err error
		if w.items, err = c.items(ctx, l, w); err != nil {
			cancel()
			return nil, nil, err
		}
	}
	return w, cancel, nil
}

// items fetches the items of an application. While they are cached, signals
// must say what moves.
func (c *Client) items(ctx context.Context, l *busConn, w *walker) (items, error) {
	if w.app.signalsChanges() {
		done, err := l.bounds.acquire(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	return w.app.fetchItems(w.pipeline, c.signals)
}

// newWalker returns a walker over an application whose toolkit is known.
func (c *Client) newWalker(ctx context.Context, l *busConn, a *application) *walker {
	p := newPipeline(ctx, a.directConn(ctx, l, c.options.Timeout), c.options.Timeout)
	p.program = a.process
	w := newWalker(p, a)
	w.placeless = c.options.Placeless
	return w
}

// read reads what is below the roots, as far as the scope allows.
func (w *walker) read(roots []frameWindow, s desktop.Scope) error {
	w.hidden, w.depth, w.cell = s.Hidden, s.Depth, s.Cell
	if s.Limit > 0 && !s.Hidden {
		w.maxRows = maxShown
	}
	w.noGrids = s.CellAt != nil
	for _, r := range roots {
		w.expand(r.frame, 1)
	}
	if err := w.run(); err != nil {
		return err
	}
	if s.CellAt != nil {
		if err := w.readCellsAt(*s.CellAt, roots); err != nil {
			return err
		}
	}
	for _, r := range roots {
		if err := w.oneMenuBar(r.frame); err != nil {
			return err
		}
		if w.app.losesPaddings() {
			w.addPaddings(r.frame)
		}
		w.rememberPopovers(r)
		r.frame.each(func(n *node) bool { w.askRole(n); return true })
	}
	if !s.Full || s.Of != "" {
		if err := w.run(); err != nil || !s.Full {
			return err
		}
	}
	for _, r := range roots {
		left := s.Limit // per root: their order is not known yet
		r.frame.each(func(n *node) bool {
			if s.Of == "" || roleOf(n.rawRole()) == s.Of {
				w.askDetails(n)
				w.askDrift(n)
			}
			left--
			return left != 0 // never 0 without a limit
		})
	}
	if err := w.run(); err != nil || s.Of != "" {
		return err
	}
	for _, r := range roots {
		w.askLabels(r.frame)
	}
	if err := w.run(); err != nil {
		return err
	}
	for _, r := range roots {
		labelByPlace(r.frame)
	}
	return nil
}

// oneMenuBar drops the menu bars of a frame that have no size if another has
// one: LibreOffice has its own beside the toolkit's.
func (w *walker) oneMenuBar(frame *node) error {
	var bars []*node
	frame.each(func(n *node) bool {
		if roleName(n.role) == "menu bar" && n.parent != nil {
			bars = append(bars, n)
		}
		return true
	})
	if len(bars) < 2 || w.hidden {
		return nil
	}
	for _, b := range bars {
		w.askBox(b, func() {})
	}
	if err := w.run(); err != nil {
		return err
	}
	hollow := func(n *node) bool { return n.box.Empty() && slices.Contains(bars, n) }
	if !slices.ContainsFunc(bars, func(b *node) bool { return !hollow(b) }) {
		return nil
	}
	for _, b := range bars {
		if hollow(b) {
			b.each(func(*node) bool { w.omitted++; return true })
			b.parent.children = slices.DeleteFunc(b.parent.children, hollow)
		}
	}
	return nil
}

func (c *Client) readBelow(ctx context.Context, l *busConn, windows desktop.Windows, s desktop.Scope) ([]appTree, error) {
	mode := visitItems
	if s.CellAt != nil {
		mode = visitWithoutItems
	}
	p, w, done, err := c.enter(ctx, l, s.Root, mode)
	if err != nil {
		return nil, err
	}
	defer done()
	home, err := w.frameOfHandle(p, windows)
	if err != nil {
		return nil, err
	}
	if p.path != p.frame {
		if home.frame, err = w.loadAlone(p.object); err != nil {
			return nil, err
		}
	}
	if err := w.findRootPane(home.frame); err != nil {
		return nil, err
	}
	roots := []frameWindow{home}
	if err := w.read(roots, s); err != nil {
		return nil, err
	}
	return []appTree{{app: w.app, roots: roots, omitted: w.omitted}}, nil
}

// enter begins a walk in the application of a handle.
func (c *Client) enter(ctx context.Context, l *busConn, h desktop.Handle, t visitMode) (handleParts, *walker, context.CancelFunc, error) {
	p, err := parseHandle(h)
	if err != nil {
		return handleParts{}, nil, nil, err
	}
	if p.epoch != l.epoch {
		return handleParts{}, nil, nil, fmt.Errorf("%w: the accessibility bus was started again since", desktop.ErrNotFound)
	}
	a, err := c.application(ctx, l, p.bus)
	if err != nil {
		return handleParts{}, nil, nil, err
	}
	w, done, err := c.visit(ctx, l, a, true, t)
	if err != nil {
		return handleParts{}, nil, nil, err
	}
	return p, w, done, nil
}

// frameOfHandle returns the frame that a handle names, with its window.
func (w *walker) frameOfHandle(p handleParts, windows desktop.Windows) (frameWindow, error) {
	frames, err := w.framesIn(windows)
	if err != nil {
		return frameWindow{}, err
	}
	list := w.matchWindows(frames, windows)
	i := slices.IndexFunc(list, func(f frameWindow) bool { return f.frame.path == p.frame })
	if i < 0 {
		return frameWindow{}, fmt.Errorf("%w: its window is closed", desktop.ErrNotFound)
	}
	return list[i], nil
}
