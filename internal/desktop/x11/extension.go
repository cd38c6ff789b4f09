//go:build linux

package x11

import (
	"fmt"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// The tables of events and errors of xgb are completed before the first connection. The
// Init functions of extensions in xgb write to them while other connections read them,
// which can crash the process; and a request never returns if its error is not in them.
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

// otherEvent is an event of an extension: XKEYBOARD, DAMAGE or XFIXES.
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

// xwayland is the extension by which an X server says that it is XWayland.
const xwayland = "XWAYLAND"

// extensionNames are the extensions that are used, or that identify a server.
var extensionNames = []string{xwayland, "XTEST", "XKEYBOARD", "RECORD", "RANDR", "MIT-SHM", "SHAPE", "X-Resource", "XFIXES", "DAMAGE"}

// extensions looks up all extensions in one round trip.
func (l *xConn) extensions() {
	var cookies []xproto.QueryExtensionCookie
	for _, n := range extensionNames {
		cookies = append(cookies, xproto.QueryExtension(l.x, uint16(len(n)), n))
	}
	l.has = map[string]bool{}
	for i, n := range extensionNames {
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
		case "XFIXES":
			l.fixesEvent = r.FirstEvent
		}
	}
	if l.has["RANDR"] {
		// Monitors came with 1.5; a server that is not asked for a version speaks 1.0.
		v, err := randr.QueryVersion(l.x, 1, 5).Reply()
		l.has["RANDR"] = err == nil && (v.MajorVersion > 1 || v.MinorVersion >= 5)
	}
	monitors, _ := l.monitors()
	for _, m := range monitors { // XWayland before version 23 has no extension of that name
		l.has[xwayland] = l.has[xwayland] || strings.HasPrefix(m.Name, xwayland)
	}
}
