package kinds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

// enter types a text into a field and reads it back.
func (r *TypeIntoResult) enter(ctx context.Context, hand *aim.Hand, el *desktop.Element, text string, keys []desktop.Chord, a TypeIntoArgs) (observe.Checked, error) {
	if len(keys) == 0 {
		keys = commitCell
	}
	typed, err := aim.TypeInto(ctx, hand, el, text, aim.Typing{
		Clear: a.ClearBeforeTyping, Focus: aim.FocusOptions{Grab: a.TryFocusBefore, Click: a.TryClickBefore}, Method: a.Method, Commit: keys,
		Found: func(before string) {
			if hand.Held != nil {
				hand.Held.CompareAndSwap(nil, &before)
			}
		},
	})
	defer typed.Release(ctx)
	if err != nil {
		return observe.Unchecked, err
	}
	if typed.Method != aim.Keys {
		r.Method = typed.Method
	}
	if text == "" && !a.ClearBeforeTyping {
		return observe.Unchecked, nil
	}
	c := readingBack{TypeIntoResult: r, hand: hand, el: el, before: typed.Before, text: text, cleared: a.ClearBeforeTyping, accept: a.AcceptReformatted || aim.IsSheetCell(el) && strings.HasPrefix(text, "=")}
	return c.check(ctx)
}

// commitCell is pressed after what was typed into a cell of a spreadsheet.
var commitCell = []desktop.Chord{{Key: "enter"}}

// undo gives a field back what it held before an earlier try of this step typed into
// it, so that nothing is typed twice. A field that is emptied first needs none of it.
func (a *TypeIntoArgs) undo(ctx context.Context, hand *aim.Hand, el *desktop.Element) error {
	if a.ClearBeforeTyping || hand.Held == nil || el.Handle == "" {
		return nil
	}
	held := hand.Held.Load()
	if held == nil {
		return nil
	}
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil || len(now.Text) <= len(*held) {
		return err // it holds no more than then, such as one that was made anew
	}
	if el.Role == "password" { // what it held is not known
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("%s may hold a part of what the try before typed", aim.Describe(el)), Next: "set clear_before_typing, or give the step no retry"}
	}
	_, err = aim.TypeInto(ctx, hand, el, *held, aim.Typing{Clear: true, Focus: aim.FocusOptions{Grab: a.TryFocusBefore, Click: a.TryClickBefore}})
	return err
}

// readingBack is the check of what a field holds after it was typed into.
type readingBack struct {
	*TypeIntoResult
	hand         *aim.Hand
	el           *desktop.Element
	before, text string
	cleared      bool
	accept       bool   // what the field makes of the text is right
	now          string // what it held when it was last read
}

// check waits until the field holds what was typed, and says whether it does.
func (c *readingBack) check(ctx context.Context) (observe.Checked, error) {
	if c.el.Handle == "" {
		return observe.NotPossible, nil // a picture
	}
	err := c.wait(ctx)
	if c.el.Role != "password" && (err == nil || !c.hand.IsSecret(c.text)) {
		if c.now != "" && !errors.Is(err, desktop.ErrNotFound) {
			c.Value = &c.now
		}
	} else if c.Element != nil {
		c.Element.Text = "" // it may be a secret in another form
	}
	switch {
	case err == nil:
		return observe.Yes, nil
	case ctx.Err() != nil:
		return observe.No, err
	case errors.Is(err, desktop.ErrNotFound):
		return observe.NotPossible, nil // the field went away, which may be what typing was for
	case c.text != "" && c.now == c.before && (c.now != "" || c.readable()) && !(c.cleared && reformatted(c.text, c.now)):
		return observe.No, steps.Errorf(steps.Unexpected, "nothing arrived in %s: %s", aim.Describe(c.el), c.holds("it still holds ")).
			WithNext("look whether something else has the focus")
	}
	if !aim.IsSheetCell(c.el) {
		if err := c.strayed(ctx); err != nil || !c.comparable() {
			return observe.NotPossible, err
		}
	}
	return c.differs()
}

// readable reports whether a field that reads as empty is empty. Some toolkits give
// no text of a password, and of a combo box that of a field in it.
func (c *readingBack) readable() bool {
	return c.el.States.Has(desktop.Editable) && c.el.Role != "password" && c.el.Role != "combobox"
}

// comparable reports whether what was typed is to be found in this one element.
func (c *readingBack) comparable() bool {
	return (c.readable() || c.el.Role == "password" && c.now != "") && !(c.el.Role == "paragraph" && strings.ContainsAny(c.text, "\n\r"))
}

// acceptIt is what to do about a field that made something else of a text.
const acceptIt = "if that is right, set accept_reformatted, or say with expect what it must hold"

// differs is what comes of a field that holds something else, and has the focus.
func (c *readingBack) differs() (observe.Checked, error) {
	formatted := c.el.Role != "password" && c.cleared && reformatted(c.text, c.now)
	if c.accept || formatted && c.hand.Expects {
		c.Reformatted = true
		return observe.No, nil
	}
	if formatted {
		return observe.No, steps.Errorf(steps.Unexpected, "%s made something else of the text: %s", aim.Describe(c.el), c.holds("it holds ")).
			WithNext(acceptIt)
	}
	return observe.No, steps.Errorf(steps.Unexpected, "%s does not hold what was typed: %s", aim.Describe(c.el), c.holds("it holds ")).
		WithNext("look at the field; if it is right as it is, set accept_reformatted")
}

// holds says what the field holds, unless that is a secret.
func (c *readingBack) holds(begin string) string {
	if c.el.Role == "password" || c.hand.IsSecret(c.text) {
		return "what it holds does not show"
	}
	return begin + steps.Quote(c.now)
}

// reformatted reports whether a field may have made one text of another: the same
// letters and digits, but for their case and others between them, or as many of them as
// it takes.
func reformatted(text, now string) bool {
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

// wait waits until the field holds the text. As long as what it holds changes it waits
// on, because a long text takes an application long.
func (c *readingBack) wait(ctx context.Context) (err error) {
	c.now = c.before
	for grows := true; grows; {
		first := true
		grows = false
		err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			e, err := c.hand.Desktop.Refresh(ctx, c.el.Handle)
			if err != nil {
				return err
			}
			grows = grows || !first && c.now != e.Text
			first, c.now, c.Element = false, e.Text, aim.Plain(e)
			if !observe.Arrived(c.el.Role, c.before, c.now, c.text, c.cleared) {
				return steps.Errorf(steps.Unexpected, "not there yet")
			}
			return nil
		})
		grows = grows && err != nil && ctx.Err() == nil && !errors.Is(err, desktop.ErrNotFound)
	}
	return err
}

// strayed fails when the focus left a field that does not hold what was typed:
// what is missing went elsewhere. A field that keeps the focus may have changed
// the text on purpose.
func (c *readingBack) strayed(ctx context.Context) error {
	has, err := aim.HasFocus(ctx, c.hand.Desktop, c.el)
	if has || err != nil {
		return err
	}
	return steps.Errorf(steps.Unexpected, "the focus left %s while it was typed into: %s%s", aim.Describe(c.el), c.holds("it holds "), aim.FocusedElsewhere(ctx, c.hand.Desktop)).
		WithNext("look where the rest of the text went")
}

// KeysResult is what came of the keys at the end of a text.
type KeysResult struct {
	Opened  []string `json:"opened,omitzero" jsonschema:"the windows that the keys opened"`
	Closed  []string `json:"closed,omitzero" jsonschema:"the windows that the keys closed"`
	TakenBy string   `json:"taken_by,omitzero" jsonschema:"what took the keys instead of the field, such as a list of completions"`
}

// keysShowWithin is how long the windows that keys open or close are waited for.
var keysShowWithin = aim.EffectLimit{Least: 100 * time.Millisecond, Looks: 3}

// press presses the keys at the end of a text, and says what came of them.
func (r *TypeIntoResult) press(ctx context.Context, hand *aim.Hand, el *desktop.Element, keys []desktop.Chord) error {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return err
	}
	if err := aim.PressKeys(ctx, hand.Desktop, keys); err != nil {
		return err
	}
	if err := aim.WaitUntilRead(ctx, hand.Desktop); err != nil {
		return err
	}
	compare := func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		r.Opened, r.Closed, r.TakenBy = titles(now, before), titles(before, now), takenBy(before, now, el)
		if len(r.Opened)+len(r.Closed) == 0 {
			return steps.Errorf(steps.Unexpected, "nothing opened or closed")
		}
		return nil
	}
	err = aim.WaitForEffect(ctx, keysShowWithin, compare)
	if err == nil && r.TakenBy != "" { // unless the list closed first of all that closes
		err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			if err := compare(ctx); err != nil || r.TakenBy == "" {
				return err
			}
			return steps.Errorf(steps.Unexpected, "only the list closed")
		})
	}
	if ctx.Err() != nil {
		return err
	}
	return r.readAgain(ctx, hand, el)
}

// readAgain reads what a field holds after the keys, if it is still there.
func (r *TypeIntoResult) readAgain(ctx context.Context, hand *aim.Hand, el *desktop.Element) error {
	if el.Handle == "" || el.Role == "password" || r.Value == nil {
		return nil
	}
	now, err := hand.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return context.Cause(ctx) // it went with its window, as is usual
	}
	r.Value, r.Element = &now.Text, aim.Plain(now)
	return nil
}

// titles names the windows that are among some and not among others.
func titles(some, others desktop.Windows) (names []string) {
	for _, w := range some {
		if w.Tooltip || others.ByID(w.ID) != nil {
			continue
		}
		what := "window"
		switch {
		case w.Popup:
			what = "popup"
		case w.Dialog || w.Modal:
			what = "dialog"
		}
		names = append(names, strings.TrimSpace(fmt.Sprintf("%s %q of %s", what, w.Title, w.Process)))
	}
	return names
}

// takenBy says what took the keys that were meant for a field: a list over it that
// they closed, when that was all that they did.
func takenBy(before, now desktop.Windows, el *desktop.Element) string {
	own := before.ByID(el.Window)
	if own == nil || now.ByID(el.Window) == nil {
		return ""
	}
	list := false
	for _, w := range before {
		if now.ByID(w.ID) != nil || w.Tooltip {
			continue
		}
		if !w.Popup || w.PID != own.PID {
			return ""
		}
		list = true
	}
	if !list || len(titles(now, before)) > 0 {
		return ""
	}
	return "a list that was open over the field, which closed"
}
