package aim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Method is how text gets into a field.
type Method string

func (Method) Words() []string { return []string{"auto", "keys", "text", "paste"} }

// The methods. Auto presses keys, except for a long text where another method has
// the same effect and takes less time; see methodsFor.
const (
	Auto  Method = "auto"
	Keys  Method = "keys"  // as a person types
	Text  Method = "text"  // by the field's own editing, without keys
	Paste Method = "paste" // from the clipboard, which gets back what it held
)

// longText is the number of characters from which typing takes so long that another
// method is preferred.
const longText = 300

// methodsFor returns the methods to try, in order. A text is put in at once only
// where that does what its keys would do: into a field that can be read, that is
// not a password, and in which no key of the text would leave the field or send it.
// The secrets of a run never go over the clipboard, which others may keep.
func methodsFor(el *desktop.Element, text string, asked Method, secret bool) []Method {
	if asked != "" && asked != Auto {
		return []Method{asked}
	}
	oneLine := !el.States.Has(desktop.MultiLine)
	if utf8.RuneCountInString(text) <= longText || el.Role == "password" || !el.States.Has(desktop.Editable) ||
		strings.Contains(text, "\t") || oneLine && strings.ContainsAny(text, "\n\r") {
		return []Method{Keys}
	}
	if secret {
		return []Method{Text, Keys}
	}
	return []Method{Text, Paste, Keys}
}

// enter puts text into a field that has the focus, by the first method that works.
func (t *Typed) enter(ctx context.Context, hand *Hand, el *desktop.Element, text string, asked Method) (err error) {
	for _, t.Method = range methodsFor(el, text, asked, hand.IsSecret(text)) {
		switch t.Method {
		case Text:
			err = hand.Desktop.Do(ctx, desktop.InsertText{Element: el.Handle, Text: text})
		case Paste:
			err = t.paste(ctx, hand, text)
		default:
			err = hand.Desktop.Do(ctx, desktop.Type{Text: text})
		}
		if !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
			return err
		}
	}
	if asked == Text || asked == Paste {
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("method: %s takes no text by the method %s: %w", Describe(el), asked, err), Next: "leave the method out, or use keys"}
	}
	return err
}

// releaseWithin bounds giving back the clipboard.
const releaseWithin = 5 * time.Second

// paste puts text on the clipboard and presses ctrl+v. A clipboard that holds
// something that is not text is left alone, because it could not be given back.
func (t *Typed) paste(ctx context.Context, hand *Hand, text string) error {
	d := hand.Unaccounted()
	held, err := d.ReadClipboard(ctx)
	if err != nil {
		return fmt.Errorf("%w: the clipboard is not free: %w", desktop.ErrRefused, err)
	}
	if err := d.Do(ctx, desktop.WriteClipboard{Text: text}); err != nil {
		return err
	}
	t.Release = func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
		defer cancel()
		if err := d.Do(ctx, desktop.WriteClipboard{Text: held}); err != nil {
			hand.Logger().WarnContext(ctx, "the clipboard could not be given back", "error", err)
		}
	}
	return PressKeys(ctx, hand.Desktop, []desktop.Chord{{Mods: []desktop.Key{desktop.Ctrl}, Key: "v"}})
}
