package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/steps"
	"understudy/steps/kinds"
)

// The instructions for a model must be short enough to be read.
const (
	mostSheetLines = 60
	mostGuideBytes = 12 << 10
)

func TestSheetIsShortAndItsExampleIsValid(t *testing.T) {
	st := newStage(t)
	g := &guide{kinds.All(), access.Policy{}.WithDefaults()}
	sheet := g.sheet()
	if n := strings.Count(sheet, "\n") + 1; n > mostSheetLines {
		t.Errorf("the sheet has %d lines, want at most %d", n, mostSheetLines)
	}
	if n := len(g.text()); n > mostGuideBytes {
		t.Errorf("the guide has %d bytes, want at most %d", n, mostGuideBytes)
	}
	_, example, _ := strings.Cut(sheet, "Example:\n")
	example, _, _ = strings.Cut(example, "\nSelectors:")
	if res := st.connect("2025-11-25", byhand.Object{}).Call("validate_workflow", byhand.Object{"text": example}); byhand.Dig(res, "result", "structuredContent", "valid") != true {
		t.Errorf("the example is not valid: %s", byhand.Said(res))
	}
	names := regexp.MustCompile(`\w+`).FindAllString(g.names(), -1)
	for _, k := range kinds.All() {
		if refused := k.Toolset == steps.Core || (access.Subject{Policy: g.policy}).May(access.Of(k)) != nil; slices.Contains(names, k.Name) == refused {
			t.Errorf("%s: refused is %v, and the sheet says otherwise", k.Name, refused)
		}
	}
}

// Matches a call of a tool in a text: name {"argument": ...}.
var toolCall = regexp.MustCompile(`\b([a-z]+_[a-z_]+) (\{"[a-z_]+": .*?\})`)

func TestGuideNamesToolsThatAreListed(t *testing.T) {
	st := newStage(t)
	listed := toolNames(st.connect("2025-11-25", byhand.Object{}).Ask("tools/list", byhand.Object{}))
	text := (&guide{kinds.All(), st.o.Policy}).text()
	found := toolCall.FindAllStringSubmatch(text, -1)
	if len(found) < 10 {
		t.Fatalf("found only %d calls in the guide", len(found))
	}
	for _, m := range found {
		if !strings.Contains(" "+strings.Join(listed, " ")+" ", " "+m[1]+" ") {
			t.Errorf("the guide calls %s, which is not listed", m[1])
			continue
		}
		var args byhand.Object
		if json.Unmarshal([]byte(m[2]), &args) != nil {
			continue // it contains placeholders
		}
		for name := range args {
			if st.tools.named[m[1]].args.Properties[name] == nil {
				t.Errorf("the guide gives %s to %s, whose schema does not have it", name, m[1])
			}
		}
	}
}

func TestKindsAreDescribed(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	for _, want := range []string{"## mouse_drag", "## read_text", "`show.tree`"} {
		if text := byhand.Said(w.Call("describe_kinds", byhand.Object{"names": []any{"mouse_drag", "read_text"}})); !strings.Contains(text, want) {
			t.Errorf("the pages say nothing of %s", want)
		}
	}
	page := w.Ask("resources/read", byhand.Object{"uri": kindURI + "click_element"})
	if raw, _ := json.Marshal(page); !strings.Contains(string(raw), "target.place") {
		t.Errorf("the page of click_element: %s", raw)
	}
	if text := byhand.Said(w.Call("describe_kinds", byhand.Object{"names": []any{"clik_element"}})); !strings.Contains(text, "did you mean click_element?") {
		t.Errorf("a misspelt kind: %s", text)
	}
}

func TestTargetIsRefOrSelector(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	tree := byhand.Said(w.Call("get_window_tree", byhand.Object{"process": "notes"}))
	ref := regexp.MustCompile(`button "Save" \[ref=(e\d+)\]`).FindStringSubmatch(tree)[1]
	for _, c := range []struct {
		say  string
		args byhand.Object
		want string
	}{
		{"a ref", byhand.Object{"target": ref}, `button "Save"`},
		{"a selector", byhand.Object{"target": "process:notes >> role:button && name:Close"}, `button "Close"`},
		{"a selector beside a process", byhand.Object{"target": "name:Save", "process": "notes"}, `button "Save"`},
		{"the old names", byhand.Object{"selector": "role:button && name:Save", "process": "notes"}, `button "Save"`},
		{"both", byhand.Object{"target": "name:Save", "selector": "name:Close"}, "selector is in target too"},
	} {
		if text := byhand.Said(w.Call("click_element", c.args)); !strings.Contains(text, c.want) {
			t.Errorf("%s: wanted %q in the answer, found %q", c.say, c.want, text)
		}
	}
	text := byhand.Said(w.Call("validate_workflow", byhand.Object{"text": `{"steps": [{"tool_name": "click_element", "arguments": {"target": "nam:Save"}}]}`}))
	if !strings.Contains(text, "target") || !strings.Contains(text, "write name") {
		t.Errorf("target in a workflow: %s", text)
	}
}

func TestAnswersHoldNothingTwice(t *testing.T) {
	for _, structured := range []bool{false, true} {
		w := newStage(t, func(o *Options) { o.Structured = structured }).connect("2025-11-25", byhand.Object{})
		res := w.Call("get_window_tree", byhand.Object{"process": "notes"})
		if there := byhand.Dig(res, "result", "structuredContent") != nil; there != structured {
			t.Errorf("with Structured %v there is structured content: %v", structured, there)
		}
		if structured && byhand.Dig(res, "result", "structuredContent", "ui_tree") == nil {
			t.Error("the structured content lacks the tree")
		}
		list, _ := byhand.Dig(w.Ask("tools/list", byhand.Object{}), "result", "tools").([]any)
		for _, tool := range list {
			if there := byhand.Dig(tool, "outputSchema") != nil; there != structured {
				t.Fatalf("with Structured %v %v has an output schema: %v", structured, byhand.Dig(tool, "name"), there)
			}
		}
	}
}

func TestRunsAreDescribedInWords(t *testing.T) {
	st := newStage(t, func(o *Options) { o.Structured, o.Policy.Toolsets = false, []steps.Toolset{access.All} })
	w := st.connect("2025-11-25", byhand.Object{})
	if err := os.WriteFile(filepath.Join(st.o.Dir, "a.txt"), []byte("what it holds\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := byhand.Object{"id": "read", "tool_name": "read_file", "arguments": byhand.Object{"path": "a.txt"}}
	miss := byhand.Object{"id": "miss", "tool_name": "read_file", "arguments": byhand.Object{"path": "b.txt"}, "continue_on_error": true}
	long := strings.Repeat("word ", 200)
	run := func(args byhand.Object) string { return byhand.Said(w.Call("execute_sequence", args)) }
	id := func(text string) string {
		return regexp.MustCompile("run (01[0-9a-z]{24})").FindStringSubmatch(text)[1]
	}
	done := run(byhand.Object{"steps": []any{miss, read}})
	for _, c := range []struct {
		say, text string
		want      []string
	}{
		{"one step answers with what its tool would", run(byhand.Object{"steps": []any{read}}), []string{"1 of 1 steps", "what it holds"}},
		{"an output is whole", run(byhand.Object{"steps": []any{read}, "output": "'" + long + "'"}), []string{long}},
		{"a failure that did not matter", done, []string{"2 of 2 steps", "one failure was recovered or ignored"}},
		{"get_run tells step by step", byhand.Said(w.Call("get_run", byhand.Object{"run_id": id(done)})), []string{"\n0 miss: read_file error", "not_found", "\n1 read: read_file success"}},
		{"and with results", byhand.Said(w.Call("get_run", byhand.Object{"run_id": id(done), "verbosity": "verbose"})), []string{"what it holds"}},
		{"nothing is left to resume", byhand.Said(w.Call("resume_run", byhand.Object{"run_id": id(done)})), []string{`resume_run {"run_id": RUN, "from": STEP}`}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s: wanted %q in:\n%s", c.say, want, c.text)
			}
		}
	}
}
