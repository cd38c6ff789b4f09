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

// The value of a secret in a file of inputs is what is written there, or none.
func TestSecretsInAFileOfInputs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "inputs.yaml")
	p := &workflows.Program{Variables: []workflows.Variable{{Name: "pin", Type: "string", Secret: true}}}
	for text, want := range map[string]string{
		`pin: "0123"`:       "0123",
		"pin: 0123":         "the secret pin must be a string; write it in quotes",
		"pin: 123456789012": "the secret pin must be a string; write it in quotes",
		"pin:":              "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := inputFlags{InputsFile: file}
		_, secrets, err := f.read(&app{}, p)
		got, given := secrets["pin"]
		if err != nil {
			got = strings.TrimPrefix(err.Error(), file+": ")
		}
		if got != want || given && want == "" {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// What was read of the standard input is not there a second time, and not cut short.
func TestTheStandardInputIsReadOnce(t *testing.T) {
	p := &workflows.Program{Variables: []workflows.Variable{{Name: "pin", Type: "string", Secret: true}, {Name: "who", Type: "string"}}}
	for want, in := range map[string]string{
		"--input pin: the standard input was read already":    "Ada",
		"--input who: the standard input has more than 5 MiB": strings.Repeat("x", maxInput+1),
	} {
		f := inputFlags{Inputs: repeated{"who=-", "pin=-"}}
		_, secrets, err := f.read(&app{console: console{in: strings.NewReader(in)}}, p)
		if err == nil || !strings.HasPrefix(err.Error(), want) || steps.CodeOf(err) != steps.Invalid {
			t.Errorf("got the secrets %q and %v, want %s", secrets, err, want)
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
