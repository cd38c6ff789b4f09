//go:build linux

package wayland

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// notedKeys note what they are asked for.
type notedKeys struct {
	codes []uint32
	texts []string
	syms  []uint32
}

func (k *notedKeys) key(code uint32, down bool) error {
	if down {
		k.codes = append(k.codes, code)
	}
	return nil
}

func (*notedKeys) modifiers(uint32) error { return nil }

func (k *notedKeys) text(_ context.Context, text string, syms []uint32) error {
	k.texts, k.syms = append(k.texts, text), syms
	return nil
}

func onNotedKeys() (*keyboard, *notedKeys) {
	noted := &notedKeys{}
	return &keyboard{keys: noted, down: map[desktop.Key]stroke{}}, noted
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
