//go:build linux

package atspi

import (
	"math"
	"slices"
	"time"

	"understudy/internal/desktop"
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

// isPage reports whether a node is a page of a browser that has a hit test of its own.
func (l *loader) isPage(n *node) bool {
	return (l.isChromium() || l.isGecko()) && roleName(n.role) == "document web"
}

// pageOf returns the outermost page that holds a node, or nil.
func (l *loader) pageOf(n *node) (page *node) {
	for m := n; m != nil; m = m.parent {
		if l.isPage(m) {
			page = m
		}
	}
	return page
}

// sincePageAsked returns the time since a page was last asked for a hit test.
func (a *application) sincePageAsked() time.Duration {
	if t := a.pageAsked.Load(); t != nil {
		return time.Since(*t)
	}
	return math.MaxInt64
}

// A pageTest asks a page what is at a point.
type pageTest struct {
	*walker
	page    *node
	at      desktop.Point // in the coordinates of the page
	flushed time.Time     // when the page was last flushed; zero if its cache may hold a result
}

// atPoint returns the arguments of GetAccessibleAtPoint for a point of the
// screen.
func atPoint(at desktop.Point) []any {
	const onScreen = uint32(0)
	return []any{int32(at.X), int32(at.Y), onScreen}
}

// askFlush requests that the page's cached hit-test result is replaced by the
// document.
func (l *loader) askFlush(page object, flushed *time.Time) {
	l.want(page, ifaceComponent+".GetAccessibleAtPoint", func([]any) { *flushed = time.Now() }, atPoint(offPage)...)
}

// ask returns the page's cached hit-test result after a pause, and starts a new
// test.
func (t *pageTest) ask(pause time.Duration) (object, error) {
	if err := desktop.Sleep(t.ctx, pause); err != nil {
		return object{}, err
	}
	body, err := t.call(t.page.object, ifaceComponent+".GetAccessibleAtPoint", atPoint(t.at)...)
	now := time.Now()
	t.app.pageAsked.Store(&now)
	return objectOf(first[[]any](body)), err
}

// result returns what the page itself has at the point where expected is
// expected. It returns false if the page does not reply.
func (t *pageTest) result(expected *node) (object, bool, error) {
	if t.isGecko() { // its reply is the result
		o, err := t.ask(0)
		return o, err == nil && !o.none(), err
	}
	empty := emptyFor
	if expected != t.page {
		empty = emptyDespiteBoxes
	}
	began := time.Now()
	for rest := pageIdle; time.Since(began) < pageTimeout; rest = min(2*rest, pageMaxPoll) {
		if err := t.flushOnceIdle(rest); err != nil {
			return object{}, false, err
		}
		o, err := t.ask(rest - time.Since(t.flushed))
		if err != nil {
			return object{}, false, err
		}
		if o == t.page.object { // flushed: other replies are fresh
			o, err = t.poll(empty)
			if err == nil && o == t.page.object && expected != t.page {
				o, err = t.confirm(expected)
			}
			return o, err == nil, err
		}
		t.flushed = time.Time{}
	}
	return object{}, false, nil
}

// flushOnceIdle flushes a page that has been idle for a while, unless it is
// flushed.
func (t *pageTest) flushOnceIdle(rest time.Duration) error {
	if !t.flushed.IsZero() {
		return nil
	}
	if err := desktop.Sleep(t.ctx, rest-t.app.sincePageAsked()); err != nil {
		return err
	}
	t.askFlush(t.page.object, &t.flushed)
	return t.run()
}

// poll polls a flushed page for the element at the point. It accepts the
// document itself only after it was the reply for a while.
func (t *pageTest) poll(empty time.Duration) (object, error) {
	began := time.Now()
	for pause := pageFirstPoll; ; pause = min(pause*5/4, pageMaxPoll) {
		asked := time.Since(began) + pause
		o, err := t.ask(pause)
		if err != nil || o != t.page.object || asked >= empty {
			return o, err
		}
	}
}

// confirm repeats a test whose result was the document, where the boxes say that expected
// is. A test that hits words which Chromium does not report, such as those of a menu item,
// has no result: the last one is kept. So another element is tested first, whose box does
// not hold the point. If that is still the last result afterwards, the point has unreported
// words: those of the expected element, if it is of the sort that has them. A list that has
// just opened may cover another one, which is in the tree still.
func (t *pageTest) confirm(expected *node) (o object, err error) {
	began := time.Now()
	other, last, err := t.replaceDocument()
	if err != nil || other == nil {
		return t.page.object, err
	}
	wait := max(emptyDespiteBoxes, time.Since(began))
	for began, pause := time.Now(), pageFirstPoll; time.Since(began) < wait; pause = min(pause*5/4, pageMaxPoll) {
		if o, err = t.ask(pause); err != nil {
			return o, err
		}
	}
	kept, err := other.ask(0)
	switch {
	case err != nil || kept != last:
		return o, err
	case expected.desktopRole().Is(desktop.Option):
		return expected.object, nil
	}
	if n, err := t.nodeOf(o); err != nil || n.desktopRole().Is(desktop.Option) {
		return o, err
	}
	return t.page.object, nil // the reply is a guess, and all words of what it names are reported
}

// mostReplacing is how many elements are tried by replaceDocument.
const mostReplacing = 5

// replaceDocument replaces the document as the cached hit-test result by an element
// whose box does not hold the point. It returns where that was found, or nil if there is none.
func (t *pageTest) replaceDocument() (at *pageTest, found object, err error) {
	var others []*node
	t.page.each(func(n *node) bool {
		if !n.box.Empty() && !n.box.Contains(t.at) && t.page.box.Contains(n.box.Center()) {
			others = append(others, n)
		}
		return len(others) < mostReplacing
	})
	for _, n := range others {
		away := &pageTest{walker: t.walker, page: t.page, at: n.box.Center()}
		o, err := away.poll(emptyFor)
		if err != nil {
			return nil, object{}, err
		}
		hit := &node{object: o}
		t.askBox(hit, func() {})
		if err := t.run(); err != nil {
			return nil, object{}, err
		}
		if o != t.page.object && !hit.box.Empty() && !hit.box.Contains(t.at) {
			return away, o, nil
		}
	}
	return nil, object{}, nil
}

// test replaces the node that the boxes suggest by the one that the page has at
// the point. It returns the former and false if the page does not reply.
func (t *pageTest) test(n *node) (*node, bool, error) {
	o, replied, err := t.result(n)
	if err != nil || !replied {
		return n, false, err
	}
	if n, err = t.nodeOf(o); err != nil {
		return nil, false, err
	}
	for m := n; m != t.page; m = m.parent {
		m.box = desktop.Rect{} // the hit test updated it
		t.askBox(m, func() {})
	}
	return n, true, t.run()
}

// nodeOf returns the node of an object in the page, with its ancestors.
func (t *pageTest) nodeOf(o object) (*node, error) {
	known := map[object]*node{}
	t.page.each(func(m *node) bool {
		known[m.object] = m
		return true
	})
	var chain []object // from o up to a known node
	for known[o] == nil {
		if o.none() || o == t.app.object || len(chain) > maxDepth {
			return t.page, nil // o has left the page
		}
		chain = append(chain, o)
		var err error
		if o, err = t.parentOf(o); err != nil {
			return nil, err
		}
	}
	n := known[o]
	for _, o := range slices.Backward(chain) {
		n = &node{object: o, parent: n}
		t.askBrief(n, func() {})
		t.want(n.object, ifaceAccessible+".GetIndexInParent", func(b []any) { n.index = int(first[int32](b)) })
	}
	return n, t.run()
}
