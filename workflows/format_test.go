package workflows

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/kinds"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct{ say, text, want string }{
		{
			"keys come in the order of the reference, and comments with them",
			"# top\n\n# the steps\nsteps:\n# first\n- arguments: {message: hi} # args\n  tool_name: log # kind\n  id: a\n\n- tool_name: log\n  arguments:\n      message:   x\nname: n # name\n",
			"# top\n\nname: n # name\n\n# the steps\nsteps:\n  # first\n  - id: a\n    tool_name: log # kind\n    arguments: {message: hi} # args\n\n  - tool_name: log\n    arguments:\n      message: x\n",
		},
		{
			"arguments keep their own order, and blocks of text their lines",
			"steps:\n- tool_name: write_file\n  arguments:\n    path: b\n    content: |\n      x\n\n      y\n",
			"steps:\n  - tool_name: write_file\n    arguments:\n      path: b\n      content: |\n        x\n\n        y\n",
		},
		{
			"unknown keys come last",
			"zz: 1\nsteps: []\nname: a\n",
			"name: a\nsteps: []\nzz: 1\n",
		},
		{
			"with an alias nothing changes its place",
			"steps:\n- arguments: &x {message: a}\n  tool_name: log\n- {tool_name: log, arguments: *x}\n",
			"steps:\n  - arguments: &x {message: a}\n    tool_name: log\n  - {tool_name: log, arguments: *x}\n",
		},
		{
			"JSON stays JSON",
			`{"steps":[{"arguments":{"b":1.50,"a":"<é>"},"tool_name":"log"}],"name":"x"}`,
			"{\n  \"name\": \"x\",\n  \"steps\": [\n    {\n      \"tool_name\": \"log\",\n      \"arguments\": {\n        \"b\": 1.50,\n        \"a\": \"<é>\"\n      }\n    }\n  ]\n}\n",
		},
		{
			"the wrapper stays",
			"arguments:\n  steps: []\n  name: x\ntool_name: execute_sequence\n",
			"tool_name: execute_sequence\narguments:\n  name: x\n  steps: []\n",
		},
		{
			"variables keep their own order, and their keys do not",
			"variables:\n  b: {default: x, type: string}\n  a:\n    properties: {z: {default: 1, type: number}}\n    type: object\n",
			"variables:\n  b: {type: string, default: x}\n  a:\n    type: object\n    properties: {z: {type: number, default: 1}}\n",
		},
		{
			"variables in JSON",
			`{"variables":{"b":{"default":1,"type":"number"},"a":{}}}`,
			"{\n  \"variables\": {\n    \"b\": {\n      \"type\": \"number\",\n      \"default\": 1\n    },\n    \"a\": {}\n  }\n}\n",
		},
		{
			"many blank lines become one",
			"name: x\n\n\n\nsteps: []\n",
			"name: x\n\nsteps: []\n",
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			got, err := Format([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			checkStable(t, []byte(c.text))
		})
	}
}

func TestFormatRefusesWhatItCannotRead(t *testing.T) {
	_, err := Format([]byte("steps: [\n"))
	if err == nil || !strings.Contains(err.Error(), "this is not YAML") {
		t.Errorf("found %v", err)
	}
}

// checkStable holds that formatting twice is the same as once, and changes
// neither meaning nor comments.
func checkStable(t *testing.T, text []byte) {
	t.Helper()
	once, err := Format(text)
	if err != nil {
		return
	}
	twice, err := Format(once)
	if err != nil {
		t.Fatalf("%q became %q, which cannot be read: %v", text, once, err)
	}
	if diff := cmp.Diff(string(once), string(twice)); diff != "" {
		t.Fatalf("formatting %q again changes it:\n%s", text, diff)
	}
	v := read(Source{Text: text}, &report{})
	w := read(Source{Text: once}, &report{})
	if diff := cmp.Diff(v.plain(), w.plain()); diff != "" {
		t.Fatalf("formatting %q changes what it means:\n%s", text, diff)
	}
}

func TestExamplesAndSampleAreInCanonicalForm(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range append(files, "testdata/sample.yaml") {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Format(text)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(f, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(string(text), string(got)); diff != "" {
			t.Errorf("%s (-now +formatted; -update writes it anew):\n%s", f, diff)
		}
	}
}

func TestTheSampleIsValid(t *testing.T) {
	text, err := os.ReadFile("testdata/sample.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(Source{Name: "sample", Text: text}, CompileOptions{Kinds: kinds.All()}); err != nil {
		t.Error(err)
	}
}
