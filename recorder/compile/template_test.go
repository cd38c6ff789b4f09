package compile

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
	"understudy/steps/kinds"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// asked is a desktop that notes what it is asked for.
type asked []string

func (a *asked) Exists(_ context.Context, selector string) (bool, error) {
	*a = append(*a, selector)
	return true, nil
}

func (a *asked) Text(context.Context, string) (string, error) { return "", nil }

// argumentsOf compiles a workflow, and returns the arguments of its steps as a run would
// evaluate them, and what its conditions ask for.
func argumentsOf(t *testing.T, text []byte, scope *expression.Scope) (all map[string]map[string]any, conditions asked) {
	t.Helper()
	p, err := workflows.Compile(workflows.Source{Name: "test", Text: text}, workflows.CompileOptions{Kinds: kinds.All()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	all = map[string]map[string]any{}
	for _, n := range p.Steps {
		v, err := n.Args.Eval(t.Context(), scope, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", n.ID, err, text)
		}
		all[n.ID] = v.(map[string]any)
		if n.Expect == nil {
			continue
		}
		if _, err := n.Expect.Holds(t.Context(), scope, &conditions); err != nil {
			t.Fatal(err)
		}
	}
	return all, conditions
}

// TestTextIsNoTemplate has programs name things, and a person type text, as templates are
// written.
func TestTextIsNoTemplate(t *testing.T) {
	for _, text := range []string{"${{ x }}", "{{ x }}", "{{{", "$${{ x", "a {", "$", "}}", "{{ '{{' }}", `\${{`} {
		w := desktop.Window{ID: 3, Title: "Page " + text, Process: "pages " + text, PID: 20}
		other := desktop.Window{ID: 4, Title: "Other", Process: w.Process, PID: 20}
		field := with(element(w, "entry", "Name", 1), desktop.Editable)
		named := "role:button && name:" + selector.Quote(text)
		button := labelled(element(w, "button", text, 2, named, "id:b"+selector.Quote(text)), "Press")
		status := element(w, "statusbar", "Status", 3)
		made, _, err := Events(newTape(w).focus(field, "").types(text).keys("enter").holds(text).
			click(button).edit(recorder.Edit{Action: recorder.Rename, Text: "Press"}).opens(other, "").closes(other).
			wait(8*time.Second).changes(status, text+" done").
			add(recorder.Event{Type: recorder.Asserted, Element: button}).add(recorder.Event{Type: recorder.Asserted, Element: status, Value: &text}).events, Options{Literal: true})
		if err != nil {
			t.Fatal(err)
		}
		all, conditions := argumentsOf(t, made, nil)
		for step, args := range all {
			if args["process"] != w.Process {
				t.Errorf("%q: the process of %s is %q", text, step, args["process"])
			}
		}
		for _, want := range []struct{ step, arg, value string }{
			{"name", "text_to_type", text + "{Enter}"}, {"press", "selector", named}, {"check_status", "text", text},
		} {
			if got := all[want.step][want.arg]; got != want.value {
				t.Errorf("%q: %s of %s is %q, want %q\n%s", text, want.arg, want.step, got, want.value, made)
			}
		}
		process := "process:" + selector.Quote(w.Process)
		if want := []string{process + " && window:Other", process + " >> " + named}; !slices.Equal(conditions, want) {
			t.Errorf("%q: asked for %q, want %q", text, conditions, want)
		}
		if other := all["press"]["alternative_selectors"]; !reflect.DeepEqual(other, []any{"id:b" + selector.Quote(text)}) {
			t.Errorf("%q: the alternative is %q", text, other)
		}
	}
}

// TestACommandKeepsItsWords starts a program with files and addresses whose names a shell reads
// otherwise, and plays that with others.
func TestACommandKeepsItsWords(t *testing.T) {
	command := strings.Join(each([]string{"soffice", "/home/me/it's.csv", "https://a.example/?q='x'", "--log=file:///tmp/it's"}, QuoteWord), " ")
	made, _, err := Events(newTape(editor).opens(office, command).events, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, inputs := range []map[string]any{
		{"file": "/home/me/it's.csv", "address": "https://a.example/?q='x'", "address_2": "file:///tmp/it's"},
		{"file": "''", "address": `\`, "address_2": "a b"},
	} {
		all, _ := argumentsOf(t, made, &expression.Scope{Inputs: inputs})
		got := each(splitCommand(all["open_soffice"]["app_name"].(string)), unquoteWord)
		if want := []string{"soffice", inputs["file"].(string), inputs["address"].(string), "--log=" + inputs["address_2"].(string)}; !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q\n%s", all["open_soffice"]["app_name"], got, want, made)
		}
	}
}

// TestTextBesideAReference pastes after a dollar sign, and starts a program with one in a flag.
func TestTextBesideAReference(t *testing.T) {
	made, _, err := Events(newTape(ledger).focus(name, "12").keys("ctrl+a", "ctrl+c").focus(mail, "").types("$$").keys("ctrl+v").types("}").holds("$$12}").
		opens(office, "soffice --{{x}}$=https://a.example/").events, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := argumentsOf(t, made, &expression.Scope{
		Inputs: map[string]any{"address": "https://b.example/"},
		Steps:  map[string]expression.StepScope{"read_name": {Result: map[string]any{"text": "34"}}},
	})
	if got, want := all["mail"]["text_to_type"], "$$34}"; got != want {
		t.Errorf("typed %q, want %q\n%s", got, want, made)
	}
	if got, want := all["open_soffice"]["app_name"], "soffice --{{x}}$='https://b.example/'"; got != want {
		t.Errorf("started %q, want %q\n%s", got, want, made)
	}
}
