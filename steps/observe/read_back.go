package observe

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// TypedText is a text that was typed into a field.
type TypedText struct {
	Text    string
	Before  string // what the field held
	Cleared bool   // it was emptied first
	Accept  bool   // whatever the field makes of the text is right
}

// FieldText is what a field holds after it was typed into.
type FieldText struct {
	Value       *string // nil if it cannot be read or shown
	Reformatted bool    // the field reformatted the text, which was accepted
	Element     *desktop.Element
}

// ReadBack waits until a field holds what was typed, and reports whether it does.
func ReadBack(ctx context.Context, hand *aim.Hand, el *desktop.Element, t TypedText) (FieldText, Checked, error) {
	c := readingBack{FieldText: FieldText{Element: aim.Plain(el)}, TypedText: t, hand: hand, el: el}
	checked, err := c.check(ctx)
	return c.FieldText, checked, err
}

// readingBack is the state of ReadBack.
type readingBack struct {
	FieldText
	TypedText
	hand *aim.Hand
	el   *desktop.Element
	now  string // what it held when it was last read
}

func (c *readingBack) check(ctx context.Context) (Checked, error) {
	if c.el.Handle == "" {
		return NotPossible, nil // a picture
	}
	err := c.wait(ctx)
	if c.el.Role != "password" && (err == nil || !c.hand.IsSecret(c.Text)) {
		if c.now != "" && !errors.Is(err, desktop.ErrNotFound) {
			c.Value = &c.now
		}
	} else {
		c.Element.Text = "" // it may be a secret in another form
	}
	switch {
	case err == nil:
		return Yes, nil
	case ctx.Err() != nil:
		return No, err
	case errors.Is(err, desktop.ErrNotFound):
		return NotPossible, nil // the field went away, which may be what typing was for
	case c.Text != "" && c.now == c.Before && (c.now != "" || c.readable()) && !(c.Cleared && Reformatted(c.Text, c.now)):
		return No, steps.Errorf(steps.Unexpected, "nothing arrived in %s: %s", aim.Describe(c.el), c.holds("it still holds ")).
			WithNext("check whether something else has the focus")
	}
	if !aim.IsSheetCell(c.el) {
		if err := c.strayed(ctx); err != nil || !c.comparable() {
			return NotPossible, err
		}
	}
	return c.differs()
}

// readable reports whether a field that reads as empty is empty. Some toolkits give
// no text of a password, and of a combo box that of a field in it.
func (c *readingBack) readable() bool {
	return c.el.States.Has(desktop.Editable) && c.el.Role != "password" && c.el.Role != "combobox"
}

// comparable reports whether this one element should hold all that was typed.
func (c *readingBack) comparable() bool {
	return (c.readable() || c.el.Role == "password" && c.now != "") && !(c.el.Role == "paragraph" && strings.ContainsAny(c.Text, "\n\r"))
}

// AdviseAccept is the advice about a field that made something else of a text.
const AdviseAccept = `if that is right, set "accept_reformatted": true, or have the expect of a step say what it must hold`

// differs returns the outcome for a field that holds something else and has the focus.
func (c *readingBack) differs() (Checked, error) {
	formatted := c.el.Role != "password" && c.Cleared && Reformatted(c.Text, c.now)
	if c.Accept || formatted && c.hand.Expects {
		c.Reformatted = true
		return No, nil
	}
	if formatted {
		return No, steps.Errorf(steps.Unexpected, "%s changed the text: %s", aim.Describe(c.el), c.holds("it holds ")).
			WithNext(AdviseAccept)
	}
	return No, steps.Errorf(steps.Unexpected, "%s does not hold what was typed: %s", aim.Describe(c.el), c.holds("it holds ")).
		WithNext(`look at the field; if it is right as it is, set "accept_reformatted": true`)
}

// holds describes what the field holds, unless that is a secret.
func (c *readingBack) holds(begin string) string {
	if c.el.Role == "password" || c.hand.IsSecret(c.Text) {
		return "its content cannot be read"
	}
	return begin + c.hand.Quote(c.now)
}

// Reformatted reports whether a field may have made now of text: it has the same letters
// and digits, ignoring case and other characters, or as many of them as fit.
func Reformatted(text, now string) bool {
	essence := func(s string) string {
		return strings.Map(func(c rune) rune {
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				return -1
			}
			return unicode.ToLower(c)
		}, s)
	}
	return now != "" && strings.HasPrefix(essence(text), essence(now))
}

// wait waits until the field holds the text, and longer while its content keeps
// changing, because an application takes long for a long text.
func (c *readingBack) wait(ctx context.Context) (err error) {
	c.now = c.Before
	for grows := true; grows; {
		first := true
		grows = false
		err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			e, err := c.hand.Reread(ctx, c.el)
			if err != nil {
				return err
			}
			grows = grows || !first && c.now != e.Text
			first, c.now, c.Element = false, e.Text, aim.Plain(e)
			if !Arrived(c.el.Role, c.Before, c.now, c.Text, c.Cleared) {
				return steps.Errorf(steps.Unexpected, "not there yet")
			}
			return nil
		})
		grows = grows && err != nil && ctx.Err() == nil && !errors.Is(err, desktop.ErrNotFound)
	}
	return err
}

// strayed returns an error if the focus left a field that does not hold what was typed:
// the rest went elsewhere. A field that keeps the focus may have changed the text on
// purpose.
func (c *readingBack) strayed(ctx context.Context) error {
	has, err := aim.HasFocus(ctx, c.hand.Desktop, c.el)
	if has || err != nil {
		return err
	}
	return steps.Errorf(steps.Unexpected, "the focus left %s while it was typed into: %s%s", aim.Describe(c.el), c.holds("it holds "), aim.FocusedElsewhere(ctx, c.hand.Desktop)).
		WithNext("check where the rest of the text went")
}

// plainBlanks replaces the blanks that do not break a line: an editable part of a page has them
// instead of some that were typed.
var plainBlanks = strings.NewReplacer("\u00a0", " ")

// Arrived reports whether a field holds the text that was typed. Of a password only the
// length is compared.
func Arrived(role desktop.Role, before, now, text string, cleared bool) bool {
	before, now, text = plainBlanks.Replace(before), plainBlanks.Replace(now), plainBlanks.Replace(text)
	if role == "password" {
		before, now = strings.Repeat("x", len([]rune(before))), strings.Repeat("x", len([]rune(now)))
		text = strings.Repeat("x", len([]rune(text)))
	}
	if cleared {
		return now == text
	}
	return len(now) == len(before)+len(text) && strings.Contains(now, text)
}
