//go:build linux

package x11

import (
	"fmt"
	"slices"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// properties reads properties of windows and sends messages about windows. It caches
// atoms.
type properties struct {
	*server
	mu    sync.Mutex
	atoms map[string]xproto.Atom // guarded by mu
}

// atom returns the atom of a name, which is made if there is none yet, or 0 if the
// connection has ended.
func (l *properties) atom(name string) xproto.Atom {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.atoms[name]; ok {
		return a
	}
	r, err := xproto.InternAtom(l.x, false, uint16(len(name)), name).Reply()
	if err != nil {
		return 0
	}
	if l.atoms == nil {
		l.atoms = map[string]xproto.Atom{}
	}
	l.atoms[name] = r.Atom
	return r.Atom
}

// longest is how much of a property is read at most, in units of four bytes.
const longest = 1 << 16

func (l *properties) property(w xproto.Window, a xproto.Atom) xproto.GetPropertyCookie {
	return xproto.GetProperty(l.x, false, w, a, xproto.GetPropertyTypeAny, 0, longest)
}

// text returns a property that holds text.
func (l *properties) text(w xproto.Window, a xproto.Atom) (string, error) {
	r, err := l.property(w, a).Reply()
	if err != nil {
		return "", err
	}
	return l.decode(r), nil
}

// decode decodes text, which old programs write in Latin-1.
func (l *properties) decode(r *xproto.GetPropertyReply) string {
	if r == nil || r.Format != 8 {
		return ""
	}
	if r.Type != xproto.AtomString {
		return string(r.Value)
	}
	return latin1(r.Value)
}

// latin1 decodes text in Latin-1.
func latin1(text []byte) string {
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = rune(b)
	}
	return string(runes)
}

// numbers returns a property that holds a list of numbers, windows or atoms.
func numbers(r *xproto.GetPropertyReply, err error) []uint32 {
	if err != nil || r == nil || r.Format != 32 {
		return nil
	}
	ns := make([]uint32, 0, r.ValueLen)
	for b := r.Value; len(b) >= 4; b = b[4:] {
		ns = append(ns, xgb.Get32(b))
	}
	return ns
}

func (l *properties) numbers(w xproto.Window, name string) []uint32 {
	return numbers(l.property(w, l.atom(name)).Reply())
}

// firstNumber returns the first number of a property, or 0.
func firstNumber(r *xproto.GetPropertyReply, err error) uint32 {
	if ns := numbers(r, err); len(ns) > 0 {
		return ns[0]
	}
	return 0
}

// number returns the first number of a property, or 0.
func (l *properties) number(w xproto.Window, name string) uint32 {
	return firstNumber(l.property(w, l.atom(name)).Reply())
}

// message sends a client message about one window to another.
func (l *properties) message(to, about xproto.Window, mask uint32, kind xproto.Atom, data ...uint32) xproto.SendEventCookie {
	data = append(data, make([]uint32, 5)...)[:5]
	ev := xproto.ClientMessageEvent{Format: 32, Window: about, Type: kind, Data: xproto.ClientMessageDataUnionData32New(data)}
	return xproto.SendEventChecked(l.x, false, to, mask, string(ev.Bytes()))
}

// tell sends the window manager a message about a window.
func (l *properties) tell(w xproto.Window, message string, data ...uint32) error {
	const mask = xproto.EventMaskSubstructureNotify | xproto.EventMaskSubstructureRedirect
	if err := l.message(l.root, w, mask, l.atom(message), data...).Check(); err != nil {
		return fmt.Errorf("%s: %w", message, err)
	}
	return nil
}

// activeProperty is the property of the root window that names the window with the focus.
const activeProperty = "_NET_ACTIVE_WINDOW"

// activeWindow returns the window that has the focus, or 0.
func (l *properties) activeWindow() xproto.Window {
	return xproto.Window(l.number(l.root, activeProperty))
}

// speaks reports whether a window takes part in a protocol of WM_PROTOCOLS.
func (l *properties) speaks(w xproto.Window, protocol string) bool {
	return slices.Contains(l.numbers(w, "WM_PROTOCOLS"), uint32(l.atom(protocol)))
}
