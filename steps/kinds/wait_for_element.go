package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// WaitForElement waits until a condition holds for an element.
var WaitForElement = steps.Define(steps.Kind{
	Name:    "wait_for_element",
	Summary: "Wait until an element is there, gone, visible, enabled, focused, or holds a text.",
	Toolset: steps.Core,
	Reads:   true,
	Checks:  true,
	Timeout: time.Hour,
}, WaitArgs{Target: aim.DefaultTarget, Condition: Exists, LookOptions: observe.DefaultLookOptions}, aim.With(waitForElement)).Changed(func(args *steps.Schema) {
	args.Properties["timeout_ms"].Description = "how long to wait for the condition"
})

// WaitArgs says what to wait for.
type WaitArgs struct {
	aim.Target `in:"target"`
	Condition  Condition `json:"condition,omitzero" jsonschema:"what to wait for"`
	Text       string    `json:"text,omitzero" jsonschema:"for condition text: part of it"`
	observe.LookOptions
}

func (a *WaitArgs) Validate() error {
	if (a.Condition == HasText) != (a.Text != "") {
		return errors.New("the condition text and the argument text belong together")
	}
	return a.Target.Validate()
}

// Condition is a condition of an element.
type Condition string

func (Condition) Words() []string {
	return []string{"exists", "gone", "visible", "enabled", "focused", "text"}
}

// The conditions.
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
	observe.Seen
}

// awayAfter is how long an element may take to show until it is looked for out of view too. Each
// later time follows after four times as long, as that reads much more.
const awayAfter = 300 * time.Millisecond

func waitForElement(ctx context.Context, hand *aim.Hand, a WaitArgs) (WaitResult, error) {
	q, err := a.Query()
	if err != nil {
		return WaitResult{}, err
	}
	start := time.Now()
	nextAway := awayAfter
	var r WaitResult
	err = aim.WaitUntil(ctx, a.SearchTime(), func(ctx context.Context) error {
		waited := time.Since(start)
		away := a.Condition != Gone && (waited >= nextAway || waited >= a.SearchTime())
		if away {
			nextAway = 4 * waited
		}
		found, err := allSought(ctx, hand, q, away)
		if a.Condition == Gone {
			return stillThere(found, err)
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(found, a.holds)
		if i < 0 {
			return aim.NotActionable(found[0], "is there and not "+a.wanted(hand.Env), "first do what causes that, or give it more time with timeout_ms")
		}
		r.Element = aim.Told(found[i])
		return nil
	})
	r.WaitedMS = time.Since(start).Milliseconds()
	switch steps.CodeOf(err) {
	case steps.NotFound, steps.NotActionable, steps.Unexpected:
		if ctx.Err() == nil {
			err = steps.AsError(err).With(steps.Timeout, fmt.Errorf("the element did not become %s: %w", a.wanted(hand.Env), err))
		}
	}
	if err == nil {
		r.Seen, err = observe.Look(ctx, hand.Env, a.LookOptions, r.Element)
	}
	return r, err
}

// stillThere returns an error unless an element is certainly gone.
func stillThere(found []*desktop.Element, err error) error {
	if err == nil {
		return &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s is still there", aim.Describe(found[0])), Next: "first do what removes it, or give it more time with timeout_ms"}
	}
	if steps.CodeOf(err) == steps.NotFound && !errors.Is(err, aim.ErrNoRef) {
		return nil
	}
	return err
}

// holds reports whether the condition holds for an element.
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

// wanted describes the condition.
func (a *WaitArgs) wanted(env *steps.Env) string {
	switch a.Condition {
	case HasText:
		return "one that holds " + env.Quote(a.Text)
	case Exists:
		return "there"
	}
	return string(a.Condition)
}
