//go:build linux

package x11

import (
	"fmt"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// properties reads the properties of windows, and knows the numbers that the
// server has given to names.
type properties struct {
	*server
	mu    sync.Mutex
	atoms map[string]xproto.Atom // guarded by mu
}

// atom is the number of a name, made when there is none yet. It is 0 when the
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

// longest is how much of a property is read, in units of four bytes.
const longest = 1 << 16

func (l *properties) property(w xproto.Window, a xproto.Atom) xproto.GetPropertyCookie {
	return xproto.GetProperty(l.x, false, w, a, xproto.GetPropertyTypeAny, 0, longest)
}

// text is a property that holds text.
func (l *properties) text(w xproto.Window, a xproto.Atom) (string, error) {
	r, err := l.property(w, a).Reply()
	if err != nil {
		return "", err
	}
	return l.decode(r), nil
}

// decode reads text, which old programs write in Latin-1.
func (l *properties) decode(r *xproto.GetPropertyReply) string {
	if r == nil || r.Format != 8 {
		return ""
	}
	if r.Type != xproto.AtomString {
		return string(r.Value)
	}
	runes := make([]rune, len(r.Value))
	for i, b := range r.Value {
		runes[i] = rune(b)
	}
	return string(runes)
}

// numbers is a property that holds a list of numbers, windows or atoms.
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

// number is the first number of a property, or 0.
func (l *properties) number(w xproto.Window, name string) uint32 {
	if ns := l.numbers(w, name); len(ns) > 0 {
		return ns[0]
	}
	return 0
}

// tell sends the window manager a message about a window.
func (l *properties) tell(w xproto.Window, message string, data ...uint32) error {
	data = append(data, make([]uint32, 5)...)[:5]
	ev := xproto.ClientMessageEvent{Format: 32, Window: w, Type: l.atom(message), Data: xproto.ClientMessageDataUnionData32New(data)}
	const mask = xproto.EventMaskSubstructureNotify | xproto.EventMaskSubstructureRedirect
	if err := xproto.SendEventChecked(l.x, false, l.root, mask, string(ev.Bytes())).Check(); err != nil {
		return fmt.Errorf("%s: %w", message, err)
	}
	return nil
}
