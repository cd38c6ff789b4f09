package steps

// GetClipboard reads the clipboard.
var GetClipboard = Define[NoArgs, ClipboardResult](Kind{
	Name:    "get_clipboard",
	Summary: "Read the text on the clipboard.",
	Toolset: Desktop,
	Touches: Look,
	Reads:   true,
}, NoArgs{}, nil)

// ClipboardResult is the clipboard's text.
type ClipboardResult struct {
	Text string `json:"text" jsonschema:"the text"`
}

// SetClipboard writes the clipboard.
var SetClipboard = Define[SetClipboardArgs, SetClipboardResult](Kind{
	Name:       "set_clipboard",
	Summary:    "Put text on the clipboard and check that it is there.",
	Toolset:    Desktop,
	Touches:    Act,
	Idempotent: true,
}, SetClipboardArgs{}, nil)

// SetClipboardArgs says what to put on the clipboard.
type SetClipboardArgs struct {
	Text string `json:"text" jsonschema:"the text"`
}

// SetClipboardResult says whether the text arrived.
type SetClipboardResult struct {
	Verified bool `json:"verified" jsonschema:"whether the text was read back"`
}
