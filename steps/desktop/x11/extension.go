//go:build linux

package x11

import (
	"fmt"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// xgb's tables of events and errors are made complete before the first
// connection of anybody. xgb's own Init of an extension fills them while other
// connections read them, which can end the process; and an error that is not
// in them leaves its request waiting for ever.
func init() {
	for n := 2; n < 128; n++ {
		if xgb.NewEventFuncs[n] == nil {
			xgb.NewEventFuncs[n] = func(b []byte) xgb.Event { return otherEvent(b) }
		}
	}
	for n := 1; n < 256; n++ {
		if xgb.NewErrorFuncs[n] == nil {
			xgb.NewErrorFuncs[n] = func(b []byte) xgb.Error { return otherError(b) }
		}
	}
}

// otherEvent is an event of an extension: of the keyboard, or of what is drawn.
type otherEvent []byte

func (e otherEvent) Bytes() []byte  { return e }
func (e otherEvent) String() string { return fmt.Sprintf("event %d", e.number()) }
func (e otherEvent) number() byte   { return e[0] & 127 }

// otherError is an error of an extension.
type otherError []byte

func (e otherError) SequenceId() uint16 { return xgb.Get16(e[2:]) }
func (e otherError) BadId() uint32      { return xgb.Get32(e[4:]) }
func (e otherError) Error() string {
	return fmt.Sprintf("error %d of request %d.%d", e[1], e[10], xgb.Get16(e[8:]))
}

// xwayland is the extension of an X server that is a guest of a Wayland session.
const xwayland = "XWAYLAND"

// extensionNames are the extensions that we use, or that say what a server is.
var extensionNames = []string{xwayland, "XTEST", "XKEYBOARD", "RECORD", "RANDR", "MIT-SHM", "SHAPE", "X-Resource", "XFIXES", "DAMAGE"}

// extensions finds the extensions that we use, all in one round trip.
func (l *xConn) extensions() {
	names := extensionNames
	cookies := make([]xproto.QueryExtensionCookie, len(names))
	for i, n := range names {
		cookies[i] = xproto.QueryExtension(l.x, uint16(len(n)), n)
	}
	l.has = map[string]bool{}
	for i, n := range names {
		r, err := cookies[i].Reply()
		if err != nil || !r.Present {
			continue
		}
		l.has[n] = true
		l.x.ExtLock.Lock()
		l.x.Extensions[n] = r.MajorOpcode
		l.x.ExtLock.Unlock()
		switch n {
		case "XKEYBOARD":
			l.opcode, l.xkbEvent = r.MajorOpcode, r.FirstEvent
		case "DAMAGE":
			l.damageEvent = r.FirstEvent
		}
	}
	if l.has["RANDR"] {
		// Monitors came with 1.5; a server that is not told speaks 1.0.
		v, err := randr.QueryVersion(l.x, 1, 5).Reply()
		l.has["RANDR"] = err == nil && (v.MajorVersion > 1 || v.MinorVersion >= 5)
	}
	monitors, _ := l.monitors()
	for _, m := range monitors { // before version 23 there is no such extension
		l.has[xwayland] = l.has[xwayland] || strings.HasPrefix(m.Name, xwayland)
	}
}
