//go:build linux

package atspi

import (
	"maps"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// A hint is what was read of an object before. It says what is worth asking of
// it, and never what the answer is.
type rememberedNode struct {
	role   uint32
	offers offers
	parent object
	kids   []object
	box    desktop.Rect // on the screen; empty when it was not read
	hidden bool         // it did not show
}

// remembered are what was read of an application before.
type remembered struct {
	mu     sync.Mutex
	of     map[object]rememberedNode
	frames []object
	last   object // what was read last on its own
	agreed map[dbus.ObjectPath]agreement
	pageAsked  time.Time // when a page was asked last what is at a point
}

// notePageAsked remembers that a page has just been asked what is at a point.
func (h *remembered) notePageAsked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pageAsked = time.Now()
}

// sincePageAsked is how long ago that was.
func (h *remembered) sincePageAsked() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.pageAsked)
}

// setFocus keeps what was read below a node.
func (h *remembered) learn(f frameWindow, root *node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil || len(h.of) > maxNodes {
		h.of = map[object]rememberedNode{}
	}
	var keep func(n *node)
	keep = func(n *node) {
		k := rememberedNode{role: n.role, offers: n.offers, kids: n.listed, box: f.onScreen(n.box)}
		if n.parent != nil {
			k.parent = n.parent.object
		}
		old := h.of[n.object]
		k.offers |= old.offers // not asked again of what is only passed by
		if k.kids == nil {
			k.kids = old.kids
		}
		if k.box.Empty() {
			k.box = old.box
		}
		if k.parent.none() {
			k.parent = old.parent
		}
		h.of[n.object] = k
		for _, c := range n.children {
			if c != nil {
				keep(c)
			}
		}
	}
	keep(root)
}

// hide remembers that an object does not show.
func (h *remembered) hide(o object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[object]rememberedNode{}
	}
	k := h.of[o]
	k.hidden = true
	h.of[o] = k
}

// wasHidden says whether an object did not show.
func (h *remembered) wasHidden(o object) bool {
	k, _ := h.known(o)
	return k.hidden
}

// actionIndex remembers what was read on its own: what is under a point is often
// asked for because of it.
func (h *remembered) setLast(o object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = o
}

// keepFrames remembers the frames.
func (h *remembered) keepFrames(frames []*node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.frames = h.frames[:0:0]
	there := map[dbus.ObjectPath]bool{}
	for _, f := range frames {
		h.frames = append(h.frames, f.object)
		there[f.path] = true
	}
	maps.DeleteFunc(h.agreed, func(frame dbus.ObjectPath, _ agreement) bool { return !there[frame] })
}

// knownFrames are the frames that there were.
func (h *remembered) knownFrames() []object {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.frames
}

// known is what was read of an object before.
func (h *remembered) known(o object) (rememberedNode, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k, ok := h.of[o]
	return k, ok
}

// candidatesAt are the objects of a frame that probably lie under a point: all that
// did so when they were read, and what was read last with all around it. That
// one is probably meant, or else the last of them.
func (h *remembered) candidatesAt(frame object, at desktop.Point) (list []object, meant object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	path := map[object]bool{}
	if k := h.of[h.last]; k.box.Contains(at) {
		meant = h.last
		for o, n := h.last, 0; !o.none() && n < maxDepth; o, n = h.of[o].parent, n+1 {
			path[o] = true
		}
	}
	var look func(o object, depth int)
	look = func(o object, depth int) {
		list = append(list, o)
		if !path[meant] {
			meant = o
		}
		if depth == 0 {
			return
		}
		for _, kid := range h.of[o].kids {
			if k := h.of[kid]; path[kid] || !k.hidden && k.box.Contains(at) {
				look(kid, depth-1)
			}
		}
	}
	if h.of[frame].box.Contains(at) {
		look(frame, maxDepth)
	}
	return list, meant
}

// prefetchFrames asks for what will be asked of the frames.
func (w *walker) prefetchFrames() {
	frames := w.app.remembered.knownFrames()
	told := w.items != nil || w.app.hasItems()
	w.prefetch(func() {
		if !told {
			w.list(&node{object: w.app.object}, func([]object) {})
		}
		for _, f := range frames {
			if !told {
				w.askBasics(&node{object: f}, func() {})
			}
			w.askBox(&node{object: f}, func() {})
		}
	})
}

// prefetchNode asks for what will be asked of a node that is read in full.
func (w *walker) prefetchNode(o object) {
	k, _ := w.app.remembered.known(o)
	n := &node{object: o, basics: basics{role: k.role, offers: k.offers}, item: w.items[o.path]}
	w.prefetch(func() {
		if n.item == nil {
			w.askBasics(n, func() {})
		}
		if w.relative && n.offers&offersComponent != 0 {
			w.askBox(n, func() {})
		}
		w.askRole(n)
		w.askDetails(n)
		w.askLabels(n)
	})
}

// prefetchPoint asks for what will be asked on the way to a point.
func (w *walker) prefetchPoint(at desktop.Point) {
	w.prefetchFrames()
	for _, frame := range w.app.remembered.knownFrames() {
		way, meant := w.app.remembered.candidatesAt(frame, at)
		for _, o := range way {
			w.prefetchBelow(o, o != frame)
		}
		if len(way) > 0 {
			w.prefetchNode(meant)
		}
	}
}

// prefetchBelow asks for what will be asked of a node on the way to a point,
// and of its children.
func (w *walker) prefetchBelow(o object, inner bool) {
	k, _ := w.app.remembered.known(o)
	it := w.items[o.path]
	w.prefetch(func() {
		if it == nil && inner {
			w.askName(&node{object: o}, func() {})
		}
		if (it == nil || !it.complete) && k.kids != nil { // what makes its children on demand was not asked for them
			w.list(&node{object: o}, func([]object) {})
		}
		for _, kid := range k.kids {
			n := &node{object: kid, item: w.items[kid.path]}
			switch {
			case n.item == nil && w.wasHidden(kid):
				w.askStates(n, func() {})
			case n.item == nil:
				w.askBrief(n, func() {})
				if k, _ := w.app.remembered.known(kid); w.relative && k.box.Empty() {
					w.askOffers(n, func() {})
				}
			case n.item.shows:
				w.askBox(n, func() {})
			}
		}
	})
}
