//go:build linux

package atspi

import (
	"maps"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// A rememberedNode is what an earlier read returned for an object. It decides
// what is worth asking, never what the reply is.
type rememberedNode struct {
	role   uint32
	offers offers
	parent object
	kids   []object
	box    desktop.Rect // on the screen; empty if it was not read
	hidden bool         // it did not show
}

// remembered is what earlier reads returned for an application.
type remembered struct {
	mu        sync.Mutex
	of        map[object]rememberedNode
	frames    []object
	last      object // see setLast
	agreed    map[dbus.ObjectPath]agreement
	pageAsked time.Time // see sincePageAsked
}

func (h *remembered) notePageAsked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pageAsked = time.Now()
}

// sincePageAsked returns the time since a page was last asked for a hit test.
func (h *remembered) sincePageAsked() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.pageAsked)
}

// learn stores a node and what was read below it.
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
		k.offers |= old.offers // not read again for a node on the way
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

// hide stores that an object does not show.
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

func (h *remembered) wasHidden(o object) bool {
	k, _ := h.known(o)
	return k.hidden
}

// setLast stores the object that was last read on its own: a hit test often
// follows for the same one.
func (h *remembered) setLast(o object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = o
}

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

func (h *remembered) knownFrames() []object {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.frames
}

func (h *remembered) known(o object) (rememberedNode, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k, ok := h.of[o]
	return k, ok
}

// candidatesAt returns the objects of a frame that probably lie under a point:
// those whose stored box holds it, and the object read last with its ancestors.
// meant is that object, or else the last of the list.
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

// prefetchFrames sends the calls that frames will make.
func (w *walker) prefetchFrames() {
	frames := w.app.remembered.knownFrames()
	listed := w.items != nil || w.app.hasItems()
	w.prefetch(func() {
		if !listed {
			w.list(&node{object: w.app.object}, func([]object) {})
		}
		for _, f := range frames {
			if !listed {
				w.askBasics(&node{object: f}, func() {})
			}
			w.askBox(&node{object: f}, func() {})
		}
	})
}

// prefetchNode sends the calls that a full read of a node will make.
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

// prefetchPoint sends the calls that a hit test will make.
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

// prefetchBelow sends the calls that a hit test will make for a node on its
// path and for that node's children.
func (w *walker) prefetchBelow(o object, inner bool) {
	k, _ := w.app.remembered.known(o)
	it := w.items[o.path]
	w.prefetch(func() {
		if it == nil && inner {
			w.askName(&node{object: o}, func() {})
		}
		if (it == nil || !it.complete) && k.kids != nil { // children created on demand were not listed
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
