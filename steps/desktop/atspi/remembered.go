//go:build linux

package atspi

import (
	"maps"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// remembered is what earlier reads of an application showed. It decides what is
// worth asking and when, never what the reply is.
type remembered struct {
	mu        sync.Mutex
	hidden    map[object]bool
	lost      map[object]lost          // see addPaddings
	inPopover map[object]desktop.Point // see rememberPopovers
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

// setHidden stores whether an object was hidden when it was read.
func (h *remembered) setHidden(o object, hidden bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !hidden {
		delete(h.hidden, o)
		return
	}
	if h.hidden == nil || len(h.hidden) > maxNodes {
		h.hidden = map[object]bool{}
	}
	h.hidden[o] = true
}

// setLost stores what the box of an object lost, and lostOf returns it.
func (h *remembered) setLost(o object, l lost) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil || len(h.lost) > maxNodes {
		h.lost = map[object]lost{}
	}
	h.lost[o] = l
}

func (h *remembered) lostOf(o object) lost {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost[o]
}

// setInPopover stores by how much an object lies elsewhere because it is in a popover,
// and inPopoverOf returns it.
func (h *remembered) setInPopover(o object, by desktop.Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if by == (desktop.Point{}) {
		delete(h.inPopover, o)
		return
	}
	if h.inPopover == nil || len(h.inPopover) > maxNodes {
		h.inPopover = map[object]desktop.Point{}
	}
	h.inPopover[o] = by
}

func (h *remembered) inPopoverOf(o object) desktop.Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.inPopover[o]
}

func (h *remembered) wasHidden(o object) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hidden[o]
}

// retainFrames drops the agreements of frames that are gone.
func (h *remembered) retainFrames(frames []*node) {
	h.mu.Lock()
	defer h.mu.Unlock()
	there := map[dbus.ObjectPath]bool{}
	for _, f := range frames {
		there[f.path] = true
	}
	maps.DeleteFunc(h.agreed, func(frame dbus.ObjectPath, _ agreement) bool { return !there[frame] })
}
