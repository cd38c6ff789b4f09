package steps

import (
	"context"
)

// GetClipboard reads the clipboard.
var GetClipboard = Define(Kind{
	Name:    "get_clipboard",
	Summary: "Read the text on the clipboard.",
	Toolset: Desktop,
	Touches: Look,
	Reads:   true,
	Risk:    ReadsPrivate,
}, NoArgs{}, getClipboard)

// ClipboardResult is the clipboard's text.
type ClipboardResult struct {
	Text string `json:"text" jsonschema:"the text"`
}

// SetClipboard writes the clipboard.
var SetClipboard = Define(Kind{
	Name:       "set_clipboard",
	Summary:    "Put text on the clipboard and check that it is there.",
	Toolset:    Desktop,
	Touches:    Act,
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

func getClipboard(ctx context.Context, env *Env, _ NoArgs) (ClipboardResult, error) {
	text, err := env.Desktop.ReadClipboard(ctx)
	return ClipboardResult{text}, err
}

func setClipboard(ctx context.Context, env *Env, a SetClipboardArgs) (SetClipboardResult, error) {
	if err := env.Desktop.WriteClipboard(ctx, a.Text); err != nil {
		return SetClipboardResult{}, err
	}
	text, err := env.Desktop.ReadClipboard(ctx)
	return SetClipboardResult{text == a.Text}, err
}
