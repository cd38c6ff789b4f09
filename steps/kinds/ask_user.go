package kinds

import (
	"time"

	"understudy/steps"
)

// AskUser waits for a person's answer. It has no function: the engine asks,
// and the run waits.
var AskUser = steps.Define[AskArgs, AskResult](steps.Kind{
	Name:    "ask_user",
	Summary: "Ask a person; the run waits for the answer.",
	Toolset: steps.Flow,
	Reads:   true,
	Asks:    true,
	Timeout: 24 * time.Hour,
}, AskArgs{}, nil)

// AskArgs is a question.
type AskArgs struct {
	Question string         `json:"question" jsonschema:"the question"`
	Choices  []string       `json:"choices,omitzero" jsonschema:"the answers to choose from; without them any text is an answer"`
	Context  string         `json:"context,omitzero" jsonschema:"why it is asked"`
	Fields   map[string]any `json:"fields,omitzero" jsonschema:"several values to ask for: a name and a JSON schema each (string, number, boolean, enum)"`
}

// AskResult is the answer.
type AskResult struct {
	Answer any            `json:"answer" jsonschema:"the choice or the text"`
	Fields map[string]any `json:"fields,omitzero" jsonschema:"the values that were asked for"`
}
