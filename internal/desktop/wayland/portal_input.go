//go:build linux

package wayland

import (
	"context"
	"fmt"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// portalMouse moves the pointer on the monitors that a person has shared.
type portalMouse struct {
	*portal
	at    desktop.Point
	known bool // we have moved the pointer there
}

// position returns where we have moved the pointer.
func (m *portalMouse) position(context.Context) (desktop.Point, error) {
	if !m.known {
		return m.at, &desktop.MissingError{What: "this compositor does not report where the pointer is until it has moved"}
	}
	return m.at, nil
}

func (m *portalMouse) move(_ context.Context, to desktop.Point, all desktop.Rect) error {
	for _, s := range m.streams {
		if s.bounds.Empty() && len(m.streams) == 1 { // the portal does not tell them
			s.bounds = all
		}
		if !s.bounds.Contains(to) {
			continue
		}
		m.known = false
		if err := m.notify("NotifyPointerMotionAbsolute", s.node, float64(to.X-s.bounds.X), float64(to.Y-s.bounds.Y)); err != nil {
			return err
		}
		m.at, m.known = to, true
		return nil
	}
	return &desktop.MissingError{What: fmt.Sprintf("the point %s is on no monitor that was shared in the dialog of the desktop", to)}
}

func (m *portalMouse) button(code uint32, down bool) error {
	return m.notify("NotifyPointerButton", int32(code), stateOf(down))
}

func (m *portalMouse) turn(axis uint32, step int) error {
	return m.notify("NotifyPointerAxisDiscrete", axis, int32(step))
}

// portalKeys press the keys of the session's own keyboard.
type portalKeys struct {
	*keyboard
	*portal
	layout layout
}

func (k *portalKeys) key(code uint32, down bool) error {
	return k.notify("NotifyKeyboardKeycode", int32(code), stateOf(down))
}

// modifiers only reads the layouts, which are needed before the first key: the compositor sees
// the keys.
func (k *portalKeys) modifiers(uint32) error { return k.read(context.Background()) }

// read reads the layouts, unless that has been done.
func (k *portalKeys) read(ctx context.Context) error {
	if k.layout.known() {
		return nil
	}
	seat, there, err := k.wake(ctx, k.conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the compositor did not send its keyboard: %w", desktop.ErrUnresponsive))
	defer cancel()
	if err := k.conn.Await(ctx, there); err != nil {
		return err
	}
	k.layout.follow(seat)
	return k.conn.Sync(ctx)
}

// wake returns the seat, and a channel that is closed once it has a keyboard, which must not be
// requested before. A headless compositor has a keyboard only from the first key on, and gives
// no window the focus before that: wake then presses a key without a meaning.
func (p *portal) wake(ctx context.Context, conn *wire.Conn) (seat wire.Seat, has <-chan struct{}, err error) {
	const keyboard = 2
	there, tell := newSignal()
	seat, err = wire.BindSeat(conn, 0, wire.SeatEvents{Capabilities: func(all uint32) {
		if all&keyboard != 0 {
			tell()
		}
	}})
	if err == nil {
		err = conn.Sync(ctx)
	}
	if err != nil {
		return seat, there, err
	}
	select {
	case <-there:
		return seat, there, nil
	default:
	}
	const unknown = int32(240)
	for _, down := range []bool{true, false} {
		if err := p.notify("NotifyKeyboardKeycode", unknown, stateOf(down)); err != nil {
			return seat, there, err
		}
	}
	return seat, there, nil
}

// stroke returns how a keysym is typed in all layouts of the session: nothing tells which one is
// in use.
func (k *portalKeys) stroke(_ context.Context, sym uint32) (stroke, bool) {
	return k.layout.agreed(sym)
}

func (k *portalKeys) text(ctx context.Context, text string, syms []uint32) error {
	if err := k.read(ctx); err != nil {
		return err
	}
	i := slices.IndexFunc(syms, func(sym uint32) bool { _, ok := k.layout.agreed(sym); return !ok })
	if i >= 0 && k.keyboard.clipboard.missing != nil {
		return &desktop.MissingError{What: fmt.Sprintf("%q cannot be typed: not all layouts of the session have it on the same key, and there is no clipboard to paste it from; set_value works", []rune(text)[i])}
	}
	return k.typeOrPaste(ctx, text, syms, k.layout.agreed)
}
