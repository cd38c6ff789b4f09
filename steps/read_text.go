package steps

import (
	"errors"
	"time"

	"understudy/steps/desktop"
)

// ReadText reads text off the screen.
var ReadText = Define[ReadTextArgs, ReadTextResult](Kind{
	Name:    "read_text",
	Summary: "Read the text of a picture of the screen, a window, an element or a region (OCR).",
	Details: "Needs the tesseract command. What has elements is read better with get_window_tree or validate_element.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
	Timeout: time.Minute,
}, ReadTextArgs{Target: aimed, Language: "eng"}, nil)

// ReadTextArgs says where to read.
type ReadTextArgs struct {
	Target
	Region   *desktop.Rect `json:"region,omitzero" jsonschema:"the area of the screen to read"`
	Language string        `json:"language,omitzero" jsonschema:"tesseract's name of the language, such as eng or deu+eng"`
}

// Validate wants at most one place to read.
func (a *ReadTextArgs) Validate() error {
	if a.Region == nil {
		return nil
	}
	if a.Named() {
		return errors.New("wanted either a region or a window or element, found both")
	}
	if a.Region.Empty() {
		return errors.New("region: the area is empty")
	}
	return nil
}

// ReadTextResult is what was read.
type ReadTextResult struct {
	Text  string     `json:"text" jsonschema:"the text, line by line"`
	Words []WordSeen `json:"words" jsonschema:"the words and where they stand"`
}

// WordSeen is a word on the screen.
type WordSeen struct {
	Text       string       `json:"text" jsonschema:"the word"`
	Area       desktop.Rect `json:"area" jsonschema:"where it stands"`
	Confidence float64      `json:"confidence" jsonschema:"how sure the reader is, from 0 to 1"`
}
