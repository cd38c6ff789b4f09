package schedules

import (
	"strings"
	"testing"

	"understudy/steps/kinds"
	"understudy/workflows"
)

// TestSecretsAreNotStored gives a schedule a secret of each sort of value.
func TestSecretsAreNotStored(t *testing.T) {
	const text = `
variables:
  word: {type: string, secret: true, required: false}
  pin: {type: number, secret: true, required: false}
steps:
  - {tool_name: log, arguments: {message: x}}
`
	p, err := workflows.Compile(workflows.Source{Name: "w.yaml", Text: []byte(text)}, workflows.CompileOptions{Kinds: kinds.All()})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]any{"word": "hunter2", "pin": 90713.0} {
		inputs, err := Accept(Schedule{}, p, map[string]any{name: value})
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "90713") {
			t.Errorf("the secret %s is accepted as %v, %v", name, inputs, err)
		}
	}
	if _, err := Accept(Schedule{}, p, nil); err != nil {
		t.Error(err)
	}
}
