//go:build linux

package wayland

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// watch reports what our extension tells about mouse and keyboard. It uses a connection of its
// own, so that the extension stops with it. The wheel is never told, and keys since GNOME 48.
func (g *gnome) watch(ctx context.Context, f func(desktop.InputEvent)) error {
	place, err := findGNOME(ctx, 0, g.folder)
	if err != nil {
		return err
	}
	own := place.(*gnome)
	defer own.close()
	signals := make(chan *dbus.Signal, 1<<12)
	own.bus.Signal(signals)
	var keys bool
	err = own.ask(ctx, "Watch", []any{&keys})
	if told := (dbus.Error{}); errors.As(err, &told) && told.Name == "org.freedesktop.DBus.Error.UnknownMethod" {
		return watchNothing(ctx, f) // an older version has installed the extension
	}
	if err != nil {
		return err
	}
	unreported := []desktop.InputType{desktop.WheelTurn, desktop.ClipboardTaken}
	if !keys {
		unreported = append(unreported, desktop.KeyPress, desktop.KeyRelease)
	}
	f(desktop.InputEvent{Type: desktop.WatchBegan, Time: time.Now(), Unreported: unreported})
	h := gnomeHearing{f: f, ours: g.acted}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case s, open := <-signals:
			if !open || s.Name == gnomeExtension+".Ended" {
				return &desktop.MissingError{What: "GNOME has ended the extension of understudy, as it does when the screen is locked: input is no longer reported"}
			}
			h.hear(s)
		}
	}
}

// gnomeHearing turns the signals of our extension into events.
type gnomeHearing struct {
	f        func(desktop.InputEvent)
	ours     func(time.Time) bool // reports whether input of a time is ours
	at       desktop.Point
	held     uint32 // buttons
	composer input.Composer
}

// gnomeButtons are the bits of buttons in a state of the shell, in which the right button is the
// second.
var gnomeButtons = []struct {
	bit    uint32
	button desktop.Button
}{{1 << 8, desktop.Left}, {1 << 9, desktop.Right}, {1 << 10, desktop.Middle}}

func (h *gnomeHearing) hear(s *dbus.Signal) {
	var micros int64
	ev := desktop.InputEvent{At: h.at}
	switch s.Name {
	case gnomeExtension + ".Pointer":
		var x, y int32
		var state uint32
		if dbus.Store(s.Body, &micros, &x, &y, &state) == nil {
			ev.Time, ev.At = time.UnixMicro(micros), desktop.Point{X: int(x), Y: int(y)}
			h.pointer(ev, state)
		}
	case gnomeExtension + ".Key":
		var released bool
		var state, sym uint32
		if dbus.Store(s.Body, &micros, &released, &state, &sym) == nil {
			ev.Time = time.UnixMicro(micros)
			h.key(ev, released, state, sym)
		}
	}
}

// pointer reports the buttons that have changed, and where the pointer is.
func (h *gnomeHearing) pointer(ev desktop.InputEvent, state uint32) {
	before, from := h.held, h.at
	h.at, h.held = ev.At, state
	if h.ours(ev.Time) {
		return
	}
	if ev.At != from {
		ev.Type = desktop.PointerMove
		h.f(ev)
	}
	ev.Mods = input.HeldMods(state, input.Level3Bit)
	for _, b := range gnomeButtons {
		if (before^state)&b.bit == 0 {
			continue
		}
		ev.Button, ev.Type = b.button, desktop.ButtonRelease
		if state&b.bit != 0 {
			ev.Type = desktop.ButtonPress
		}
		h.f(ev)
	}
}

func (h *gnomeHearing) key(ev desktop.InputEvent, released bool, state, sym uint32) {
	if h.ours(ev.Time) {
		return
	}
	ev.Type, ev.Key = desktop.KeyRelease, input.KeyOf(sym)
	r, character := input.Character(ev.Key)
	made := character && !unicode.IsLetter(r) && unicode.IsGraphic(r) // with Shift, as ! is
	ev.Mods = slices.DeleteFunc(input.HeldMods(state, input.Level3Bit), func(m desktop.Key) bool { return m == ev.Key || made && m == desktop.Shift })
	if !released {
		ev.Type, ev.Text = desktop.KeyPress, h.composer.Text(sym, state)
	}
	if ev.Key != "" || ev.Text != "" {
		h.f(ev)
	}
}

// acts are the times when input of ours was on its way. Events from these times count as ours;
// what a person does right then cannot be told apart.
type acts struct {
	since time.Time // zero: nothing is on its way now
	past  []act
}

type act struct{ from, to time.Time }

// actsKept is how long these times are kept.
const actsKept = time.Minute

func (a *acts) begin() {
	if a.since.IsZero() {
		a.since = time.Now().Truncate(time.Microsecond)
	}
}

func (a *acts) end() {
	if a.since.IsZero() {
		return
	}
	a.past = slices.DeleteFunc(a.past, func(p act) bool { return time.Since(p.to) > actsKept })
	a.past = append(a.past, act{a.since, time.Now()})
	a.since = time.Time{}
}

// acted reports whether we acted at a time.
func (g *gnome) acted(at time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	a := &g.acts
	return !a.since.IsZero() && !at.Before(a.since) || slices.ContainsFunc(a.past, func(p act) bool { return !at.Before(p.from) && !at.After(p.to) })
}
