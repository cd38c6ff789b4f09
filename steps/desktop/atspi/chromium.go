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
	// pageSoon is the first pause before what a page has answered is looked at;
	// each is a quarter longer than the one before, up to pageLate.
	pageSoon, pageLate = 3 * time.Millisecond, 50 * time.Millisecond
	// pageRests is how long a page is left alone before it is asked for nothing:
	// what it is asked while it tells of something else, it keeps back.
	pageRests = 5 * time.Millisecond
	// pageWithin is how long a page may take to answer anything at all.
	pageWithin = time.Second
	// bareFor is how long a page must go on naming nothing at a point where
	// nothing is expected, and bareAgainst where the boxes say otherwise.
	bareFor, bareAgainst = 30 * time.Millisecond, 100 * time.Millisecond
)

// nothingThere is a point where no page has anything.
var nothingThere = desktop.Point{X: -10_000, Y: -10_000}

// isPage says whether a node is a page that answers late.
func (w *walk) isPage(n *node) bool {
	return w.app.kit() == "Chromium" && roleName(n.role) == "document web"
}

// pageOf is the page that a node is in, the outermost; nil when there is none.
func (w *walk) pageOf(n *node) (page *node) {
	for m := n; m != nil; m = m.parent {
		if w.isPage(m) {
			page = m
		}
	}
	return page
}

// clear asks a page for a point where it has nothing.
func (w *walk) clear(page object) {
	w.want(page, ifaceComponent+".GetAccessibleAtPoint", func([]any) {
		w.cleared = time.Now()
	}, atPoint(nothingThere)...)
}

// atPoint are the arguments of the question what is at a point of the screen.
func atPoint(at desktop.Point) []any {
	const onScreen = uint32(0)
	return []any{int32(at.X), int32(at.Y), onScreen}
}

// atPage is what a page was last known to have at a point.
func (w *walk) atPage(page object, at desktop.Point) (object, error) {
	body, err := w.call(page, ifaceComponent+".GetAccessibleAtPoint", atPoint(at)...)
	w.app.hints.askedPage()
	return objectOf(first[[]any](body)), err
}

// onPage is what a page itself has at a point, which is expected to be a node.
// It says false when the page does not answer.
func (w *walk) onPage(page, expected *node, at desktop.Point) (object, bool, error) {
	bare := bareFor
	if expected != page {
		bare = bareAgainst
	}
	began := time.Now()
	for rest := pageRests; time.Since(began) < pageWithin; rest = min(2*rest, pageLate) {
		if err := w.clearLater(page.object, rest); err != nil {
			return object{}, false, err
		}
		o, err := w.afterPause(page, at, rest-time.Since(w.cleared))
		if err != nil {
			return object{}, false, err
		}
		if o == page.object { // what is told from here on is new
			o, err = w.newOnPage(page, at, bare)
			return o, err == nil, err
		}
		w.cleared = time.Time{}
	}
	return object{}, false, nil
}

// clearLater asks a page for nothing, unless that was done, once it has been left
// alone for a while.
func (w *walk) clearLater(page object, rest time.Duration) error {
	if !w.cleared.IsZero() {
		return nil
	}
	if err := desktop.Sleep(w.ctx, rest-w.app.hints.sincePage()); err != nil {
		return err
	}
	w.clear(page)
	return w.run()
}

// afterPause is what a page was known to have at a point after a pause.
func (w *walk) afterPause(page *node, at desktop.Point, pause time.Duration) (object, error) {
	if err := desktop.Sleep(w.ctx, pause); err != nil {
		return object{}, err
	}
	return w.atPage(page.object, at)
}

// newOnPage waits for what a page has at a point, whose answer was nothing when
// it was last looked at: it is nothing, when that is the answer for a while.
func (w *walk) newOnPage(page *node, at desktop.Point, bare time.Duration) (object, error) {
	began := time.Now()
	for pause := pageSoon; ; pause = min(pause*5/4, pageLate) {
		asked := time.Since(began) + pause
		o, err := w.afterPause(page, at, pause)
		if err != nil || o != page.object || asked >= bare {
			return o, err
		}
	}
}

// seenOn is the node that a page itself has at a point, where the boxes say
// that another one is. It says false when the page does not answer: it is the
// other one then, for want of a better one.
func (w *walk) seenOn(page, n *node, at desktop.Point) (*node, bool, error) {
	o, told, err := w.onPage(page, n, at)
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
func (w *walk) nodeIn(page *node, o object) (*node, error) {
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
		w.askPlace(n, func() {})
		w.want(n.object, ifaceAccessible+".GetIndexInParent", func(b []any) { n.index = int(first[int32](b)) })
	}
	return n, w.run()
}
