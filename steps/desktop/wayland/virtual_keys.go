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
	"understudy/steps/desktop/wayland/wire"
)

// virtualKeys are the keys of the protocol of virtual keyboards. Their keymap is
// ours: text is typed on a keyboard that has its characters, so no layout matters.
type virtualKeys struct {
	*keyboard
	device wire.VirtualKeyboard
	keymap string
}

func newVirtualKeys(b *keyboard, seat wire.Seat) (keys, error) {
	m, err := wire.BindVirtualKeyboardManager(b.conn, 0)
	if err != nil {
		return nil, err
	}
	return &virtualKeys{keyboard: b, device: m.CreateVirtualKeyboard(seat)}, nil
}

func (b *virtualKeys) key(code uint32, down bool) error {
	b.device.Key(clock(), code, stateOf(down))
	return nil
}

func (b *virtualKeys) modifiers(mask uint32) error { return b.use(plainKeymap, mask) }

// use makes a keymap that of the keyboard. Programs hear of it with the next
// modifiers, which therefore go before the next key.
func (b *virtualKeys) use(keymap string, mods uint32) error {
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

const (
	// handful is how many characters are typed at once: a compositor cuts off a
	// program that has not read some hundred kilobytes of events.
	handful = 32
	// handfulRest is what is between two handfuls.
	handfulRest = 5 * time.Millisecond
	// keymapRest is what is between two keymaps: a program that has too much to do takes
	// as long to read one, and was cut off when many came at once.
	keymapRest = 40 * time.Millisecond
)

func (b *virtualKeys) text(ctx context.Context, text string, syms []uint32) error {
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
		if syms = syms[n:]; len(syms) > 0 {
			if err := desktop.Sleep(ctx, keymapRest); err != nil {
				return fmt.Errorf("typing, with at most %d characters left: %w", len(syms), err)
			}
		}
	}
	return b.modifiers(b.mods())
}

// strokes types keysyms on one keyboard. What KeyDown holds does not change them.
func (b *virtualKeys) strokes(ctx context.Context, keymap string, by map[uint32]stroke, syms []uint32) error {
	if err := b.use(keymap, 0); err != nil {
		return err
	}
	shifted := false
	for some := range slices.Chunk(syms, handful) {
		b.conn.Together(func() {
			for _, sym := range some {
				s := by[sym]
				if s.shift != shifted {
					shifted = s.shift
					b.device.Modifiers(map[bool]uint32{true: masks[desktop.Shift]}[shifted], 0, 0, 0)
				}
				b.device.Key(clock(), s.code, stateOf(true))
				b.device.Key(clock(), s.code, stateOf(false))
			}
		})
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
func (b *virtualKeys) target(ctx context.Context) (to typingTarget, err error) {
	all, err := b.place.windows(ctx)
	if err != nil {
		return to, err
	}
	w := desktop.Windows(all).Active()
	if w == nil {
		return to, nil
	}
	if h, ok := b.place.(host); ok {
		foreign, err := h.foreign(ctx, w.ID)
		if err != nil {
			return to, err
		}
		if foreign {
			return to, &desktop.MissingError{What: fmt.Sprintf("the window %q is one of XWayland, where what is typed may arrive as something else; set_text, or the program started with its Wayland backend, works", w.Title)}
		}
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", w.PID))
	if err != nil {
		return to, nil //nolint:nilerror // a program of somebody else is none of those below
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(exe), "icudtl.dat")) // Chromium, and all that is made of it
	return typingTarget{narrow: err == nil}, nil
}
