package watch

import (
	"cmp"
	"context"
	"maps"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

const (
	// treeTimeout bounds reading a program's tree, on which selectors are tried. It is
	// doubled for a program that takes longer, up to maxTreeTimeout.
	treeTimeout    = 400 * time.Millisecond
	maxTreeTimeout = 8 * treeTimeout
	// viewCostFactor times the duration of a read is how long a tree stays valid for
	// elements that have not changed: what is slow to read is read less often.
	viewCostFactor = 10
	// slowView is the duration of a read from which a tree stays valid longer.
	slowView, slowViewFactor = 150 * time.Millisecond, 3 * viewCostFactor
)

// programView is the tree of a program as it was last read.
type programView struct {
	pid   int
	roots []*desktop.Element
	when  time.Time
	took  time.Duration
	stale bool // windows came or went since, or something was scrolled
}

// serves reports whether the tree is of a process and recent enough.
func (v *programView) serves(pid int) bool {
	factor := time.Duration(viewCostFactor)
	if v.took > slowView {
		factor = slowViewFactor
	}
	return v.holds(pid) && time.Since(v.when) <= factor*v.took
}

// holds reports whether the tree is of a process, and not stale.
func (v *programView) holds(pid int) bool { return !v.stale && v.pid == pid }

// shows reports whether the tree has an element as it is now.
func (v *programView) shows(e *desktop.Element) bool {
	if !v.holds(e.PID) {
		return false
	}
	known := same(v.roots, e)
	if known == nil || !isSheetCell(known) && !v.serves(e.PID) || known.Role != e.Role || known.Name != e.Name || known.Bounds != e.Bounds {
		return false
	}
	known.Text, known.Value = e.Text, e.Value
	return true
}

// programHandles are the elements of a program at one time.
type programHandles struct {
	pid     int
	handles map[desktop.Handle]bool
	hidden  bool // also those that do not show
}

// lack reports whether an element of the same program is not among them. For a cell, whose handle
// changes, the sheet is looked up.
func (e *programHandles) lack(u *underPointer) bool {
	t := u.seen
	return t != nil && t.Handle != "" && e.pid == t.PID && e.pid != 0 && !e.handles[cmp.Or(u.sheet, t.Handle)]
}

// noteHidden adds hidden elements to those of the last press: elements that scroll into view are not
// new.
func (p *pointer) noteHidden(ctx context.Context, at desktop.Point) {
	w := p.windows.At(at)
	if w == nil || w.PID != p.lastPressed.pid || p.lastPressed.hidden {
		return
	}
	p.lastPressed.hidden = true
	ctx, cancel := context.WithTimeout(ctx, p.timeout(treeTimeout))
	defer cancel()
	tree, err := p.desktop.Tree(ctx, desktop.Scope{PID: w.PID, Hidden: true, CellAt: &at})
	if err != nil {
		return
	}
	p.lastPressed.handles = maps.Clone(p.lastPressed.handles) // the view has these, too
	walk(tree.Roots, func(e *desktop.Element) { p.lastPressed.handles[e.Handle] = true })
}

// reader reads the elements of programs, and caches the last tree.
type reader struct {
	desktop   *desktop.Desktop
	patience  time.Duration           // the factor of all timeouts
	view      programView             // the last tree
	lastRead  programHandles          // the elements in it
	passwords []desktop.Rect          // its password fields
	secret    map[desktop.Handle]bool // elements that once were password fields
	slow      map[int]time.Duration   // timeouts of programs that take longer than others, by process
	readAgain time.Time               // when a tree may be read again for low priority work
	allCells  bool                    // read all cells of a sheet, not only the one at the pointer
	onTree    func(*programView)      // called with each tree
}

// timeout scales a timeout by the patience.
func (r *reader) timeout(d time.Duration) time.Duration { return d * r.patience }

func (r *reader) refresh(ctx context.Context, h desktop.Handle, within time.Duration) (*desktop.Element, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(within))
	defer cancel()
	e, err := r.desktop.Refresh(ctx, h)
	if err == nil {
		r.hidePassword(e)
	}
	return e, err
}

// hidePassword removes the text of an element that is, or once was, a password field, and reports
// whether it is.
func (r *reader) hidePassword(e *desktop.Element) bool {
	if e.Role != "password" && !r.secret[e.Handle] {
		return false
	}
	e.Role, e.Text, r.secret[e.Handle] = "password", "", true
	return true
}

// programOf returns the tree of an element's program, from the cache if it is recent enough.
func (r *reader) programOf(ctx context.Context, e *desktop.Element) []*desktop.Element {
	if r.view.shows(e) {
		return r.view.roots
	}
	return r.readProgram(ctx, e)
}

// readProgram reads the tree of an element's program, without the text of password fields.
func (r *reader) readProgram(ctx context.Context, e *desktop.Element) []*desktop.Element {
	within := max(treeTimeout, r.slow[e.PID])
	short, cancel := context.WithTimeout(ctx, r.timeout(within))
	defer cancel()
	when := time.Now()
	scope := desktop.Scope{PID: e.PID, Process: e.Process, Full: true}
	if !r.allCells {
		at := e.Bounds.Center()
		scope.CellAt = &at
	}
	tree, err := r.desktop.Tree(short, scope)
	if err == nil && scope.CellAt != nil && severalSheets(tree) {
		scope.CellAt = nil // an address may be in each of them
		tree, err = r.desktop.Tree(short, scope)
	}
	if timedOut(err) {
		r.slow[e.PID] = min(2*within, maxTreeTimeout)
	}
	if err != nil {
		r.readAgain = time.Now().Add(time.Since(when))
		return nil
	}
	r.readAgain = time.Now().Add(viewCostFactor * time.Since(when))
	r.passwords, r.lastRead = nil, programHandles{pid: e.PID, handles: map[desktop.Handle]bool{}}
	walk(tree.Roots, func(o *desktop.Element) {
		r.lastRead.handles[o.Handle] = true
		if r.hidePassword(o) {
			r.passwords = append(r.passwords, o.Bounds)
		}
	})
	selector.FillLabels(tree.Roots)
	r.view = programView{pid: e.PID, roots: tree.Roots, when: when, took: time.Since(when)}
	r.onTree(&r.view)
	return tree.Roots
}
