//go:build linux

package wayland

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// keys press keys of the usual keyboard. The compositor may not have handled them when the
// methods return.
type keys interface {
	key(code uint32, down bool) error
	// modifiers sets the modifiers that are held, and must be called before the first key.
	modifiers(mask uint32) error
	// text types text exactly, whatever the layout and the modifiers that are held.
	text(ctx context.Context, text string, syms []uint32) error
}

// keyboard is a virtual keyboard. Its fields are guarded by inputMu.
type keyboard struct {
	*Driver
	keys    keys
	missing error // why there are no keys
	// find returns how a keysym is typed in the session's own layout, or false if no key has
	// it. It is nil if the layout is the usual one.
	find func(ctx context.Context, sym uint32) (stroke, bool)
	down map[desktop.Key]stroke // the keys that KeyDown pressed
}

// modifiers sets the modifiers for the keys that follow.
func (b *keyboard) modifiers(mask uint32) error {
	if b.missing != nil {
		return b.missing
	}
	return b.keys.modifiers(mask)
}

// mods returns the mask of the modifiers that KeyDown holds.
func (b *keyboard) mods() (mask uint32) {
	for k, s := range b.down {
		mask |= input.ModBits[k]
		for _, m := range s.mods() {
			mask |= input.ModBits[m]
		}
	}
	return mask
}

// strokeOf returns how a key is pressed. A letter that the layout lacks is pressed where the
// usual keyboard has it: programs look there for chords.
func (b *keyboard) strokeOf(ctx context.Context, k desktop.Key) (stroke, error) {
	if err := input.Known(k); err != nil {
		return stroke{}, err
	}
	if code := codeOf(k); code != 0 {
		return stroke{code: code}, nil
	}
	char, ok := input.Character(k)
	if !ok {
		return stroke{}, &desktop.MissingError{What: fmt.Sprintf("in a Wayland session the key %q cannot be pressed: wanted one of the usual English keyboard, which %q is not", k, k)}
	}
	if b.find != nil {
		if s, ok := b.find(ctx, input.SymOf(char)); ok {
			return s, nil
		}
	}
	if s, ok := plainStroke(input.SymOf(char)); ok {
		return s, nil
	}
	return stroke{}, &desktop.MissingError{What: fmt.Sprintf("in a Wayland session the key %q cannot be pressed: wanted one of the usual English keyboard, which %q is not; type it as text instead", k, k)}
}

// setKey presses or releases a key, with the modifiers that it needs. Pressing a key that is down
// does nothing.
func (b *keyboard) setKey(ctx context.Context, k desktop.Key, down bool) error {
	s, err := b.strokeOf(ctx, k)
	if err != nil {
		return err
	}
	if _, held := b.down[k]; held && down {
		return nil
	}
	before := b.mods()
	if err := b.modifiers(before); err != nil {
		return err
	}
	if down {
		b.down[k] = s
	} else {
		delete(b.down, k)
	}
	var codes []uint32
	for _, m := range s.mods() {
		if (before^b.mods())&input.ModBits[m] != 0 { // nothing else holds it
			codes = append(codes, codeOf(m))
		}
	}
	codes = append(codes, s.code)
	if !down {
		slices.Reverse(codes)
	}
	for _, code := range codes {
		err = errors.Join(err, b.keys.key(code, down), b.modifiers(b.mods()))
	}
	return err
}

// press presses a chord's modifiers and its key, and releases them in reverse. A character
// without modifiers is typed.
func (b *keyboard) press(ctx context.Context, a desktop.Press) error {
	if a.Ask {
		return nil // the compositor does not tell which shortcuts it takes
	}
	if err := input.Known(input.Keys(a.Chord)...); err != nil {
		return err
	}
	if text, ok := input.Types(a.Chord); ok {
		return b.enter(ctx, text)
	}
	c := a.Chord
	key, err := b.strokeOf(ctx, c.Key)
	if err != nil {
		return err
	}
	for _, m := range key.mods() {
		if !slices.Contains(c.Mods, m) {
			c.Mods = append(slices.Clone(c.Mods), m)
		}
	}
	before := b.mods()
	if err := b.modifiers(before); err != nil {
		return err
	}
	mask := before
	for i, m := range c.Mods {
		mask |= input.ModBits[m]
		if err = errors.Join(b.keys.key(codeOf(m), true), b.modifiers(mask)); err != nil {
			c.Mods = c.Mods[:i+1] // to be released
			break
		}
	}
	if err == nil {
		err = errors.Join(b.keys.key(key.code, true), b.keys.key(key.code, false))
	}
	for _, m := range slices.Backward(c.Mods) {
		err = errors.Join(err, b.keys.key(codeOf(m), false))
	}
	return errors.Join(err, b.modifiers(before))
}

// enter types text. The compositor has handled the keys when it returns; programs cannot be
// asked whether they have read them.
func (b *keyboard) enter(ctx context.Context, text string) error {
	if b.missing != nil {
		return b.missing
	}
	syms, err := input.Typeable(text)
	if err != nil {
		return err
	}
	return b.keys.text(ctx, lineEnds.Replace(text), syms)
}

// lineEnds makes each line end one character, as it is one key.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// paste enters text by the clipboard, whose text it restores.
func (b *keyboard) paste(ctx context.Context, text string) (err error) {
	before, err := b.clipboard.ReadClipboard(ctx)
	if err != nil {
		return fmt.Errorf("this program takes an emoji only from the clipboard: %w", err)
	}
	taken, err := b.clipboard.selection.offer(ctx, text, true)
	if err != nil {
		return err
	}
	defer func() { // also if the caller has given up: the text may be a secret
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), settle)
		defer cancel()
		err = errors.Join(err, b.clipboard.write(after, before))
	}()
	err = b.withoutModifiers(func() error {
		return b.press(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "v"}})
	})
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the program did not take the text from the clipboard: %w", desktop.ErrRefused))
	defer cancel()
	if err := b.conn.Await(waiting, taken); err != nil {
		return err
	}
	for rest := time.After(pasteRest); rest != nil; {
		select {
		case <-taken:
			rest = time.After(pasteRest)
		case <-rest:
			rest = nil
		}
	}
	return nil
}

// pasteRest is how long nobody must have read the clipboard before its text is restored: a
// browser reads a new text before it is told to paste that.
const pasteRest = 300 * time.Millisecond

func (b *keyboard) release() {
	if len(b.down) == 0 {
		return
	}
	for _, s := range b.down {
		_ = b.keys.key(s.code, false) // it could be pressed
		for _, m := range s.mods() {
			_ = b.keys.key(codeOf(m), false)
		}
	}
	clear(b.down)
	_ = b.keys.modifiers(0)
}
