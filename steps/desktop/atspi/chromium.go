//go:build linux

package atspi

import (
	"time"

	"understudy/steps/desktop"
)

// Chromium reports the boxes of a page's elements half a second late, does not
// report some motions at all, and knows nothing of what covers what. But
// GetAccessibleAtPoint starts a hit test in the page: the immediate reply is a
// guess, and one or two frames later the next call returns the page's own
// result, which also updates the element's box.
//
// To tell a result from a guess, flush the hit-test cache first by asking for a
// point off the page: from then on any reply other than the document is fresh.

const (
	// pageFirstPoll is the first pause between polls of a hit test; each is a
	// quarter longer than the one before, up to pageMaxPoll.
	pageFirstPoll, pageMaxPoll = 3 * time.Millisecond, 50 * time.Millisecond
	// pageIdle is how long a page must not have been asked before it is
	// flushed: while it delivers another result it holds the flush back.
	pageIdle = 5 * time.Millisecond
	// pageTimeout bounds a whole hit test.
	pageTimeout = time.Second
	// emptyFor is how long a page must keep reporting nothing at a point where
	// nothing is expected; emptyDespiteBoxes applies where the boxes say
	// otherwise.
	emptyFor, emptyDespiteBoxes = 30 * time.Millisecond, 100 * time.Millisecond
)

// offPage is a point outside every page.
var offPage = desktop.Point{X: -10_000, Y: -10_000}

// isPage reports whether a node is a page of a browser whose hit tests are
// asynchronous.
func (w *walker) isPage(n *node) bool {
	return w.app.toolkitName() == "Chromium" && roleName(n.role) == "document web"
}

// pageOf returns the outermost page that holds a node, or nil.
func (w *walker) pageOf(n *node) (page *node) {
	for m := n; m != nil; m = m.parent {
		if w.isPage(m) {
			page = m
		}
	}
	return page
}

// flush replaces the page's cached hit-test result by the document.
func (w *walker) flush(page object) {
	w.want(page, ifaceComponent+".GetAccessibleAtPoint", func([]any) {
		w.flushed = time.Now()
	}, atPoint(offPage)...)
}

// atPoint returns the arguments of GetAccessibleAtPoint for a point of the
// screen.
func atPoint(at desktop.Point) []any {
	const onScreen = uint32(0)
	return []any{int32(at.X), int32(at.Y), onScreen}
}

// askPage returns the page's cached hit-test result, and starts a new test.
func (w *walker) askPage(page object, at desktop.Point) (object, error) {
	body, err := w.call(page, ifaceComponent+".GetAccessibleAtPoint", atPoint(at)...)
	w.app.remembered.notePageAsked()
	return objectOf(first[[]any](body)), err
}

// hitTestPage returns what the page itself has at a point where expected is
// expected. It returns false if the page does not reply.
func (w *walker) hitTestPage(page, expected *node, at desktop.Point) (object, bool, error) {
	empty := emptyFor
	if expected != page {
		empty = emptyDespiteBoxes
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
		if o == page.object { // flushed: other replies are fresh
			o, err = w.pollPage(page, at, empty)
			return o, err == nil, err
		}
		w.flushed = time.Time{}
	}
	return object{}, false, nil
}

// flushOnceIdle flushes a page that has been idle for a while, unless it is
// flushed.
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

func (w *walker) askPageAfter(page *node, at desktop.Point, pause time.Duration) (object, error) {
	if err := desktop.Sleep(w.ctx, pause); err != nil {
		return object{}, err
	}
	return w.askPage(page.object, at)
}

// pollPage polls a flushed page for the element at a point. It accepts the
// document itself only after it was the reply for a while.
func (w *walker) pollPage(page *node, at desktop.Point, empty time.Duration) (object, error) {
	began := time.Now()
	for pause := pageFirstPoll; ; pause = min(pause*5/4, pageMaxPoll) {
		asked := time.Since(began) + pause
		o, err := w.askPageAfter(page, at, pause)
		if err != nil || o != page.object || asked >= empty {
			return o, err
		}
	}
}

// hitTestNode replaces the node that the boxes suggest by the one that the page
// has at the point. It returns the former and false if the page does not reply.
func (w *walker) hitTestNode(page, n *node, at desktop.Point) (*node, bool, error) {
	o, replied, err := w.hitTestPage(page, n, at)
	if err != nil || !replied {
		return n, false, err
	}
	if n, err = w.nodeIn(page, o); err != nil {
		return nil, false, err
	}
	for m := n; m != page; m = m.parent {
		m.box = desktop.Rect{} // the hit test updated it
		w.askBox(m, func() {})
	}
	return n, true, w.run()
}

// nodeIn returns the node of an object in a page, with its ancestors.
func (w *walker) nodeIn(page *node, o object) (*node, error) {
	known := map[object]*node{}
	page.each(func(m *node) bool {
		known[m.object] = m
		return true
	})
	var chain []object // from o up to a known node
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
			return page, nil // o has left the page
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
