package rfb

import (
	"context"
	"fmt"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// maxQueue bounds the input that waits to be performed. Successive moves count as
// one, and so does successive text.
const maxQueue = 1000

// inputQueue performs the input of a viewer in order.
type inputQueue struct {
	*Session
	buttons byte                 // held by the viewer, as a bit mask
	held    map[desktop.Key]bool // keys held by the viewer
	ready   chan struct{}        // holds a token when an action waits

	mu      sync.Mutex
	waiting []desktop.Action // guarded by mu
}

// The buttons of a pointer event, bit by bit; the next bits are the wheel.
var (
	pointerButtons = []desktop.Button{desktop.Left, desktop.Middle, desktop.Right}
	wheelScrolls   = map[int]desktop.Scroll{3: {DY: -1}, 4: {DY: 1}, 5: {DX: -1}, 6: {DX: 1}}
)

// pointer handles a pointer event: the position, and a bit for each button that is
// down.
func (h *inputQueue) pointer(mask byte, at desktop.Point) error {
	acts := []desktop.Action{desktop.MovePointer{To: at}}
	for bit := range 8 {
		was, is := h.buttons&(1<<bit) != 0, mask&(1<<bit) != 0
		switch {
		case was == is:
		case bit < len(pointerButtons) && is:
			acts = append(acts, desktop.ButtonDown{Button: pointerButtons[bit], Follows: true})
		case bit < len(pointerButtons):
			acts = append(acts, desktop.ButtonUp{Button: pointerButtons[bit]})
		case is && wheelScrolls[bit] != desktop.Scroll{}:
			acts = append(acts, wheelScrolls[bit])
		}
	}
	h.buttons = mask
	return h.put(acts...)
}

// byKeysym maps keysyms to keys that are pressed by name. All others type a character.
var byKeysym = func() map[uint32]desktop.Key {
	all := map[uint32]desktop.Key{
		0xffe2: desktop.Shift, 0xffe4: desktop.Ctrl, 0xffea: desktop.AltGr, 0xffec: desktop.Super, // right-hand modifiers
		0xffe7: desktop.Super, 0xffe8: desktop.Super, // Meta
	}
	for key, n := range input.NamedKeys {
		if input.CharOf(n.Sym) == 0 {
			all[n.Sym] = key
		}
	}
	// The viewer has already applied its locks; pressed again, they would change the
	// case of its letters.
	for _, key := range []desktop.Key{"capslock", "numlock", "scrolllock"} {
		delete(all, input.NamedKeys[key].Sym)
	}
	return all
}()

// key handles a key event. A character is typed whatever the layout, unless a modifier
// that is held makes it a shortcut.
func (h *inputQueue) key(sym uint32, down bool) error {
	key, named := byKeysym[sym]
	if !named {
		char := input.CharOf(sym)
		if char == 0 {
			return nil
		}
		if down && !h.held[desktop.Ctrl] && !h.held[desktop.Alt] && !h.held[desktop.Super] {
			return h.put(desktop.Type{Text: string(char)})
		}
		if key = desktop.Key(char); char == ' ' {
			key = "space"
		}
	}
	switch {
	case down:
		if h.held == nil {
			h.held = map[desktop.Key]bool{}
		}
		h.held[key] = true
		return h.put(desktop.KeyDown{Key: key})
	case h.held[key]:
		delete(h.held, key)
		return h.put(desktop.KeyUp{Key: key})
	}
	return nil
}

// put queues actions, if the viewer may act.
func (h *inputQueue) put(acts ...desktop.Action) error {
	if h.While == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range acts {
		if n := len(h.waiting); n > 0 {
			if one := merged(h.waiting[n-1], a); one != nil {
				h.waiting[n-1] = one
				continue
			}
		}
		h.waiting = append(h.waiting, a)
	}
	if len(h.waiting) > maxQueue {
		return fmt.Errorf("the viewer acts faster than the desktop can: %d actions wait", len(h.waiting))
	}
	select {
	case h.ready <- struct{}{}:
	default:
	}
	return nil
}

// merged returns one action that has the effect of two successive ones, or nil.
func merged(a, b desktop.Action) desktop.Action {
	switch a := a.(type) {
	case desktop.MovePointer:
		if b, ok := b.(desktop.MovePointer); ok {
			return b
		}
	case desktop.Type:
		if b, ok := b.(desktop.Type); ok {
			return desktop.Type{Text: a.Text + b.Text}
		}
	case desktop.Scroll:
		if b, ok := b.(desktop.Scroll); ok {
			return desktop.Scroll{DX: a.DX + b.DX, DY: a.DY + b.DY}
		}
	}
	return nil
}

// next removes and returns the first action of the queue, or nil.
func (h *inputQueue) next() desktop.Action {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) == 0 {
		return nil
	}
	a := h.waiting[0]
	h.waiting = h.waiting[1:]
	return a
}

// perform performs the queued actions until the context ends, and then releases keys
// and buttons that are held.
func (h *inputQueue) perform(ctx context.Context) {
	acted := false
	for ctx.Err() == nil {
		select {
		case <-h.ready:
		case <-ctx.Done():
		}
		for a := h.next(); a != nil && ctx.Err() == nil; a = h.next() {
			acted = true
			_ = h.Desktop.Do(ctx, a) // the viewer sees that nothing happened
		}
	}
	if acted {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = h.Desktop.ReleaseAll(last) // the desktop may be gone
	}
}
