package workflows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const callee = `
name: callee
variables: {who: {type: string}, times: {type: number, default: 1}}
steps: [{id: greet, tool_name: log, arguments: {message: "${{ who }}"}}]
output: greet_result.message
`

func TestACallIsCompiledWithItsDocument(t *testing.T) {
	text := "steps: [{id: c, workflow: b.yaml, inputs: {who: Ada}}, {workflow: b.yaml, inputs: {who: '${{ c_result }}'}}]"
	p, err := Compile(Source{Name: "test.yaml", Text: []byte(text)}, options(map[string]string{"b.yaml": callee}))
	if err != nil {
		t.Fatal(err)
	}
	c, ok := p.Node("c")
	if !ok || c.Type != CallNode || c.Call == nil || c.Call.Name != "callee" {
		t.Fatalf("the call is %+v", c)
	}
	if p.Steps[1].Call != c.Call {
		t.Error("a document that is called twice was compiled twice")
	}
	if got, _ := c.Inputs.Constant(); cmp.Diff(map[string]any{"who": "Ada"}, got) != "" {
		t.Errorf("the inputs are %v", got)
	}
	if len(p.Loaded) != 1 || p.Loaded[0].Ref != "b.yaml" || p.Loaded[0].From != "test.yaml" {
		t.Errorf("loaded %+v", p.Loaded)
	}
	again, err := Compile(p.Source, CompileOptions{Kinds: options(nil).Kinds, Load: LoaderOf(p.Loaded)})
	if err != nil || again.Hash != p.Hash {
		t.Errorf("the stored documents compile to %v, %v", again, err)
	}
	other, err := Compile(p.Source, options(map[string]string{"b.yaml": callee + "# changed\n"}))
	if err != nil || other.Hash == p.Hash {
		t.Errorf("the hash does not cover the called document: %v", err)
	}
}

func TestCallsAreChecked(t *testing.T) {
	chain := map[string]string{}
	for i := range 30 {
		chain[fmt.Sprintf("c%d", i)] = fmt.Sprintf("steps: [{workflow: c%d}]", i+1)
	}
	for _, c := range []struct {
		say, text string
		files     map[string]string
		want      []string
	}{
		{"a file that is not there", "steps: [{workflow: x.yaml}]", nil, []string{`1:20 the workflow "x.yaml" cannot be loaded: there is no file x.yaml`}},
		{"a missing input", "steps: [{workflow: b.yaml}]", map[string]string{"b.yaml": callee}, []string{
			`1:20 the workflow "b.yaml" needs the input who; add inputs: {who: …}`,
		}},
		{"inputs that do not fit", "steps: [{workflow: b.yaml, inputs: {who: a, times: x, tmes: 1}}]", map[string]string{"b.yaml": callee}, []string{
			`1:52 the input times does not fit: wanted number, found the string "x"`,
			`1:55 there is no input "tmes"; did you mean times? the inputs are who, times`,
		}},
		{"a circle", "steps: [{workflow: b.yaml}]", map[string]string{"b.yaml": "steps: [{workflow: c.yaml}]", "c.yaml": "steps: [{workflow: b.yaml}]"}, []string{
			"c.yaml:1:20 the workflow calls itself: b.yaml → c.yaml → b.yaml; a workflow that repeats steps uses while or jumps",
		}},
		{"calls within calls", "steps: [{workflow: c0}]", chain, []string{"c14:1:20 calls of workflows are nested more than 16 deep"}},
		{"a mistake in what is called", "steps: [{workflow: b.yaml}, {workflow: b.yaml}]", map[string]string{"b.yaml": "steps: [{tool_name: lgo}]"}, []string{
			`b.yaml:1:21 there is no kind of step called "lgo"; did you mean log?`,
		}},
		{"a text that is no workflow", "steps: [{workflow: b.yaml}]", map[string]string{"b.yaml": "[]"}, []string{
			"b.yaml:1:1 a workflow is an object with keys, found a list; start it with: steps:",
		}},
		{"a name with an expression", "steps: [{workflow: '${{ inputs.x }}'}]", nil, []string{"1:20 the name of a workflow cannot hold expressions; write a name or a path"}},
		{"a url beside no steps", "url: b.yaml\nsteps: []", map[string]string{"b.yaml": callee}, nil},
		{"a workflow in TypeScript", "url: file:///flow/terminator.ts", nil, []string{"1:6 workflows in TypeScript are not read here; write the workflow as YAML or JSON: each createStep becomes a step with tool_name and arguments, or with tool_name: run_command and its code under engine: javascript; docs/migrating.md shows it"}},
		{"a url beside steps", "url: b.yaml\nsteps: [{tool_name: log, arguments: {message: x}}]", map[string]string{"b.yaml": callee}, []string{`2:1 "steps" cannot be used with url, which has its own; leave out one of the two`}},
		{"a url of the web", "url: https://example.com/x", nil, []string{"1:6 workflows are not fetched from https; use file://…, or the name of a saved workflow"}},
		{"a url to a url", "url: b.yaml", map[string]string{"b.yaml": "url: c.yaml"}, []string{"b.yaml:1:6 the document at a url has a url itself; name the last document directly"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			if diff := cmp.Diff(c.want, problems(t, c.text, c.files)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestWithoutALoaderNothingIsCalled(t *testing.T) {
	_, err := Compile(Source{Text: []byte("steps: [{workflow: x}]")}, CompileOptions{})
	if err == nil || !strings.Contains(err.Error(), "this document cannot call others") {
		t.Errorf("found %v", err)
	}
}

func TestAURLBringsTheStepsAndWhatIsSaidHereGoesFirst(t *testing.T) {
	text := "url: file:///b.yaml\ninputs: {who: Ada}\nstart_from_step: greet\ntimeout: 5s"
	p, err := Compile(Source{Name: "test.yaml", Text: []byte(text)}, options(map[string]string{"file:///b.yaml": "timeout: 1h\ninputs: {times: 2}\n" + callee}))
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "callee" || p.Options.StartFrom != "greet" || p.Options.Timeout.Seconds() != 5 || len(p.Steps) != 1 {
		t.Errorf("found %s, %+v", p.Name, p.Options)
	}
	if diff := cmp.Diff(map[string]any{"who": "Ada", "times": 2.0}, p.Inputs); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
}

// TestCallsThatMultiply holds that calls which call many others are refused
// before they are as many steps as would fill the memory.
func TestCallsThatMultiply(t *testing.T) {
	files := map[string]string{}
	for i := range 12 {
		files[fmt.Sprintf("d%d", i)] = "steps: [" + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("{workflow: d%d}, ", i+1), 8), ", ") + "]"
	}
	files["d12"] = "steps: [{tool_name: log, arguments: {message: x}}]"
	_, err := Compile(Source{Name: "test.yaml", Text: []byte("steps: [{workflow: d0}]")}, options(files))
	if err == nil || !strings.Contains(err.Error(), "more than 100000 steps") {
		t.Errorf("8^12 steps: %v", err)
	}
	p, err := Compile(Source{Name: "test.yaml", Text: []byte("steps: [{workflow: d8}]")}, options(files))
	if err != nil {
		t.Fatalf("8^4 steps: %v", err)
	}
	visited := 0
	p.WalkAll(func(*Node) { visited++ })
	if visited != 1+4*8+1 {
		t.Errorf("visited %d nodes, wanted each once", visited)
	}
}
