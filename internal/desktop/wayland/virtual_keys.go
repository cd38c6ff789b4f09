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

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/wayland/wire"
)

// virtualKeys are the keys of the virtual keyboard protocol. Their keymap is ours: text is typed
// on a keyboard that has its characters, so that the layout does not matter.
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

// use sets the keymap of the keyboard. Programs receive it with the next modifiers, which
// therefore precede the next key.
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

// memory returns a file in memory with a content.
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
	// keysPerBatch is how many characters are typed at once: a compositor disconnects a program
	// with some hundred kilobytes of unread events.
	keysPerBatch = 32
	// batchRest is the pause between two batches.
	batchRest = 5 * time.Millisecond
	// keymapRest is the pause between two keymaps: a busy program takes that long to read
	// one, and was disconnected when many came at once.
	keymapRest = 40 * time.Millisecond
)

func (b *virtualKeys) text(ctx context.Context, text string, syms []uint32) error {
	narrow, err := b.narrowTarget(ctx)
	if err != nil {
		return err
	}
	if narrow && strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff }) {
		return b.paste(ctx, text)
	}
	if strokes, plain := strokesFor(syms, plainStroke); plain {
		return b.strokes(ctx, plainKeymap, strokes)
	}
	for len(syms) > 0 {
		keymap, strokes := textKeymap(syms)
		err := b.strokes(ctx, keymap, strokes)
		if err == nil {
			if syms = syms[len(strokes):]; len(syms) > 0 {
				err = desktop.Sleep(ctx, keymapRest)
			}
		}
		if err != nil {
			return fmt.Errorf("typing, with at most %d characters left: %w", len(syms), err)
		}
	}
	return b.modifiers(b.mods())
}

// strokes types strokes with a keymap, without the modifiers that are held.
func (b *virtualKeys) strokes(ctx context.Context, keymap string, strokes []stroke) error {
	if err := b.use(keymap, 0); err != nil {
		return err
	}
	defer func() { b.device.Modifiers(b.mods(), 0, 0, 0) }() // also after an error in the middle
	shifted := false
	for some := range slices.Chunk(strokes, keysPerBatch) {
		b.conn.Together(func() {
			for _, s := range some {
				if s.shift != shifted {
					shifted = s.shift
					b.device.Modifiers(map[bool]uint32{true: input.ModBits[desktop.Shift]}[shifted], 0, 0, 0)
				}
				b.device.Key(clock(), s.code, stateOf(true))
				b.device.Key(clock(), s.code, stateOf(false))
			}
		})
		if err := b.conn.Sync(ctx); err != nil {
			return err
		}
		if len(strokes) > keysPerBatch {
			if err := desktop.Sleep(ctx, batchRest); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrowTarget reports whether the program that gets the keys takes characters of more than 16
// bits for others. It fails for a window of XWayland, which reads keymaps at its own pace, so that
// keys arrive as others.
func (b *virtualKeys) narrowTarget(ctx context.Context) (bool, error) {
	all, err := b.place.windows(ctx)
	if err != nil {
		return false, err
	}
	w := desktop.Windows(all).Active()
	if w == nil {
		return false, nil
	}
	if b.foreign != nil {
		foreign, err := b.foreign(ctx, w.ID)
		if err != nil {
			return false, err
		}
		if foreign {
			return false, &desktop.MissingError{What: fmt.Sprintf("the window %q is one of XWayland, where what is typed may arrive as something else; set_value, or the program started with its Wayland backend, works", w.Title)}
		}
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", w.PID))
	if err != nil {
		return false, nil //nolint:nilerror // the program of another user is none of those below
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(exe), "icudtl.dat")) // Chromium, and what is based on it
	return err == nil, nil
}
