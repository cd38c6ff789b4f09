//go:build linux

package x11

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

type keyboard struct {
	*Driver
	// The fields below are guarded by inputMu.
	down   map[desktop.Key][]xproto.Keycode // the keys that KeyDown pressed
	ready  xproto.Window                    // the last window that waitUntilReady waited for
	still  bool                             // keys do not repeat while some of down are
	behind bool                             // typing failed, and the application may not have read all of the text
	top    toplevels
}

// press presses a chord's modifiers and its key, and releases them in reverse. A character
// without modifiers is typed.
func (b *keyboard) press(ctx context.Context, l *xConn, a desktop.Press) error {
	c := a.Chord
	if err := input.Known(input.Keys(c)...); err != nil {
		return err
	}
	if a.Global != nil {
		if err := b.askGlobal(ctx, l, c, a.Global); err != nil || a.Ask {
			return err
		}
	}
	if text, ok := input.Types(c); ok {
		return b.enter(ctx, l, text, a.In)
	}
	if err := do(ctx, l, func() error { return l.takesShortcut(c.Key) }); err != nil {
		return err
	}
	keys, err := b.keysOf(ctx, l, input.Keys(c)...)
	if err != nil {
		return err
	}
	return b.once(ctx, l, func() error {
		return do(ctx, l, func() error { return b.whileIn(l, a.In, func() error { return b.chord(l, keys, isDigitOfPad(c.Key)) }) })
	})
}

// takesShortcut fails if the active window does not take a key of a shortcut that the layout
// lacks. Motif knows only the keys that had their meaning when it started, and takes others
// for control characters of a text.
func (l *xConn) takesShortcut(k desktop.Key) error {
	if !l.speaks(l.activeWindow(), "_MOTIF_WM_MESSAGES") {
		return nil
	}
	if _, err := l.learn(); err != nil {
		return err
	}
	if _, has := l.keymap.layout[symOf(k)]; has {
		return nil
	}
	return &desktop.MissingError{
		What: fmt.Sprintf("the keyboard layout has no key %q, and the active window is one of Motif, which takes shortcuts only by the keys that there were when it started", k),
		Mend: "setxkbmap us, and start the application again",
	}
}

// symOf returns the keysym of a key.
func symOf(k desktop.Key) uint32 {
	if n, named := input.NamedKeys[k]; named {
		return n.Sym
	}
	char, _ := input.Character(k)
	return input.SymOf(char)
}

// askGlobal finds out whether another program has grabbed a chord, by grabbing it: the server
// refuses a second grab.
func (b *keyboard) askGlobal(ctx context.Context, l *xConn, c desktop.Chord, taken *bool) error {
	keys, err := b.keysOf(ctx, l, input.Keys(c)...)
	if err != nil {
		return err
	}
	last := len(keys) - 1
	*taken, err = perform(ctx, l, func() (bool, error) {
		bits, err := l.modifierKeys()
		if err != nil {
			return false, err
		}
		var mods uint16
		for _, key := range keys[:last] {
			mods |= bits[key]
		}
		err = xproto.GrabKeyChecked(l.x, false, l.root, mods, keys[last], xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
		if _, grabbed := errors.AsType[xproto.AccessError](err); grabbed {
			return true, nil
		}
		if err == nil {
			err = xproto.UngrabKeyChecked(l.x, keys[last], l.root, mods).Check()
		}
		return false, err
	})
	return err
}

// chord presses keys and releases them in reverse, without the modifiers that a person holds, and
// with NumLock switched on meanwhile if that is asked for.
func (b *keyboard) chord(l *xConn, keys []xproto.Keycode, numlock bool) error {
	state, err := l.xkbState()
	if err != nil {
		return err
	}
	again, err := b.lift(l, state, false)
	if err != nil {
		return err
	}
	defer l.x.Sync()
	defer again()
	if bit := l.keymap.numbit; numlock && state.locked&bit == 0 {
		l.xkbLock(bit, bit, state.lockedGroup)
		defer l.xkbLock(bit, 0, state.lockedGroup)
	}
	b.stroke(l, keys)
	return nil
}

// stroke presses keys and releases them in reverse.
func (b *keyboard) stroke(l *xConn, keys []xproto.Keycode) {
	for _, key := range keys {
		b.key(l, key, true)
	}
	for _, key := range slices.Backward(keys) {
		b.key(l, key, false)
	}
}

// whileIn sends keys while the server is grabbed, so that no other window can get the
// keyboard between the check and the keys. Without a window it only sends them.
func (b *keyboard) whileIn(l *xConn, in *desktop.Window, send func() error) error {
	if in == nil {
		return send()
	}
	xproto.GrabServer(l.x)
	defer l.x.Sync()
	defer xproto.UngrabServer(l.x)
	if err := b.verifyTarget(l, in); err != nil {
		return err
	}
	return send()
}

// verifyTarget fails if another managed window than in has the keyboard, or if its program
// is about to show one, to which a toolkit passes the keys at once. The focus may also be
// in a part of the window, or in a popup of its program, which is not managed.
func (b *keyboard) verifyTarget(l *xConn, in *desktop.Window) error {
	if in == nil {
		return nil
	}
	if w, err := b.top.appeared(l, in.ID, time.Now()); err != nil || w != 0 {
		return cmp.Or(err, elsewhere(l, w))
	}
	focus, err := xproto.GetInputFocus(l.x).Reply()
	if err != nil {
		return err
	}
	for w := focus.Focus; w > xproto.InputFocusPointerRoot && w != l.root && w != xproto.Window(in.ID); {
		if len(l.numbers(w, "WM_STATE")) > 0 {
			return elsewhere(l, w)
		}
		tree, err := xproto.QueryTree(l.x, w).Reply()
		if err != nil {
			return nil //nolint:nilerr // the window is gone, and its keys with it
		}
		w = tree.Parent
	}
	return nil
}

func elsewhere(l *xConn, w xproto.Window) error {
	return &desktop.ElsewhereError{Has: l.describe([]uint32{uint32(w)})[0].Window}
}

// toplevels are the children of the root when keys were last sent to a window.
type toplevels struct {
	of   desktop.WindowID
	at   time.Time
	seen map[xproto.Window]bool
}

// sameText is how long after keys the next ones count as the same text.
const sameText = 2 * time.Second

// appeared returns a window that the program of another one has created since the keys
// before, and that the window manager does not manage yet; 0 if there is none.
func (t *toplevels) appeared(l *xConn, of desktop.WindowID, now time.Time) (xproto.Window, error) {
	tree, err := xproto.QueryTree(l.x, l.root).Reply()
	if err != nil {
		return 0, err
	}
	before := *t
	*t = toplevels{of, now, make(map[xproto.Window]bool, len(tree.Children))}
	client := ^l.setup.ResourceIdMask
	var fresh xproto.Window
	for _, w := range tree.Children {
		t.seen[w] = true
		if before.of == of && now.Sub(before.at) < sameText && !before.seen[w] && uint32(w)&client == uint32(of)&client && l.awaitsManager(w) {
			fresh = w
		}
	}
	return fresh, nil
}

// awaitsManager reports whether a window manager will manage a window that it does not
// manage yet.
func (l *xConn) awaitsManager(w xproto.Window) bool {
	a, err := xproto.GetWindowAttributes(l.x, w).Reply()
	return err == nil && !a.OverrideRedirect && a.Class != xproto.WindowClassInputOnly &&
		len(l.numbers(w, "WM_PROTOCOLS")) > 0 && len(l.numbers(w, "WM_STATE")) == 0
}

// isDigitOfPad reports whether a key of the number pad has another meaning without NumLock.
func isDigitOfPad(k desktop.Key) bool {
	sym := input.NamedKeys[k].Sym
	return sym >= 0xffb0 && sym <= 0xffb9 || sym == 0xffae
}

// setKey presses or releases a key. Pressing a key that is down does nothing. A key that is
// held does not repeat: it would in each window that gets the focus meanwhile.
func (b *keyboard) setKey(ctx context.Context, l *xConn, k desktop.Key, down bool, in *desktop.Window) error {
	if err := input.Known(k); err != nil {
		return err
	}
	keys, held := b.down[k]
	if held && down {
		return nil
	}
	if !held {
		var err error
		if keys, err = b.keysOf(ctx, l, k); err != nil {
			return err
		}
	}
	if !down {
		delete(b.down, k)
		slices.Reverse(keys)
	}
	err := do(ctx, l, func() (err error) {
		if down && !b.still {
			if b.still, err = b.stopRepeating(l); err != nil {
				return err
			}
		}
		return b.whileIn(l, in, func() error {
			for _, key := range keys {
				b.key(l, key, down)
			}
			l.x.Sync()
			return nil
		})
	})
	if down && err == nil {
		b.down[k] = keys
	}
	if len(b.down) > 0 || !b.still {
		return err
	}
	b.still = false
	if !l.alive() { // the server has made keys repeat again
		return err
	}
	return errors.Join(err, do(ctx, l, func() error { return b.repeatAgain(l) }))
}

// keysOf returns the keycodes to press, in order, for keys. Shift is among them if one of the
// keys is a character that needs it.
func (b *keyboard) keysOf(ctx context.Context, l *xConn, ks ...desktop.Key) ([]xproto.Keycode, error) {
	return perform(ctx, l, func() ([]xproto.Keycode, error) {
		if _, err := l.learn(); err != nil {
			return nil, err
		}
		var keys []xproto.Keycode
		for _, k := range ks {
			s, err := b.strokeOf(l, k)
			if err != nil {
				return nil, err
			}
			if s.shift && !isDigitOfPad(k) && !slices.Contains(keys, l.keymap.shift) {
				keys = append(keys, l.keymap.shift)
			}
			keys = append(keys, s.key)
		}
		return keys, nil
	})
}

// strokeOf returns how a key is pressed. A key that the layout lacks is bound to a spare
// keycode.
func (b *keyboard) strokeOf(l *xConn, k desktop.Key) (stroke, error) {
	sym := symOf(k)
	s, ok := l.keymap.find(sym)
	if !ok && sym == symLevel3 { // some layouts have only Alt there
		s, ok = l.keymap.find(symAltRight)
	}
	if ok {
		return s, nil
	}
	count, bind, wait := l.keymap.plan([]uint32{sym}, 1, time.Now())
	if count == 0 {
		return stroke{}, &desktop.MissingError{What: fmt.Sprintf("the keyboard layout has no key %q and no free key for it", k), Mend: "setxkbmap us"}
	}
	time.Sleep(wait)
	if err := b.bind(l, bind); err != nil {
		return stroke{}, err
	}
	l.keymap.use(sym, time.Now())
	s, _ = l.keymap.find(sym)
	return s, nil
}

// key presses or releases one key, and notes that it is held and that the input is ours.
func (b *keyboard) key(l *xConn, key xproto.Keycode, down bool) {
	kind := byte(xproto.KeyRelease)
	if down {
		kind = xproto.KeyPress
		b.held.key(byte(key), true)
	}
	b.own.expect(kind, byte(key))
	xtest.FakeInput(l.x, kind, byte(key), 0, l.root, 0, 0, 0)
	if !down {
		b.held.key(byte(key), false)
	}
}
