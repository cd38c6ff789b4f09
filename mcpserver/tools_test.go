package mcpserver

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/tiktoken-go/tokenizer"

	"understudy/internal/access"
	"understudy/internal/fileio"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/kinds"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestSchemas compares every tool with its golden file.
func TestSchemas(t *testing.T) {
	st := newStage(t)
	for _, tool := range st.tools.order {
		if strings.HasPrefix(tool.Name, "hang") || tool.Name == "boom" {
			continue
		}
		got, err := json.MarshalIndent(st.tools.declaration(tool), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, '\n')
		path := filepath.Join("testdata", "tools", tool.Name+".json")
		if *update {
			if err := fileio.Write(path, got, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
			t.Errorf("%s differs from its golden file (-update writes it again): %v\n%s", tool.Name, err, diff)
		}
	}
}

// TestListsAreComplete holds that a list says that it is complete, without which clients of
// the newest version refuse it.
func TestListsAreComplete(t *testing.T) {
	for version, want := range map[string]any{modern: "complete", "2025-11-25": nil} {
		w := newStage(t).connect(version, byhand.Object{})
		for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			if got := byhand.Dig(w.Ask(method, byhand.Object{}), "result", "resultType"); got != want {
				t.Errorf("%s of %s: the type of the result is %v, want %v", method, version, got, want)
			}
		}
	}
}

// TestSchemasAreObjects checks every property at any depth: versions before 2026-07-28
// allow no other schemas there.
func TestSchemasAreObjects(t *testing.T) {
	st := newStage(t)
	for _, tool := range st.tools.order {
		raw, err := json.Marshal(st.tools.declaration(tool))
		if err != nil {
			t.Fatal(err)
		}
		var declared byhand.Object
		if err := json.Unmarshal(raw, &declared); err != nil {
			t.Fatal(err)
		}
		for _, side := range []string{"inputSchema", "outputSchema"} {
			schemasAreObjects(t, tool.Name+" "+side, declared[side])
		}
	}
}

func schemasAreObjects(t *testing.T, at string, schema any) {
	t.Helper()
	properties, _ := byhand.Dig(schema, "properties").(byhand.Object)
	for name, p := range properties {
		if _, ok := p.(byhand.Object); !ok {
			t.Errorf("%s: the schema of %s is %v", at, name, p)
		}
		schemasAreObjects(t, at+"."+name, p)
	}
}

// A model is shown the core unless it requests more.
const (
	mostTools  = 26
	mostTokens = 3900
	mostBytes  = 15000
)

func TestCoreFitsIntoAMind(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Structured, o.Kinds = false, kinds.All() })
	res := st.connect("2025-11-25", byhand.Object{}).Ask("tools/list", byhand.Object{})
	if n := len(toolNames(res)); n > mostTools {
		t.Errorf("%d tools, want at most %d", n, mostTools)
	}
	total := 0
	list, _ := byhand.Dig(res, "result", "tools").([]any)
	for _, tool := range list {
		text, err := words.JSON(tool, "")
		if err != nil {
			t.Fatal(err)
		}
		n := tokens(t, text)
		total += n
		t.Logf("%5d %v", n, byhand.Dig(tool, "name"))
	}
	whole, err := words.JSON(byhand.Dig(res, "result"), "")
	if err != nil {
		t.Fatal(err)
	}
	size := len(whole)
	t.Logf("%d tokens, %d bytes", total, size)
	if total > mostTokens || size > mostBytes {
		t.Errorf("%d tokens and %d bytes, want at most %d and %d", total, size, mostTokens, mostBytes)
	}
}

// tokens counts tokens with a public vocabulary.
func tokens(t *testing.T, text string) int {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnnotations(t *testing.T) {
	st := newStage(t)
	for _, k := range st.o.Kinds {
		a := st.tools.declaration(st.tools.named[k.Name]).Annotations
		if a.ReadOnlyHint != k.Reads || (a.DestructiveHint == nil) != k.Reads || a.OpenWorldHint == nil {
			t.Errorf("%s: annotations %+v", k.Name, a)
		}
	}
	for _, name := range []string{"execute_sequence", "resume_run", "answer_run", "save_workflow", "stop_execution"} {
		if st.tools.declaration(st.tools.named[name]).Annotations.ReadOnlyHint {
			t.Errorf("%s is said to only read", name)
		}
	}
}

// TestStructuredContentFits checks the results of tools against their output schemas.
func TestStructuredContentFits(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Policy.Toolsets = []steps.Toolset{access.All} })
	w := st.connect("2025-11-25", byhand.Object{})
	for name, args := range map[string]byhand.Object{
		"get_applications_and_windows_list": {},
		"get_window_tree":                   {"process": "notes"},
		"validate_element":                  {"selector": "role:button && name:Save"},
		"click_element":                     {"selector": "role:button && name:Save"},
		"type_into_element":                 {"selector": "role:entry", "text_to_type": "hello", "clear_before_typing": true},
		"get_clipboard":                     {},
		"delay":                             {"duration": "1ms"},
		"execute_sequence":                  {"steps": []any{byhand.Object{"tool_name": "delay", "arguments": byhand.Object{"duration": 1}}}, "verbosity": "verbose"},
		"list_runs":                         {},
		"list_workflows":                    {},
		"stop_execution":                    {},
		"validate_workflow":                 {"text": "steps: []"},
		"save_workflow":                     {"name": "a", "text": "steps:\n- tool_name: delay\n  arguments: {duration: 1}\n"},
	} {
		res := w.Call(name, args)
		if byhand.IsError(res) || res["error"] != nil {
			t.Errorf("%s: %s", name, byhand.Said(res))
			continue
		}
		if byhand.Said(res) == "" {
			t.Errorf("%s says nothing", name)
		}
		schema, err := st.tools.named[name].result.Resolve(&jsonschema.ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(byhand.Dig(res, "result", "structuredContent")); err != nil {
			t.Errorf("%s does not keep its promise: %v", name, err)
		}
	}
}

// TestToolsOfOtherPrograms calls tools by the names that other programs have for them, with
// and without the prefix of a client.
func TestToolsOfOtherPrograms(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	for _, c := range []struct {
		tool string
		args byhand.Object
		want string
	}{
		{"wait", byhand.Object{"ms": 1}, "1"},
		{"mcp_terminator-mcp-agent_delay", byhand.Object{"delay_ms": 1, "include_monitor_screenshots": false}, "1"},
		{"mcp__terminator__sleep", byhand.Object{"duration_ms": 1}, "1"},
		{"get_applications", nil, "notes"},
		{"get_focused_window_tree", byhand.Object{"process": "notes", "overlay_display_mode": "index"}, "button"},
		{"is_selected", byhand.Object{"process": "notes", "selector": "role:button && name:Save"}, "exists: true"},
		{"mcp_terminator-mcp-agent_execute_sequence", document("mcp_terminator-mcp-agent_wait", byhand.Object{"ms": 1}), "succeeded"},
	} {
		res := w.Call(c.tool, c.args)
		if text := byhand.Said(res); byhand.IsError(res) || res["error"] != nil || !strings.Contains(text, c.want) {
			t.Errorf("%s: got %s, want %q in it", c.tool, text, c.want)
		}
	}
}

// TestMistakes makes mistakes that models make: each reply leads to the right call.
func TestMistakes(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	for _, c := range []struct {
		say, tool string
		args      byhand.Object
		want      []string
	}{
		{"a tool that is misspelt", "click_elment", byhand.Object{}, []string{"did you mean click_element?"}},
		{"a tool of another system", "browser_navigate", byhand.Object{}, []string{"no tool", "tools/list"}},
		{"a tool of a program that asks a model", "mcp_terminator-mcp-agent_gemini_computer_use", byhand.Object{"goal": "x"}, []string{"no model is asked"}},
		{"a tool under the name of another program, in its arguments", "wait", byhand.Object{"seconds": 1}, []string{"delay", "seconds"}},
		{"a tool that is off, under the name of another program", "run_javascript", byhand.Object{"script": "return 1"}, []string{"--toolsets core,shell"}},
		{"a word for a number", "click_element", byhand.Object{"selector": "role:button", "timeout_ms": "soon"}, []string{"timeout_ms", "integer"}},
		{"an argument that does not exist", "click_element", byhand.Object{"selektor": "role:button"}, []string{"did you mean selector?"}},
		{"nothing to click", "click_element", byhand.Object{}, []string{"invalid"}},
		{"a word that is not one of the known", "click_element", byhand.Object{"selector": "role:button", "click_type": "dubble"}, []string{"did you mean double?"}},
		{"a selector that does not parse", "click_element", byhand.Object{"selector": "role:button &&"}, []string{"invalid", "selector"}},
		{"an element that is not there", "click_element", byhand.Object{"process": "notes", "selector": "role:button && name:Sav", "timeout_ms": 300}, []string{"not_found", "nothing matches", "role:button && name:Save", "get_window_tree"}},
		{"a ref that was never shown", "click_element", byhand.Object{"ref": "e99"}, []string{"e99", "get_window_tree"}},
		{"a run without its id", "get_run", byhand.Object{}, []string{"run_id", "missing"}},
		{"a run that does not exist", "get_run", byhand.Object{"run_id": "nope"}, []string{"nope", "list"}},
		{"a workflow that is not saved", "get_workflow", byhand.Object{"name": "nope"}, []string{"nope", "list_workflows"}},
		{"a sequence without steps", "execute_sequence", byhand.Object{}, []string{"steps"}},
		{"a step under a wrong key", "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool": "delay"}}}, []string{"tool_name"}},
		{"a step of an unknown kind", "execute_sequence", document("clik_element", byhand.Object{}), []string{"click_element"}},
		{"an answer that nobody waits for", "answer_run", byhand.Object{"run_id": "nope", "value": 1}, []string{"nope"}},
		{"both text and name", "validate_workflow", byhand.Object{"text": "steps: []", "name": "a"}, []string{"either text or name"}},
		{"a shell that is off", "run_command", byhand.Object{"run": "ls"}, []string{"--toolsets core,shell"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			res := w.Call(c.tool, c.args)
			text := byhand.Said(res)
			if !byhand.IsError(res) && res["error"] == nil {
				t.Errorf("it was accepted: %s", text)
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the answer says nothing of %q:\n%s", want, text)
				}
			}
			if strings.Contains(text, "goroutine") {
				t.Errorf("the answer shows a stack:\n%s", text)
			}
		})
	}
}

// The document of a call is as the client wrote it, in which mistakes are shown.
func TestADocumentIsAsItWasWritten(t *testing.T) {
	const steps = `"process:notes >> name:<b> && role:button"`
	if doc, err := documentOf(json.RawMessage(`{"wait": true, "steps": [`+steps+`]}`), false); err != nil || !strings.Contains(string(doc), steps) {
		t.Errorf("%s, %v; want %s in it", doc, err, steps)
	}
}

// Arguments that do not fit are refused with what the tool takes, and only what is
// missing is said to be.
func TestArgumentsThatDoNotFitSayWhatDoes(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	for _, row := range []struct {
		tool     string
		args     byhand.Object
		has, not string
	}{
		{"type_into_element", byhand.Object{"target": "", "text_to_type": "x"}, "wanted a target: nothing names the element", "it needs"},
		{"click_element", byhand.Object{}, "wanted a target, or x and y", "selector"},
		{"press_key", byhand.Object{"key": "foo+bar"}, `there is no key "foo"`, "it needs"},
		{"execute_sequence", byhand.Object{"steps": []any{}}, "invalid: \"steps is empty", "succeeded"},
		{"type_into_element", byhand.Object{"target": "role:entry"}, "it needs text_to_type", "target:"},
		{"click_element", byhand.Object{"x": "1", "y": "2"}, `x: wanted integer, found the string "1"; y: wanted`, "untrusted"},
		{"capture_screenshot", byhand.Object{"include_image": "true"}, "include_image: wanted boolean", "a picture of"},
		{"describe_kinds", byhand.Object{"names": []any{}}, "names is empty", "null"},
		{"describe_kinds", byhand.Object{"names": []any{"qqqq"}}, "next: the description of execute_sequence lists", "null"},
		{"execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": "delay"}}, "priority": 1}, `unknown key "priority"`, "succeeded"},
	} {
		said := byhand.Said(w.Call(row.tool, row.args))
		if !strings.Contains(said, row.has) || strings.Contains(said, row.not) {
			t.Errorf("%s %v: want %q and not %q:\n%s", row.tool, row.args, row.has, row.not, said)
		}
	}
}

// A dry run is not said to have done what it only looked at.
func TestADryRunSaysThatNothingWasDone(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	args := byhand.Object{"dry_run": true, "steps": []any{
		byhand.Object{"id": "first", "tool_name": "click_element", "arguments": save}, byhand.Object{"tool_name": "get_window_tree"}, byhand.Object{"tool_name": "press_key_global", "arguments": byhand.Object{"key": "a"}},
	}}
	said := byhand.Said(w.Call("execute_sequence", args))
	if !strings.Contains(said, "nothing was done: these would act: first click_element, 2 press_key_global") || len(st.desk.Journal()) > 0 {
		t.Errorf("%s\n%v", said, st.desk.Journal())
	}
	delete(args, "dry_run")
	if said := byhand.Said(w.Call("execute_sequence", args)); strings.Contains(said, "dry run") {
		t.Error(said)
	}
}

// A step that a decision leaves out is not done: what cannot be decided is refused.
func TestAStepThatIsLeftOutIsNotDone(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	click := func(id, name string) byhand.Object {
		return byhand.Object{"id": id, "tool_name": "click_element", "arguments": byhand.Object{"selector": "name:" + name, "timeout_ms": 1}}
	}
	run := textOfRun(w.Call("execute_sequence", byhand.Object{"steps": []any{
		byhand.Object{"id": "look", "tool_name": "get_window_tree"}, click("remove", "Remove"), byhand.Object{"id": "after", "tool_name": "get_window_tree"},
	}}))
	st.desk.Add(st.desk.Find("role:frame"), fake.MustParse(`- button "Remove"`)[0])
	for _, args := range []byhand.Object{{"decision": "skip"}, {"decision": "skip", "from": "remove"}, {"decision": "done", "from": "look"}, {"decision": "skip", "from": "look"}} {
		args["run_id"] = run
		if res := w.Call("resume_run", args); code(res) != "invalid" || !strings.Contains(byhand.Said(res), "next: ") {
			t.Errorf("%v: %s", args, byhand.Said(res))
		}
	}
	if res := w.Call("resume_run", byhand.Object{"run_id": run, "decision": "done", "from": "remove"}); byhand.IsError(res) {
		t.Error(byhand.Said(res))
	}
	if did := fmt.Sprint(st.desk.Journal()); strings.Contains(did, "press") {
		t.Errorf("the step was done: %s", did)
	}
}

// A run that repeated steps, in a loop or when it was resumed, says so in a list as it
// does alone.
func TestAListSaysThatStepsWereRepeated(t *testing.T) {
	for executed, want := range map[int]string{3: ", 3 of 8 steps,", 13: ", 8 steps, some of them more than once,"} {
		if text := string((runLine{Executed: executed, Total: 8}).text()); !strings.Contains(text, want) {
			t.Errorf("%d of 8: %s; want %s", executed, text, want)
		}
	}
}
