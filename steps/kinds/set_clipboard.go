package kinds

import (
	"context"
	"fmt"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
)

// SetClipboard writes the clipboard.
var SetClipboard = steps.Define(steps.Kind{
	Name:       "set_clipboard",
	Summary:    "Put text on the clipboard and check that it is there.",
	Toolset:    steps.Core,
	Idempotent: true,
}, SetClipboardArgs{}, setClipboard)

// SetClipboardArgs says what to put on the clipboard.
type SetClipboardArgs struct {
	Text string `json:"text" jsonschema:"the text"`
}

// SetClipboardResult says whether the text arrived.
type SetClipboardResult struct {
	Checked observe.Checked `json:"checked" jsonschema:"that the text was read back"`
}

func setClipboard(ctx context.Context, env *steps.Env, a SetClipboardArgs) (SetClipboardResult, error) {
	if err := env.Desktop.Do(ctx, desktop.WriteClipboard{Text: a.Text}); err != nil {
		return SetClipboardResult{}, err
	}
	text, err := env.Desktop.ReadClipboard(ctx)
	if err == nil && text != a.Text {
		err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the clipboard holds another text of %d characters", utf8.RuneCountInString(text)), Next: "another program took the clipboard: do it again"}
	}
	return SetClipboardResult{observe.YesIf(err == nil)}, err
}
