package kinds

import (
	"context"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// TypeText types text where the focus is.
var TypeText = steps.Define(steps.Kind{
	Name:    "type_text",
	Summary: "Type where the focus is; prefer type_into_element.",
	Toolset: steps.Core,
	Focus:   steps.Take,
	ByHand:  true,
	Timeout: 2 * time.Minute,
}, TypeTextArgs{}, aim.With(typeText))

// TypeTextArgs says what to type.
type TypeTextArgs struct {
	Text string `json:"text" use:"typed" jsonschema:"a line break presses enter"`
	aim.KeyWindow
}

// TypeTextResult says how much was typed.
type TypeTextResult struct {
	Characters int    `json:"characters" jsonschema:"how many characters were typed"`
	Window     string `json:"window,omitzero" jsonschema:"the window that got them"`
	observe.Effects
}

func typeText(ctx context.Context, hand *aim.Hand, a TypeTextArgs) (TypeTextResult, error) {
	if err := a.Await(ctx, hand.Env); err != nil {
		return TypeTextResult{}, err
	}
	into := func(el *desktop.Element) { observe.NoteTarget(hand.Env, el) }
	after, err := observe.Action(ctx, hand, observe.ActionOptions{}, nil, func() (observe.Checked, error) {
		return observe.Unchecked, aim.TypeWhereTheFocusIs(ctx, hand.Desktop, a.Text, into)
	})
	return TypeTextResult{utf8.RuneCountInString(a.Text), hand.KeysWentTo(), after.Effects}, err
}
