package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/steps"
	"understudy/steps/desktop"
)

// keyTarget is the active window and its focused element, which get the keys.
type keyTarget struct {
	window  *desktop.Window
	element *desktop.Element // nil when it is not known
}

// keyTargetNow returns what gets the keys now. It is an error if no window is active,
// because the keys would be lost.
func keyTargetNow(ctx context.Context, d *desktop.Desktop) (keyTarget, error) {
	w, err := ActiveWindow(ctx, d)
	if err != nil {
		return keyTarget{}, err
	}
	if w == nil {
		return keyTarget{}, noKeyTarget(ctx, d)
	}
	return keyTarget{window: w}, nil
}

// noKeyTarget returns the error for keys that no window gets; nil if no window manager
// reports the active window.
func noKeyTarget(ctx context.Context, d *desktop.Desktop) error {
	info, err := d.Info(ctx)
	if err != nil || info.Manager == "" {
		return context.Cause(ctx)
	}
	return &steps.Error{Code: steps.NotActionable, Err: errors.New("no window has the keyboard, so the keys would go nowhere"), Next: "bring a window to the front with activate_window, or name an element"}
}

// withElement adds the focused element, if it can be read.
func (t keyTarget) withElement(ctx context.Context, d *desktop.Desktop) keyTarget {
	t.element = Focused(ctx, d)
	return t
}

// Focused returns the focused element; nil if it is unknown.
func Focused(ctx context.Context, d *desktop.Desktop) *desktop.Element {
	f, err := d.SaveFocus(ctx)
	if err != nil || f.Element == "" {
		return nil
	}
	el, err := d.Refresh(ctx, f.Element)
	if err != nil {
		return nil
	}
	return el
}

// Kept returns an error if another window gets the keys by now.
func (t keyTarget) Kept(ctx context.Context, d *desktop.Desktop) error {
	if t.window == nil {
		return nil
	}
	w, err := ActiveWindow(ctx, d)
	if err != nil || w != nil && w.ID == t.window.ID {
		return err
	}
	return keysWentElsewhere(fmt.Sprintf("the window %q", t.window.Title), FocusedElsewhere(ctx, d))
}

// keptElement returns an error if another element of the window gets the keys by now, and
// neither holds the text. One that does got all of it, as the focus may have been on its
// way when the keys were sent.
func (t keyTarget) keptElement(ctx context.Context, d *desktop.Desktop, text string, into func(*desktop.Element)) error {
	now := t.withElement(ctx, d)
	into(now.element)
	if t.element == nil || now.element == nil || now.element.Handle == t.element.Handle || holds(now.element, text) || isPartOfDate(t.element) && isPartOfDate(now.element) {
		return nil
	}
	el, err := d.Refresh(ctx, t.element.Handle)
	if err != nil || holds(el, text) {
		return context.Cause(ctx) // it is gone with the text, or holds it
	}
	return keysWentElsewhere(Describe(el), fmt.Sprintf(": %s has the focus", Describe(now.element)))
}

// isPartOfDate reports whether an element may be a part of a date or a time in a page, such as its
// month: when it is complete the focus goes on to the next.
func isPartOfDate(el *desktop.Element) bool {
	return el.Role == "spinbutton" && !el.States.Has(desktop.Editable)
}

// holds reports whether an element shows a text, which some toolkits expose as its name.
func holds(el *desktop.Element, text string) bool {
	return strings.Contains(el.Text, text) || strings.Contains(el.Name, text)
}

func keysWentElsewhere(from, to string) error {
	return steps.Errorf(steps.Unexpected, "the focus left %s while keys were sent there%s", from, to).WithNext("look where the rest of them went")
}

// TypeWhereTheFocusIs types a text into the focused element. It is an error if the focus
// moves meanwhile, except by a line break or a tab of the text. into is called with the
// elements that get the text, before and after; nil for an unknown one.
func TypeWhereTheFocusIs(ctx context.Context, d *desktop.Desktop, text string, into func(*desktop.Element)) error {
	t, err := keyTargetNow(ctx, d)
	if err != nil {
		return err
	}
	if !strings.ContainsAny(text, "\n\r\t") {
		if t, err = t.typePart(ctx, d, text, into); err != nil {
			return err
		}
		return t.keptElement(ctx, d, text, into)
	}
	for text != "" {
		i := strings.IndexAny(text, "\n\r\t")
		if i < 0 {
			i = len(text)
		}
		if t, err = t.typePart(ctx, d, text[:i], into); err != nil || i == len(text) {
			return err
		}
		if i > 0 && !t.isMultiLine() { // the focus may have been on its way here
			into(Focused(ctx, d))
		}
		moves := len(text[i:]) - len(strings.TrimLeft(text[i:], "\n\r\t"))
		if err := t.enter(ctx, d, text[i:i+moves]); err != nil {
			return err
		}
		stays := t.isMultiLine() && !strings.Contains(text[i:i+moves], "\t")
		if text = text[i+moves:]; text == "" {
			return nil
		}
		last := t.element
		if t, err = keyTargetNow(ctx, d); err != nil {
			return err
		}
		if stays {
			t.element = last
		}
	}
	return nil
}

func (t keyTarget) isMultiLine() bool {
	return t.element != nil && t.element.States.Has(desktop.MultiLine)
}

// typePart types a text that does not move the focus by itself. It returns the target
// with the element that had the focus.
func (t keyTarget) typePart(ctx context.Context, d *desktop.Desktop, text string, into func(*desktop.Element)) (keyTarget, error) {
	if text == "" {
		return t, nil
	}
	if t.element == nil {
		t = t.withElement(ctx, d)
		into(t.element)
	}
	if err := t.enter(ctx, d, text); err != nil {
		return t, err
	}
	return t, t.Kept(ctx, d)
}

const (
	// pressedFor is how long a toolkit shows a button as pressed before it acts on its key:
	// GTK 3 250 ms, Qt 100 ms. The same key is lost meanwhile, and others overtake it.
	pressedFor = 260 * time.Millisecond
	// mostButtons is the length of a text that may be for the keys of buttons.
	mostButtons = 64
)

// enter types a text. For an element that takes no text it is keys, such as those of the
// buttons of a calculator: each is pressed again, and the next step begins, only after
// pressedFor.
func (t keyTarget) enter(ctx context.Context, d *desktop.Desktop, text string) error {
	if !t.takesKeys() || utf8.RuneCountInString(text) > mostButtons {
		return d.Do(ctx, desktop.Type{Text: text})
	}
	for text != "" {
		n := strings.IndexFunc(text, repeated())
		if n < 0 {
			n = len(text)
		}
		if err := errors.Join(d.Do(ctx, desktop.Type{Text: text[:n]}), desktop.Sleep(ctx, pressedFor)); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// takesKeys reports whether the element with the focus is known to take no text.
func (t keyTarget) takesKeys() bool {
	return t.element != nil && !t.element.States.Has(desktop.Editable) &&
		!slices.Contains([]desktop.Role{"canvas", "document", "embedded", "entry", "paragraph", "password", "terminal", "text"}, t.element.Role)
}

// repeated returns a function that reports whether it got a character before.
func repeated() func(rune) bool {
	seen := map[rune]bool{}
	return func(r rune) bool {
		was := seen[r]
		seen[r] = true
		return was
	}
}

// PressWhereTheFocusIs presses chords, and reports whether one of them was taken by a
// program that takes it wherever it is pressed. It is an error if something else moves
// the focus between the chords.
func PressWhereTheFocusIs(ctx context.Context, hand *Hand, chords []desktop.Chord) (global bool, err error) {
	d := hand.Desktop
	t, targetErr := keyTargetNow(ctx, d)
	moved := false
	for _, c := range chords {
		taken := false
		if targetErr == nil && !moved && isEnter(c) {
			if err := awaitDefault(ctx, d, t.withElement(ctx, d).element); err != nil {
				return global, err
			}
		}
		if targetErr != nil { // only a global key goes anywhere
			if taken, err = isGlobal(ctx, hand.Unaccounted(), c); err != nil || !taken {
				return global, errors.Join(err, targetErr)
			}
		}
		if err := d.Do(ctx, desktop.Press{Chord: c, Global: &taken}); err != nil {
			return global, err
		}
		global = global || taken
		if moved = moved || taken || mayMoveFocus(c); moved || targetErr != nil {
			continue
		}
		if err := t.Kept(ctx, d); err != nil {
			return global, err
		}
	}
	return global, nil
}

// isGlobal reports whether a program takes a chord wherever it is pressed, without
// pressing it.
func isGlobal(ctx context.Context, d *desktop.Desktop, c desktop.Chord) (taken bool, err error) {
	err = d.Do(ctx, desktop.Press{Chord: c, Global: &taken, Ask: true})
	return taken, err
}

// mayMoveFocus reports whether a chord may move the focus by what it means to the
// application: anything but a character, and the keys that edit.
func mayMoveFocus(c desktop.Chord) bool {
	switch c.Key {
	case "backspace", "delete", "left", "right", "home", "end":
		return len(c.Mods) > 0 && !slices.Equal(c.Mods, []desktop.Key{desktop.Shift})
	}
	return !c.EntersText()
}
