//go:build darwin

package robot

import (
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// A text with a character that no key types is refused before any of it is typed.
func TestATextWithAControlCharacterIsRefused(t *testing.T) {
	before := toolkit
	defer func() { toolkit = before }()
	toolkit.typeText = func(text string, _ ...int) { t.Errorf("%q was typed", text) }
	toolkit.keyTap = func(key string, _ ...any) error { t.Errorf("%q was pressed", key); return nil }
	d := &Driver{inputMu: input.NewMutex()}
	for _, text := range []string{"rm\x1b", "one\ntwo\u0085", "not\xff"} {
		if err := d.Do(t.Context(), desktop.Type{Text: text}); err == nil {
			t.Errorf("%q was not refused", text)
		}
	}
}
