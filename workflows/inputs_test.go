package workflows

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const inputsDocument = `
variables:
  customer: {type: string, label: Customer, regex: '^[A-Z].+'}
  amount: {type: number, default: 1}
  fast: {type: boolean, required: false}
  size: {type: enum, options: [small, large], default: small}
  lines: {type: array, item_schema: {type: object, properties: {text: {type: string, required: true}}}, default: []}
  extra: {type: object, value_schema: {type: number}, required: false}
  key: {type: string, secret: true, regex: '^sk-'}
inputs: {amount: 2}
steps: [{tool_name: log, arguments: {message: "${{ customer }}"}}]
`

func TestInputsAreChecked(t *testing.T) {
	good := func(more map[string]any) map[string]any {
		m := map[string]any{"customer": "Ada", "key": "sk-1"}
		maps.Copy(m, more)
		return m
	}
	p := compile(t, inputsDocument)
	for _, c := range []struct {
		say   string
		given map[string]any
		want  string
	}{
		{"good ones", good(nil), ""},
		{"a missing one", map[string]any{"key": "sk-1"}, "customer: the input is missing; Customer"},
		{"null is not given", good(map[string]any{"customer": nil}), "customer: the input is missing; Customer"},
		{"an unknown one", good(map[string]any{"custmer": "x"}), `custmer: there is no input "custmer"; did you mean customer? the inputs are customer, amount, fast, size, lines, extra, key`},
		{"a regex", good(map[string]any{"customer": "ada"}), `customer: "ada" does not match ^[A-Z].+`},
		{"a type", good(map[string]any{"amount": "2"}), `amount: wanted number, found the string "2"`},
		{"a boolean", good(map[string]any{"fast": "yes"}), `fast: wanted boolean, found the string "yes"`},
		{"an option", good(map[string]any{"size": "smal"}), `size: the string "smal" is not one of the known words; did you mean small?`},
		{"an element", good(map[string]any{"lines": []any{map[string]any{"text": 1.0}}}), "lines.0.text: wanted string, found the integer 1"},
		{"a part of an element", good(map[string]any{"lines": []any{map[string]any{}}}), `lines.0: "text" is missing`},
		{"a named value", good(map[string]any{"extra": map[string]any{"a": "b"}}), `extra.a: wanted number, found the string "b"`},
		{"a secret is not repeated", good(map[string]any{"key": "hunter2"}), "key: the value does not fit the declaration of this secret; give a value of type string"},
	} {
		t.Run(c.say, func(t *testing.T) {
			_, problems := p.CheckInputs(c.given)
			var got []string
			for _, x := range problems {
				got = append(got, x.String())
			}
			if text := strings.Join(got, "\n"); text != c.want {
				t.Errorf("wanted %s\nfound  %s", c.want, text)
			}
		})
	}
	all, _ := p.CheckInputs(good(map[string]any{"fast": true}))
	want := map[string]any{"customer": "Ada", "key": "sk-1", "amount": 2.0, "fast": true, "size": "small", "lines": []any{}}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("completed inputs (-want +got):\n%s", diff)
	}
	missing := p.Missing(map[string]any{"customer": "Ada"})
	if len(missing) != 1 || missing[0].Name != "key" || !missing[0].Secret {
		t.Errorf("missing are %+v, wanted key", missing)
	}
}

// Whoever gives a secret gives a text, whatever its type.
func TestASecretOfAnotherTypeIsGivenAsText(t *testing.T) {
	p := compile(t, "variables: {pin: {type: number, secret: true}}\nsteps: [{tool_name: log, arguments: {message: '${{ pin }}'}}]")
	for text, problems := range map[string]int{"1234": 0, "hunter2": 1} {
		if _, found := p.CheckInputs(map[string]any{"pin": text}); len(found) != problems {
			t.Errorf("%s has the problems %v, wanted %d", text, found, problems)
		}
	}
}

func TestWithoutVariablesAnyInputIsAccepted(t *testing.T) {
	p := compile(t, "inputs: {a: 1}\nsteps: [{tool_name: log, arguments: {message: '${{ b }} ${{ inputs.c }}'}}]")
	all, problems := p.CheckInputs(map[string]any{"b": "x"})
	if diff := cmp.Diff(map[string]any{"a": 1.0, "b": "x"}, all); diff != "" || len(problems) > 0 {
		t.Errorf("problems %v, inputs (-want +got):\n%s", problems, diff)
	}
}

func TestInputsOfACommandLineGetTheirType(t *testing.T) {
	for _, c := range []struct {
		say, kind, text string
		want            any
	}{
		{"a text stays one", "string", " 12 ", " 12 "},
		{"a number", "number", "1.5", 1.5},
		{"a boolean", "boolean", "true", true},
		{"a list", "array", `["a", 1]`, []any{"a", 1.0}},
		{"an object", "object", `{"a": 1}`, map[string]any{"a": 1.0}},
		{"an option that is a number", "enum", "2", 2.0},
		{"an option that is a large number", "enum", "1000000", 1e6},
		{"an unknown option is left to the check", "enum", "3", "3"},
		{"no number", "number", "many", `input x: wanted a number, found "many"`},
		{"infinity, which JSON does not have", "number", "inf", `input x: wanted a number, found "inf"`},
		{"what is called no number", "number", "NaN", `input x: wanted a number, found "NaN"`},
		{"no boolean", "boolean", "yep", `input x: wanted true or false, found "yep"`},
		{"no list", "array", "a,b", `input x: wanted a JSON list such as ["a", "b"], found "a,b"`},
		{"a list for an object", "object", "[]", `input x: wanted a JSON object such as {"a": 1}, found "[]"`},
	} {
		t.Run(c.say, func(t *testing.T) {
			var got any
			got, err := ParseInput(Variable{Name: "x", Type: c.kind, Options: []any{2.0, 1e6}}, c.text)
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if _, err := ParseInput(Variable{Name: "x", Type: "number", Secret: true}, "hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a secret is repeated: %v", err)
	}
}

func TestDeclarationsOfVariablesAreChecked(t *testing.T) {
	for _, c := range []struct{ say, variable, want string }{
		{"a default of another type", "{type: number, default: x}", `1:40 the default of v does not fit: wanted number, found the string "x"`},
		{"a default that is no option", "{options: [a, b], default: c}", `1:43 the default of v does not fit: the string "c" is not one of the known words; known are a, b`},
		{"an enum without options", "{type: enum}", "1:16 an enum has no options; list the values with options: [a, b]"},
		{"an option that is a list", "{options: [[a]]}", "1:27 an option is a text, a number or a boolean, found a list"},
		{"a regex that is none", "{regex: '('}", "1:24 regex is not a regular expression: error parsing regexp: missing closing ): `(`"},
		{"a regex of a number", "{type: number, regex: a}", "1:31 a regex cannot check the type number; it belongs to strings"},
		{"elements of a string", "{type: string, item_schema: {}}", "1:31 the type string has no elements; it belongs to arrays"},
		{"an unknown type", "{type: strng}", `1:23 type cannot be "strng"; did you mean string?`},
		{"nothing at all is a string", "{}", ""},
		{"a default says the type", "{default: true}", ""},
		{"a null default is none", "{type: number, default: null}", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			got := strings.Join(problems(t, "variables: {v: "+c.variable+"}\nsteps: []", nil), "\n")
			if got != c.want {
				t.Errorf("wanted %s\nfound  %s", c.want, got)
			}
		})
	}
}

func TestInputsOfTheDocumentItselfAreChecked(t *testing.T) {
	found := problems(t, "variables: {a: {type: number}, s: {secret: true}}\ninputs: {a: x, b: 1, s: y, t: '${{ x }}'}\nsteps: []", nil)
	want := []string{
		`2:13 the input a does not fit: wanted number, found the string "x"`,
		`2:16 there is no input "b"; the inputs are a, s`,
		"2:22 the value of the secret s does not belong in a document; leave it out: the run asks the person for it, on a page that no client reads, or names the command; at the command line it is --input s=@FILE",
		`2:28 there is no input "t"; the inputs are a, s`,
		"2:31 the inputs of a run are values: there is nothing yet that an expression could name; write the value, or put the expression where the input is used",
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
