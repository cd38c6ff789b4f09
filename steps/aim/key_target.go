package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/steps"
)

// KeyWindow is the argument that names the window for keys that name no element.
type KeyWindow struct {
	ExpectWindow string `json:"expect_window,omitzero" jsonschema:"part of the window's title"`
}

// Await waits until the named window has the keyboard.
func (k KeyWindow) Await(ctx context.Context, env *steps.Env) error {
	if k.ExpectWindow == "" {
		return nil
	}
	return WaitUntil(ctx, SearchTime.Std(), func(ctx context.Context) error {
		w, err := ActiveWindow(ctx, env.Desktop)
		if err != nil {
			return err
		}
		if w == nil || !(desktop.Scope{Title: k.ExpectWindow}).Titled(w.Title) {
			return steps.Errorf(steps.NotActionable, "wanted %q in the title of the window that has the keyboard%s", k.ExpectWindow, FocusedElsewhere(ctx, env.Desktop)).
				WithNext("open that window, or bring it to the front with change_window")
		}
		env.Keyboard.Name(*w)
		return nil
	})
}

// keyTarget is the active window and its focused element, which get the keys.
type keyTarget struct {
	window  *desktop.Window
	element *desktop.Element // nil when it is not known
	sent    *int             // counts the characters that were sent
	hides   bool             // the element does not show what is typed
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
	return &steps.Error{Code: steps.NotActionable, Err: errors.New("no window has the keyboard, so the keys would go nowhere"), Next: "bring a window to the front with change_window, or name an element"}
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
	return steps.Errorf(steps.Unexpected, "the focus left %s while keys were sent there%s", from, to).WithNext("check where the rest of them went")
}

// TypeWhereTheFocusIs types a text into the focused element. It is an error if the focus
// moves meanwhile, except by a line break or a tab of the text. into is called with the
// elements that get the text, before and after; nil for an unknown one.
func TypeWhereTheFocusIs(ctx context.Context, d *desktop.Desktop, text string, into func(*desktop.Element)) error {
	sent := 0
	err := typeWhereTheFocusIs(ctx, d, text, &sent, into)
	return keysStopped(err, sent, utf8.RuneCountInString(text), "characters")
}

func typeWhereTheFocusIs(ctx context.Context, d *desktop.Desktop, text string, sent *int, into func(*desktop.Element)) error {
	t, err := keyTargetNow(ctx, d)
	if err != nil {
		return err
	}
	t.sent = sent
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
		if t.sent = sent; stays {
			t.element = last
		}
	}
	return nil
}

// keysStopped returns the error for keys that another window would have got. The window
// and its content follow where the error is shown.
func keysStopped(err error, sent, of int, what string) error {
	if _, elsewhere := errors.AsType[*desktop.ElsewhereError](err); !elsewhere {
		return err
	}
	if sent == 0 {
		return fmt.Errorf("none of %d %s was sent: %w", of, what, err)
	}
	return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%d of %d %s were sent, and no more: %w", sent, of, what, err)}
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

// enter types a text, in parts, so that the window that has the keyboard is looked at
// before each. For an element that takes no text the characters are keys, such as those of
// the buttons of a calculator: each is pressed again, and the next step begins, only after
// pressedFor.
func (t *keyTarget) enter(ctx context.Context, d *desktop.Desktop, text string) error {
	buttons := t.takesKeys() && utf8.RuneCountInString(text) <= mostButtons
	for i, part := range parts(text, buttons) {
		if i > 0 && presses(part) {
			t.awaitConsumed(ctx, d)
		}
		err := d.Do(ctx, desktop.Type{Text: part})
		if typing, some := errors.AsType[*desktop.TypingError](err); some {
			*t.sent += typing.Sent
		}
		if err != nil {
			return err
		}
		*t.sent += utf8.RuneCountInString(part)
		if buttons {
			if err := desktop.Sleep(ctx, pressedFor); err != nil {
				return err
			}
		}
	}
	return nil
}

// presses reports whether a part of a text would press a button that has the focus.
func presses(part string) bool { return strings.TrimSpace(part) == "" }

// consumeWithin bounds the wait for an application to show what was typed.
const consumeWithin = 250 * time.Millisecond

// awaitConsumed waits until the element with the focus has consumed the keys before a key
// that would press a button: a question that they, or a timer of the program, opened has
// its window then.
func (t *keyTarget) awaitConsumed(ctx context.Context, d *desktop.Desktop) {
	if t.element == nil || t.element.Handle == "" {
		return
	}
	for began := time.Now(); ; {
		el, err := d.Refresh(ctx, t.element.Handle)
		if err != nil || t.hides || utf8.RuneCountInString(el.Text) >= utf8.RuneCountInString(t.element.Text)+*t.sent {
			return
		}
		if time.Since(began) >= consumeWithin {
			t.hides = true
			return
		}
		if desktop.Sleep(ctx, consumeWithin/50) != nil {
			return
		}
	}
}

// parts divides a text. A character that presses a button where one has the focus is a
// part of its own; unique begins another part also where a character comes again.
func parts(text string, unique bool) (all []string) {
	seen, pressed := map[rune]bool{}, false
	begin := 0
	for i, r := range text {
		space := unicode.IsSpace(r)
		if i > begin && (space || pressed || unique && seen[r]) {
			all = append(all, text[begin:i])
			begin = i
			clear(seen)
		}
		seen[r], pressed = true, space
	}
	if begin < len(text) {
		all = append(all, text[begin:])
	}
	return all
}

// takesKeys reports whether the element with the focus is known to take no text.
func (t keyTarget) takesKeys() bool {
	return t.element != nil && !t.element.States.Has(desktop.Editable) &&
		!slices.Contains([]desktop.Role{"canvas", "document", "embedded", "entry", "paragraph", "password", "terminal", "text"}, t.element.Role)
}

// PressWhereTheFocusIs presses chords, and reports whether one of them was taken by a
// program that takes it wherever it is pressed. It is an error if something else moves
// the focus between the chords.
func PressWhereTheFocusIs(ctx context.Context, hand *Hand, chords []desktop.Chord) (global bool, err error) {
	d, sent := hand.Desktop, 0
	defer func() { err = keysStopped(err, sent, len(chords), "keys") }()
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
		sent++
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
