package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
)

// GetClipboard reads the clipboard.
var GetClipboard = steps.Define(steps.Kind{
	Name:    "get_clipboard",
	Summary: "Read the text on the clipboard.",
	Toolset: steps.Desktop,
	Reads:   true,
	Risk:    steps.ReadsPrivate,
}, steps.NoArgs{}, getClipboard)

// ClipboardResult is the clipboard's text.
type ClipboardResult struct {
	Text string `json:"text" jsonschema:"the text"`
}

func getClipboard(ctx context.Context, env *steps.Env, _ steps.NoArgs) (ClipboardResult, error) {
	text, err := env.Desktop.ReadClipboard(ctx)
	if errors.Is(err, desktop.ErrRefused) {
		err = nil // it holds a picture, say, and so no text
	}
	return ClipboardResult{text}, err
}
