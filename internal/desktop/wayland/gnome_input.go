//go:build linux

package wayland

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// gnomeMouse moves the pointer by relative motions, in points: GNOME accepts absolute positions
// only from a client that records the screen.
type gnomeMouse struct{ *gnome }

func (m *gnomeMouse) position(ctx context.Context) (desktop.Point, error) { return m.settle(ctx) }

// moves is how often to try to move the pointer to a point: a person may move it meanwhile.
const moves = 4

func (m *gnomeMouse) move(ctx context.Context, to desktop.Point, _ desktop.Rect) error {
	at, err := m.settle(ctx)
	for range moves {
		if err != nil || at == to {
			return err
		}
		if err = m.send("NotifyPointerMotionRelative", float64(to.X-at.X), float64(to.Y-at.Y)); err == nil {
			at, err = m.leave(ctx, at)
		}
	}
	if err == nil && at != to {
		err = fmt.Errorf("the pointer is at %s and did not move to %s: %w", at, to, desktop.ErrRefused)
	}
	return err
}

// leave returns the position of the pointer once it has left a point, or after a while.
func (m *gnomeMouse) leave(ctx context.Context, from desktop.Point) (at desktop.Point, err error) {
	defer m.rest() // a move that a busy shell makes late is ours too
	for end := time.Now().Add(time.Second); ; {
		if at, err = m.handled(ctx); err != nil || at != from || time.Now().After(end) {
			return at, err
		}
	}
}

func (m *gnomeMouse) button(code uint32, down bool) error {
	return m.send("NotifyPointerButton", int32(code), down)
}

func (m *gnomeMouse) turn(axis uint32, step int) error {
	return m.send("NotifyPointerAxisDiscrete", axis, int32(step))
}

// gnomeKeys press keys of the usual layout, whichever one the person uses.
type gnomeKeys struct {
	*keyboard
	*gnome
}

func (k *gnomeKeys) key(code uint32, down bool) error {
	return k.send(gnomeKey, code, down)
}

// modifiers only sets the layout: GNOME sees the keys.
func (k *gnomeKeys) modifiers(uint32) error {
	ctx, cancel := bounded()
	defer cancel()
	_, err := k.ready(ctx)
	return err
}

// ready sets the usual layout for the keys that follow, and reports whether CapsLock is on.
func (k *gnomeKeys) ready(ctx context.Context) (capsLock bool, err error) {
	err = k.ask(ctx, "Plain", []any{&capsLock})
	return capsLock, err
}

// text types text that the usual layout has by keys. Other text is committed as an input method
// does, or pasted into an application that does not listen to input methods.
func (k *gnomeKeys) text(ctx context.Context, text string, syms []uint32) error {
	if strokes, ok := strokesFor(syms, plainStroke); ok {
		return k.strokes(ctx, strokes...)
	}
	return k.commit(ctx, text)
}

// strokes types strokes of the usual layout, without the modifiers that are held.
func (k *gnomeKeys) strokes(ctx context.Context, strokes ...stroke) error {
	capsLock, err := k.ready(ctx)
	if err != nil {
		return err
	}
	toggle := func() error {
		if !capsLock {
			return nil
		}
		return errors.Join(k.key(codeOf("capslock"), true), k.key(codeOf("capslock"), false))
	}
	return k.withoutModifiers(func() error {
		return errors.Join(toggle(), k.typeStrokes(ctx, strokes), toggle())
	})
}

// commit enters text as an input method does, and line ends and tabs by keys.
func (k *gnomeKeys) commit(ctx context.Context, text string) error {
	for committed := false; text != ""; {
		n := strings.IndexAny(text, "\n\t")
		switch {
		case n == 0:
			n = 1
			if err := k.strokes(ctx, plainStrokes[input.SymOf(rune(text[0]))]); err != nil {
				return err
			}
			if _, err := k.settle(ctx); err != nil {
				return err
			}
		default:
			if n < 0 {
				n = len(text)
			}
			var taken bool
			if err := k.ask(ctx, "Commit", []any{&taken}, text[:n]); err != nil {
				return err
			}
			if !taken && !committed {
				return k.paste(ctx, text)
			}
			if committed = true; !taken {
				return fmt.Errorf("the application stopped accepting text, with %d characters left: %w", len([]rune(text)), desktop.ErrUnclear)
			}
		}
		text = text[n:]
	}
	return nil
}
