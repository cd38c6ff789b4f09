package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/workflows"
)

// A flag is written for this run only, so it counts more than the file, and the file
// more than the environment; for secrets too.
func TestWhichInputCounts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inputs.yaml")
	if err := os.WriteFile(file, []byte("pin: of the file\nwho: of the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UNDERSTUDY_INPUT_PIN", "of the environment")
	t.Setenv("UNDERSTUDY_INPUT_WHO", "of the environment")
	p := &workflows.Program{Variables: []workflows.Variable{{Name: "pin", Type: "string", Secret: true}, {Name: "who", Type: "string"}}}
	for _, c := range []struct {
		flags inputFlags
		want  string
	}{
		{inputFlags{}, "of the environment"},
		{inputFlags{InputsFile: file}, "of the file"},
		{inputFlags{InputsFile: file, Inputs: repeated{"pin=of the flag", "who=of the flag"}}, "of the flag"},
	} {
		inputs, secrets, err := c.flags.read(&app{}, p)
		if err != nil {
			t.Fatal(err)
		}
		if secrets["pin"] != c.want || inputs["who"] != c.want || len(inputs) != 1 {
			t.Errorf("wanted both inputs %s, got the secrets %v and the inputs %v", c.want, secrets, inputs)
		}
	}
}

// The commands answer and call take their argument as a value of --input is taken.
func TestTheMessageNamesTheArgument(t *testing.T) {
	c := &console{in: strings.NewReader("")}
	_, err := c.value("ANSWER", "@nowhere")
	if err == nil || !strings.HasPrefix(err.Error(), "ANSWER: ") || steps.CodeOf(err) != steps.Invalid {
		t.Errorf("wanted what cannot be read, got %v", err)
	}
	if text, err := c.value("ANSWER", "a=b"); text != "a=b" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
}
