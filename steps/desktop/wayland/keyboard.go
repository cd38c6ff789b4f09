//go:build linux

package wayland

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
	"understudy/steps/desktop/wayland/wire"
)

// keyboard is one virtual keyboard, whose keymap is ours: text is typed on a
// keyboard that has its characters, so no layout matters. Its fields are
// guarded by turn.
type keyboard struct {
	*Driver
	device  wire.VirtualKeyboard
	missing error // why there is no device
	keymap  string
	down    map[desktop.Key]stroke // what KeyDown pressed
}

func (b *keyboard) open(seat wire.Seat) {
	m, err := wire.BindVirtualKeyboardManager(b.conn, 0)
	if b.missing = err; err == nil {
		b.device = m.CreateVirtualKeyboard(seat)
	}
}

// use makes a keymap that of the keyboard. Programs hear of it with the next
// modifiers, which therefore go before the next key.
func (b *keyboard) use(keymap string, mods uint32) error {
	if b.missing != nil {
		return b.missing
	}
	if b.keymap != keymap {
		f, err := memory("keymap", []byte(keymap+"\x00"))
		if err != nil {
			return err
		}
		defer f.Close()
		const xkbV1 = 1
		b.device.Keymap(xkbV1, f, uint32(len(keymap)+1))
		b.keymap = keymap
	}
	b.device.Modifiers(mods, 0, 0, 0)
	return nil
}

// memory is a file in memory that holds some bytes.
func memory(name string, content []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(content); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (b *keyboard) key(code uint32, down bool) {
	var state uint32
	if down {
		state = 1
	}
	b.device.Key(clock(), code, state)
}

// mods is the mask of the modifiers that KeyDown holds.
func (b *keyboard) mods() (mask uint32) {
	for k := range b.down {
		mask |= masks[k]
	}
	return mask
}

func (b *keyboard) keyDown(k desktop.Key) error {
	s, err := strokeOf(k)
	if err != nil {
		return err
	}
	if _, ok := b.down[k]; ok {
		return nil
	}
	if err := b.use(plainKeymap, b.mods()); err != nil {
		return err
	}
	b.down[k] = s
	b.key(s.code, true)
	return b.use(plainKeymap, b.mods())
}

func (b *keyboard) keyUp(k desktop.Key) error {
	s, err := strokeOf(k)
	if err != nil {
		return err
	}
	if err := b.use(plainKeymap, b.mods()); err != nil {
		return err
	}
	delete(b.down, k)
	b.key(s.code, false)
	return b.use(plainKeymap, b.mods())
}

// press presses a chord's modifiers, its key, and releases them in reverse. A
// character without modifiers is typed.
func (b *keyboard) press(ctx context.Context, a desktop.Press) error {
	if a.Ask {
		return nil // what shortcuts the compositor takes is not told
	}
	if err := input.Known(append(slices.Clone(a.Chord.Mods), a.Chord.Key)...); err != nil {
		return err
	}
	if text, ok := input.Types(a.Chord); ok {
		return b.enter(ctx, text)
	}
	c := input.Plain(a.Chord)
	key, err := strokeOf(c.Key)
	if err != nil {
		return err
	}
	if key.shift && !slices.Contains(c.Mods, desktop.Shift) {
		c.Mods = append(slices.Clone(c.Mods), desktop.Shift)
	}
	before := b.mods()
	if err := b.use(plainKeymap, before); err != nil {
		return err
	}
	mask := before
	for _, m := range c.Mods {
		b.key(named[m], true)
		mask |= masks[m]
		b.device.Modifiers(mask, 0, 0, 0)
	}
	b.key(key.code, true)
	b.key(key.code, false)
	for _, m := range slices.Backward(c.Mods) {
		b.key(named[m], false)
	}
	b.device.Modifiers(before, 0, 0, 0)
	return nil
}

const (
	// handful is how many characters are typed at once: a compositor cuts off a
	// program that has not read some hundred kilobytes of events.
	handful = 32
	// handfulRest is what is between two handfuls.
	handfulRest = 5 * time.Millisecond
)

// enter types text exactly, whatever layout and modifiers there are. The
// compositor has the keys when it returns; no program can be asked whether it
// has read them.
func (b *keyboard) enter(ctx context.Context, text string) error {
	syms, err := input.Typeable(text)
	if err != nil {
		return err
	}
	to, err := b.target(ctx)
	if err != nil {
		return err
	}
	if to.narrow && strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff }) {
		return b.paste(ctx, text)
	}
	if !slices.ContainsFunc(syms, func(sym uint32) bool { _, ok := plainStrokes[sym]; return !ok }) {
		return b.strokes(ctx, plainKeymap, plainStrokes, syms)
	}
	for len(syms) > 0 {
		keymap, strokes, n := textKeymap(syms)
		if err := b.strokes(ctx, keymap, strokes, syms[:n]); err != nil {
			return fmt.Errorf("typing, with at most %d characters left: %w", len(syms), err)
		}
		syms = syms[n:]
	}
	return b.use(plainKeymap, b.mods())
}

// strokes types keysyms on one keyboard. What KeyDown holds does not change them.
func (b *keyboard) strokes(ctx context.Context, keymap string, by map[uint32]stroke, syms []uint32) error {
	if err := b.use(keymap, 0); err != nil {
		return err
	}
	shifted := false
	for some := range slices.Chunk(syms, handful) {
		for _, sym := range some {
			s := by[sym]
			if s.shift != shifted {
				shifted = s.shift
				b.device.Modifiers(map[bool]uint32{true: masks[desktop.Shift]}[shifted], 0, 0, 0)
			}
			b.key(s.code, true)
			b.key(s.code, false)
		}
		if err := b.conn.Sync(ctx); err != nil {
			return err
		}
		if len(syms) > handful {
			if err := desktop.Sleep(ctx, handfulRest); err != nil {
				return err
			}
		}
	}
	b.device.Modifiers(b.mods(), 0, 0, 0)
	return nil
}

// A typingTarget is the window that gets what is typed.
type typingTarget struct {
	narrow bool // it takes characters of more than 16 bits for others
}

// target looks at the window that gets what is typed. One of X is refused: its
// server is told of a keyboard at its own pace, so that keys arrive as others.
func (b *keyboard) target(ctx context.Context) (to typingTarget, err error) {
	all, err := b.place.windows(ctx)
	if err != nil {
		return to, err
	}
	w := desktop.Windows(all).Active()
	if w == nil {
		return to, nil
	}
	if foreign, err := b.place.foreign(ctx, w.ID); err != nil {
		return to, err
	} else if foreign {
		return to, &desktop.MissingError{What: fmt.Sprintf("the window %q is one of XWayland, where what is typed may arrive as something else; set_text, or the program started with its Wayland backend, works", w.Title)}
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", w.PID))
	if err != nil {
		return to, nil //nolint:nilerror // a program of somebody else is none of those below
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(exe), "icudtl.dat")) // Chromium, and all that is made of it
	return typingTarget{narrow: err == nil}, nil
}

// paste enters text by the clipboard, and gives that its text back.
func (b *keyboard) paste(ctx context.Context, text string) error {
	before, err := b.clipboard.ReadClipboard(ctx)
	if err != nil {
		return fmt.Errorf("this program takes an emoji only from the clipboard: %w", err)
	}
	taken, err := b.clipboard.offer(ctx, text)
	if err != nil {
		return err
	}
	if err := b.press(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "v"}}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the program did not take the text from the clipboard: %w", desktop.ErrRefused))
	defer cancel()
	if err := b.conn.Await(ctx, taken); err != nil {
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
	return b.clipboard.write(ctx, before)
}

// pasteRest is how long nobody has taken the text from the clipboard when it gets its
// own back: a browser looks at what comes there before it is told to paste it.
const pasteRest = 300 * time.Millisecond

func (b *keyboard) release() {
	if len(b.down) == 0 {
		return
	}
	for k, s := range b.down {
		b.key(s.code, false)
		delete(b.down, k)
	}
	b.device.Modifiers(0, 0, 0, 0)
}
