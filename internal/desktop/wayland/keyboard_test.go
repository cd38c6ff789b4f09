//go:build linux

package wayland

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/wayland/wire"
)

// notedKeys note what they are asked for.
type notedKeys struct {
	mask  uint32 // the modifiers that are held
	down  map[uint32]bool
	masks []uint32
	codes []uint32
	texts []string
	syms  []uint32
}

func (k *notedKeys) key(code uint32, down bool) error {
	if down {
		k.codes, k.masks = append(k.codes, code), append(k.masks, k.mask)
		k.down[code] = true
		return nil
	}
	delete(k.down, code)
	return nil
}

func (k *notedKeys) modifiers(mask uint32) error {
	k.mask = mask
	return nil
}

func (k *notedKeys) text(_ context.Context, text string, syms []uint32) error {
	k.texts, k.syms = append(k.texts, text), syms
	return nil
}

func onNotedKeys() (*keyboard, *notedKeys) {
	noted := &notedKeys{down: map[uint32]bool{}}
	return &keyboard{keys: noted, down: map[desktop.Key]stroke{}}, noted
}

// A key that is held for a character with Shift is held with that, and released with it, unless
// something else holds Shift too.
func TestACharacterWithShiftIsHeldWithShift(t *testing.T) {
	b, noted := onNotedKeys()
	hold := func(k desktop.Key, down bool) {
		t.Helper()
		if err := b.setKey(t.Context(), k, down); err != nil {
			t.Fatal(err)
		}
	}
	shift, bit := codeOf(desktop.Shift), input.ModBits[desktop.Shift]
	hold("!", true)
	codes, masks := []uint32{shift, plainStrokes['!'].code}, []uint32{0, bit}
	if diff := cmp.Diff(codes, noted.codes) + cmp.Diff(masks, noted.masks); diff != "" {
		t.Errorf("the keys, and the modifiers that they were pressed with (-want +got):\n%s", diff)
	}
	hold("A", true)
	hold("!", false)
	if want := map[uint32]bool{shift: true, plainStrokes['A'].code: true}; noted.mask != bit || !cmp.Equal(noted.down, want) {
		t.Errorf("with A still held, %v are down, with the modifiers %#x", noted.down, noted.mask)
	}
	b.release()
	if noted.mask != 0 || len(noted.down) > 0 {
		t.Errorf("in the end %v are down, with the modifiers %#x", noted.down, noted.mask)
	}
}

// A key that the usual keyboard lacks is refused, and no other one is pressed in its place.
func TestAKeyThatTheKeyboardLacks(t *testing.T) {
	b, noted := onNotedKeys()
	var missing *desktop.MissingError
	for _, err := range []error{
		b.press(t.Context(), desktop.Press{Chord: desktop.Chord{Key: "f13"}}),
		b.setKey(t.Context(), "f24", true),
	} {
		if !errors.As(err, &missing) {
			t.Errorf("got %v, want that the key is missing", err)
		}
	}
	if len(noted.codes) > 0 || len(b.down) > 0 {
		t.Errorf("the keys %v were pressed, %v are down, want none", noted.codes, b.down)
	}
}

// failingKeys are keys of a compositor that stops answering after some calls.
type failingKeys struct {
	*notedKeys
	answers int
}

func (k *failingKeys) modifiers(mask uint32) error {
	if k.answers--; k.answers < 0 {
		return desktop.ErrUnresponsive
	}
	return k.notedKeys.modifiers(mask)
}

// A chord that fails in the middle leaves no key down, and its key is not pressed without one of
// its modifiers.
func TestAChordThatFailsLeavesNoKeyDown(t *testing.T) {
	for answers := range 3 {
		b, noted := onNotedKeys()
		b.keys = &failingKeys{noted, answers}
		err := b.press(t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl, desktop.Shift}, Key: "s"}})
		if !errors.Is(err, desktop.ErrUnresponsive) || len(noted.down) > 0 || slices.Contains(noted.codes, plainStrokes['s'].code) {
			t.Errorf("after %d answers: %v; %v were pressed, %v are down", answers, err, noted.codes, noted.down)
		}
	}
}

// A line end is one, however it is written.
func TestALineEndOfTwoCharactersIsTypedOnce(t *testing.T) {
	b, noted := onNotedKeys()
	if err := b.enter(t.Context(), "ä\r\nb\rc"); err != nil {
		t.Fatal(err)
	}
	want := []uint32{input.SymOf('ä'), input.SymOf('\n'), 'b', input.SymOf('\n'), 'c'}
	if diff := cmp.Diff([]string{"ä\nb\nc"}, noted.texts) + cmp.Diff(want, noted.syms); diff != "" {
		t.Errorf("the text (-want +got):\n%s", diff)
	}
}

// notedClipboard notes what is put there. Everything is read at once, unless nobody reads.
type notedClipboard struct {
	texts   []string
	secrets []string // those that no history of clipboards may keep
	unread  bool
}

func (*notedClipboard) read(context.Context) (string, error) { return "before", nil }

func (c *notedClipboard) offer(ctx context.Context, text string, secret bool) (<-chan struct{}, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if secret {
		c.secrets = append(c.secrets, text)
	}
	c.texts = append(c.texts, text)
	taken := make(chan struct{}, 1)
	if !c.unread {
		taken <- struct{}{}
	}
	return taken, nil
}

// A text is pasted with Ctrl alone, and the modifiers that were held are held again afterwards.
func TestATextIsPastedWithoutTheHeldModifiers(t *testing.T) {
	b, noted := onNotedKeys()
	clips := &notedClipboard{}
	b.Driver = &Driver{conn: &wire.Conn{}}
	b.clipboard.selection = clips
	if err := b.setKey(t.Context(), desktop.Shift, true); err != nil {
		t.Fatal(err)
	}
	noted.codes, noted.masks = nil, nil
	if err := b.paste(t.Context(), "text"); err != nil {
		t.Fatal(err)
	}
	codes := []uint32{codeOf(desktop.Ctrl), plainStrokes['v'].code, codeOf(desktop.Shift)}
	masks := []uint32{0, input.ModBits[desktop.Ctrl], 0}
	if diff := cmp.Diff(codes, noted.codes) + cmp.Diff(masks, noted.masks) + cmp.Diff([]string{"text", "before"}, clips.texts) + cmp.Diff([]string{"text"}, clips.secrets); diff != "" {
		t.Errorf("the keys, the modifiers that they were pressed with, and the texts (-want +got):\n%s", diff)
	}
	if noted.mask != input.ModBits[desktop.Shift] || b.mods() != noted.mask {
		t.Errorf("the modifiers %#x are held, want Shift", noted.mask)
	}
}

// The clipboard gets its text back even if the program does not take the one that is pasted, or the
// caller gives up.
func TestATextThatIsNotPastedDoesNotStayOnTheClipboard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := onNotedKeys()
		clips := &notedClipboard{unread: true}
		b.Driver = &Driver{conn: &wire.Conn{}}
		b.clipboard.selection = clips
		if err := b.paste(t.Context(), "text"); !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("nobody took the text: %v, want a refusal", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.paste(ctx, "another"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller gave up: %v", err)
		}
		if diff := cmp.Diff([]string{"text", "before", "another", "before"}, clips.texts); diff != "" {
			t.Errorf("the texts on the clipboard (-want +got):\n%s", diff)
		}
	})
}

// A program that keeps a history of clipboards is told that a text is a secret, and has not taken
// it by asking that.
func TestASecretOnTheClipboardIsSaidToBeOne(t *testing.T) {
	given := make(chan string, 1)
	c := &busClipboard{
		explain: gnomeError,
		ready:   func() error { return nil },
		call: func(_ context.Context, method string, args ...any) *dbus.Call {
			if method != "SelectionWrite" {
				return &dbus.Call{}
			}
			r, w, err := os.Pipe()
			if err != nil {
				return &dbus.Call{Err: err}
			}
			go func() {
				defer r.Close()
				text, _ := io.ReadAll(r)
				given <- string(text)
			}()
			fd, err := syscall.Dup(int(w.Fd())) // the receiver closes it
			return &dbus.Call{Body: []any{dbus.UnixFD(fd)}, Err: errors.Join(err, w.Close())}
		},
	}
	for _, row := range []struct {
		kind, want string
		taken      bool
	}{{secretHint, "secret", false}, {texts[0], "Grüße", true}} {
		taken, err := c.offer(t.Context(), "Grüße", true)
		if err != nil {
			t.Fatal(err)
		}
		c.hear("SelectionTransfer", []any{row.kind, uint32(1)})
		if got := <-given; got != row.want {
			t.Errorf("as %s it is %q, want %q", row.kind, got, row.want)
		}
		if row.taken {
			<-taken
		} else if len(taken) > 0 {
			t.Errorf("it counts as taken when %s was read", row.kind)
		}
	}
}
