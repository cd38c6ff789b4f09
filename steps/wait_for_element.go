package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/steps/desktop"
)

// WaitForElement waits until something is so on the screen.
var WaitForElement = Define(Kind{
	Name:    "wait_for_element",
	Summary: "Wait until an element is there, gone, visible, enabled, focused, or holds a text.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
	Timeout: time.Hour,
}, WaitArgs{Target: aimed, Condition: Exists, Beside: beside}, waitForElement)

// WaitArgs says what to wait for.
type WaitArgs struct {
	Target
	Condition Condition `json:"condition,omitzero" jsonschema:"what to wait for"`
	Text      string    `json:"text,omitzero" jsonschema:"for the condition text: what the element must hold somewhere in its text"`
	Beside
}

// Validate wants a text where one is needed.
func (a *WaitArgs) Validate() error {
	if (a.Condition == HasText) != (a.Text != "") {
		return errors.New("the condition text and the argument text belong together")
	}
	return a.Target.Validate()
}

// Condition is something that can be so of an element.
type Condition string

// Words are the words that it may be.
func (Condition) Words() []string {
	return []string{"exists", "gone", "visible", "enabled", "focused", "text"}
}

// What can be waited for.
const (
	Exists    Condition = "exists"
	Gone      Condition = "gone"
	IsVisible Condition = "visible"
	IsEnabled Condition = "enabled"
	IsFocused Condition = "focused"
	HasText   Condition = "text"
)

// WaitResult says how long it took.
type WaitResult struct {
	WaitedMS int64            `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Element  *desktop.Element `json:"element,omitzero" jsonschema:"the element, unless it is gone"`
	Seen
}

func waitForElement(ctx context.Context, env *Env, a WaitArgs) (WaitResult, error) {
	q, err := a.query()
	if err != nil {
		return WaitResult{}, err
	}
	q.first = append(q.first, q.fallbacks...)
	start := time.Now()
	var r WaitResult
	err = env.until(ctx, a.TimeoutMS.Std()*time.Duration(1+a.Retries), func(ctx context.Context) error {
		found, err := env.allSought(ctx, q)
		if a.Condition == Gone {
			return stillThere(found, err)
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(found, a.holds)
		if i < 0 {
			return notReady(found[0], "is there and not "+a.wanted(), "do first what makes it so, or give it more time with timeout_ms")
		}
		r.Element = plain(found[i])
		return nil
	})
	r.WaitedMS = time.Since(start).Milliseconds()
	switch CodeOf(err) {
	case NotFound, NotActionable, Unexpected:
		if err != nil && ctx.Err() == nil {
			err = &Error{Code: Timeout, Err: fmt.Errorf("the element did not become %s: %w", a.wanted(), err), Next: AsError(err).Next, Candidates: AsError(err).Candidates}
		}
	}
	if err == nil {
		r.Seen, err = env.beside(ctx, a.Beside, r.Element)
	}
	return r, err
}

// stillThere fails unless it is certain that an element is gone.
func stillThere(found []*desktop.Element, err error) error {
	if err == nil {
		return &Error{Code: Unexpected, Err: fmt.Errorf("%s is still there", inWords(found[0])), Next: "do first what takes it away, or give it more time with timeout_ms"}
	}
	if CodeOf(err) == NotFound {
		return nil
	}
	return err
}

// holds says whether what is waited for is so of an element.
func (a *WaitArgs) holds(el *desktop.Element) bool {
	switch a.Condition {
	case IsVisible:
		return el.States.Has(desktop.Showing) || !el.Bounds.Empty()
	case IsEnabled:
		return el.States.Has(desktop.Enabled)
	case IsFocused:
		return el.States.Has(desktop.Focused)
	case HasText:
		return strings.Contains(el.Text, a.Text) || strings.Contains(el.Name, a.Text)
	}
	return true
}

// wanted is what is waited for, in words.
func (a *WaitArgs) wanted() string {
	switch a.Condition {
	case HasText:
		return "one that holds " + quoted(a.Text)
	case Exists:
		return "there"
	}
	return string(a.Condition)
}
