//go:build linux

package atspi

import (
	"time"

	"understudy/steps/desktop"
)

// Chromium tells half a second late where the elements of a page are, knows
// some motions not at all, and nothing of what lies over what. But it asks the
// page itself what is at a point: whoever asks gets a guess, and the page's own
// answer is there after a frame or two, for whoever asks once more. With that
// answer comes where the element is now.
//
// So that a guess is never taken for an answer, the page is first asked for a
// point where it has nothing, which makes its document the answer for every
// point. What is told after that is new.

const (
	// pageFirstPoll is the first pause before what a page has answered is looked at;
	// each is a quarter longer than the one before, up to pageLate.
	pageFirstPoll, pageMaxPoll = 3 * time.Millisecond, 50 * time.Millisecond
	// pageIdle is how long a page is left alone before it is asked for nothing:
	// what it is asked while it tells of something else, it keeps back.
	pageIdle = 5 * time.Millisecond
	// pageTimeout is how long a page may take to answer anything at all.
	pageTimeout = time.Second
	// emptyFor is how long a page must go on naming nothing at a point where
	// nothing is expected, and bareAgainst where the boxes say otherwise.
	emptyFor, emptyDespiteBoxes = 30 * time.Millisecond, 100 * time.Millisecond
)

// offPage is a point where no page has anything.
var offPage = desktop.Point{X: -10_000, Y: -10_000}

// isPage says whether a node is a page that answers late.
func (w *walker) isPage(n *node) bool {
	return w.app.toolkitName() == "Chromium" && roleName(n.role) == "document web"
}

// pageOf is the page that a node is in, the outermost; nil when there is none.
func (w *walker) pageOf(n *node) (page *node) {
	for m := n; m != nil; m = m.parent {
		if w.isPage(m) {
			page = m
		}
	}
	return page
}

// flush asks a page for a point where it has nothing.
func (w *walker) flush(page object) {
	w.want(page, ifaceComponent+".GetAccessibleAtPoint", func([]any) {
		w.flushed = time.Now()
	}, atPoint(offPage)...)
}

// atPoint are the arguments of the question what is at a point of the screen.
func atPoint(at desktop.Point) []any {
	const onScreen = uint32(0)
	return []any{int32(at.X), int32(at.Y), onScreen}
}

// askPage is what a page was last known to have at a point.
func (w *walker) askPage(page object, at desktop.Point) (object, error) {
	body, err := w.call(page, ifaceComponent+".GetAccessibleAtPoint", atPoint(at)...)
	w.app.remembered.notePageAsked()
	return objectOf(first[[]any](body)), err
}

// hitTestPage is what a page itself has at a point, which is expected to be a node.
// It says false when the page does not answer.
func (w *walker) hitTestPage(page, expected *node, at desktop.Point) (object, bool, error) {
	bare := emptyFor
	if expected != page {
		bare = emptyDespiteBoxes
	}
	began := time.Now()
	for rest := pageIdle; time.Since(began) < pageTimeout; rest = min(2*rest, pageMaxPoll) {
		if err := w.flushOnceIdle(page.object, rest); err != nil {
			return object{}, false, err
		}
		o, err := w.askPageAfter(page, at, rest-time.Since(w.flushed))
		if err != nil {
			return object{}, false, err
		}
		if o == page.object { // what is told from here on is new
			o, err = w.pollPage(page, at, bare)
			return o, err == nil, err
		}
		w.flushed = time.Time{}
	}
	return object{}, false, nil
}

// flushOnceIdle asks a page for nothing, unless that was done, once it has been left
// alone for a while.
func (w *walker) flushOnceIdle(page object, rest time.Duration) error {
	if !w.flushed.IsZero() {
		return nil
	}
	if err := desktop.Sleep(w.ctx, rest-w.app.remembered.sincePageAsked()); err != nil {
		return err
	}
	w.flush(page)
	return w.run()
}

// askPageAfter is what a page was known to have at a point after a pause.
func (w *walker) askPageAfter(page *node, at desktop.Point, pause time.Duration) (object, error) {
	if err := desktop.Sleep(w.ctx, pause); err != nil {
		return object{}, err
	}
	return w.askPage(page.object, at)
}

// pollPage waits for what a page has at a point, whose answer was nothing when
// it was last looked at: it is nothing, when that is the answer for a while.
func (w *walker) pollPage(page *node, at desktop.Point, bare time.Duration) (object, error) {
	began := time.Now()
	for pause := pageFirstPoll; ; pause = min(pause*5/4, pageMaxPoll) {
		asked := time.Since(began) + pause
		o, err := w.askPageAfter(page, at, pause)
		if err != nil || o != page.object || asked >= bare {
			return o, err
		}
	}
}

// hitTestNode is the node that a page itself has at a point, where the boxes say
// that another one is. It says false when the page does not answer: it is the
// other one then, for want of a better one.
func (w *walker) hitTestNode(page, n *node, at desktop.Point) (*node, bool, error) {
	o, told, err := w.hitTestPage(page, n, at)
	if err != nil || !told {
		return n, false, err
	}
	if n, err = w.nodeIn(page, o); err != nil {
		return nil, false, err
	}
	for m := n; m != page; m = m.parent {
		m.box = desktop.Rect{} // it is known better now
		w.askBox(m, func() {})
	}
	return n, true, w.run()
}

// nodeIn is the node of an object in a page, with those that it is in.
func (w *walker) nodeIn(page *node, o object) (*node, error) {
	known := map[object]*node{}
	page.each(func(m *node) bool {
		known[m.object] = m
		return true
	})
	var chain []object // from the object up to what is known
	for known[o] == nil {
		if len(chain) > maxDepth {
			return page, nil
		}
		chain = append(chain, o)
		body, err := w.call(o, ifaceProperties+".Get", ifaceAccessible, "Parent")
		if err != nil {
			return nil, err
		}
		if o = objectOf(as[[]any](variant(body))); o.none() || o == w.app.object {
			return page, nil // what is not in the page any more is not at the point
		}
	}
	n := known[o]
	for i := len(chain) - 1; i >= 0; i-- {
		n = &node{object: chain[i], parent: n}
		w.askBrief(n, func() {})
		w.want(n.object, ifaceAccessible+".GetIndexInParent", func(b []any) { n.index = int(first[int32](b)) })
	}
	return n, w.run()
}
