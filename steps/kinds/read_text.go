package kinds

import (
	"context"
	"fmt"
	"image"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ReadText reads text off the screen.
var ReadText = steps.Define(steps.Kind{
	Name:    "read_text",
	Summary: "Read the text of a picture of the screen, a window, an element or a region (OCR).",
	Details: "Needs the tesseract command. What has elements is read better with get_window_tree or validate_element.",
	Toolset: steps.Vision,
	Reads:   true,
	Timeout: time.Minute,
}, ReadTextArgs{Target: aim.DefaultTarget, Language: "eng"}, aim.With(readText))

// ReadTextArgs says where to read.
type ReadTextArgs struct {
	aim.Target `in:"target"`
	Region     *desktop.Rect `json:"region,omitzero" jsonschema:"the area of the screen to read"`
	Language   string        `json:"language,omitzero" jsonschema:"tesseract's name of the language, such as eng or deu+eng"`
}

func (a *ReadTextArgs) Validate() error {
	return checkRegion(a.Region, a.Named())
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

func (r ReadTextResult) Say() string {
	if r.Text == "" {
		return "no text was read"
	}
	lines := []string{"the text, line by line, with the middle of each on the screen:"}
	for line := range strings.Lines(r.Text) {
		var area image.Rectangle
		n := min(len(strings.Fields(line)), len(r.Words))
		for _, w := range r.Words[:n] {
			area = area.Union(w.Area.Image())
		}
		r.Words = r.Words[n:]
		middle := area.Min.Add(area.Max).Div(2)
		lines = append(lines, fmt.Sprintf("%s [%d,%d]", strings.TrimRight(line, "\n"), middle.X, middle.Y))
	}
	return strings.Join(lines, "\n")
}

func readText(ctx context.Context, hand *aim.Hand, a ReadTextArgs) (ReadTextResult, error) {
	var area desktop.Rect // empty means the whole screen
	switch {
	case a.Region != nil:
		area = *a.Region
	case a.Named():
		el, err := aim.ElementWithBox(ctx, hand, a.Target)
		if err != nil {
			return ReadTextResult{}, err
		}
		area = el.Bounds
	}
	p, area, err := observe.Capture(ctx, hand.Env, area)
	if err != nil {
		return ReadTextResult{}, err
	}
	words, err := vision.Words(ctx, p, a.Language)
	if err != nil {
		return ReadTextResult{}, err
	}
	return readResult(words, area), nil
}

// readResult joins the words of a picture of an area.
func readResult(words []vision.Word, area desktop.Rect) ReadTextResult {
	r := ReadTextResult{Words: []WordSeen{}}
	var text strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case w.Line == words[i-1].Line:
			text.WriteByte(' ')
		default:
			text.WriteByte('\n')
		}
		text.WriteString(w.Text)
		at := w.Bounds
		at.X, at.Y = at.X+area.X, at.Y+area.Y
		r.Words = append(r.Words, WordSeen{Text: w.Text, Area: at, Confidence: w.Confidence})
	}
	r.Text = text.String()
	return r
}
