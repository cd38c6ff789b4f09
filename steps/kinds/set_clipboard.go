package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// SetClipboard writes the clipboard.
var SetClipboard = steps.Define(steps.Kind{
	Name:       "set_clipboard",
	Summary:    "Put text on the clipboard and check that it is there.",
	Toolset:    steps.Core,
	Touches:    steps.Act,
	Idempotent: true,
}, SetClipboardArgs{}, setClipboard)

// SetClipboardArgs says what to put on the clipboard.
type SetClipboardArgs struct {
	Text string `json:"text" jsonschema:"the text"`
}

// SetClipboardResult says whether the text arrived.
type SetClipboardResult struct {
	Verified bool `json:"verified" jsonschema:"whether the text was read back"`
}

func setClipboard(ctx context.Context, env *steps.Env, a SetClipboardArgs) (SetClipboardResult, error) {
	if err := env.Desktop.Do(ctx, desktop.WriteClipboard{Text: a.Text}); err != nil {
		return SetClipboardResult{}, err
	}
	text, err := env.Desktop.ReadClipboard(ctx)
	return SetClipboardResult{text == a.Text}, err
}
