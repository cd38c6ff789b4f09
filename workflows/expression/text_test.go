package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustCompileText(t testing.TB, text string, n *Names) *Text {
	t.Helper()
	x, problems := CompileText(text, n)
	for _, p := range problems {
		t.Fatalf("%q\nat %d+%d: %v", text, p.Offset, p.Length, p)
	}
	return x
}

func TestText(t *testing.T) {
	for _, r := range []row{
		{"no template", "plain", "plain"},
		{"an empty text", "", ""},
		{"a template in a text", "Dear ${{ name }},", "Dear Ann,"},
		{"the other form", "Dear {{ name }},", "Dear Ann,"},
		{"two templates", "${{ name }}${{ count }}", "Ann3"},
		{"a whole template keeps a number", "${{ count }}", 3.0},
		{"a whole template keeps a boolean", "${{ yes }}", true},
		{"a whole template keeps a list", "${{ list }}", []any{1.0, 2.0, 3.0}},
		{"a whole template keeps an object", "{{ object.a }}", map[string]any{"b": 1.0}},
		{"a whole template keeps a string", "${{ name }}", "Ann"},
		{"a blank around makes it a text", " ${{ count }}", " 3"},
		{"a large number has no exponent", "n=${{ 1000000.0 * 1000 }}", "n=1000000000"},
		{"a small number", "n=${{ 1 / 4 }}", "n=0.25"},
		{"a boolean in a text", "is ${{ yes }}", "is true"},
		{"a list in a text is JSON", "l=${{ list }}", "l=[1,2,3]"},
		{"an object in a text is JSON, with its signs", "o=${{ {a: '<&>'} }}", `o={"a":"<&>"}`},
		{"an empty string is a value", "a${{ empty }}b", "ab"},
		{"a default for what is missing", "a${{ missing ?? '-' }}b", "a-b"},
		{"an escaped template", "$${{ name }}", "${{ name }}"},
		{"an escaped and a real one", "$${{ a }} ${{ name }}", "${{ a }} Ann"},
		{"an escaped one needs no end", "a $${{", "a ${{"},
		{"a dollar before a template that is none of it", "$ ${{ count }}", "$ 3"},
		{"single braces", "{a} ${b} }} {", "{a} ${b} }} {"},
		{"braces in a template", `x${{ {"a": {"b": 1}}.a.b }}`, "x1"},
		{"braces that close at the end", `x${{ {"a": {"b": 1}}}}`, `x{"a":{"b":1}}`},
		{"closing braces in quotes", "x${{ 'a }} b' }}", "xa }} b"},
		{"curly quotes in a template", "x${{ “a }} b” }}", "xa }} b"},
		{"an apostrophe outside of templates", "it's ${{ name }}'s", "it's Ann's"},
		{"several lines", "a\n${{ name\n}}\nb", "a\nAnn\nb"},
		{"letters of more than one byte", "größe: ${{ name }} – ${{ 'ö' }}", "größe: Ann – ö"},
		{"bytes that are no letters stay", "\xff${{ name }}\xfe", "\xffAnn\xfe"},
		{"a forgiving condition", "${{ !name == 'Bob' }}", true},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			got, err := mustCompileText(t, r.text, testNames(t)).Eval(t.Context(), testScope(), screen{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", r.text, diff)
			}
		})
	}
}

func TestTextOfAMissingValue(t *testing.T) {
	for _, text := range []string{"${{ inputs.missing }}", "a ${{ inputs.missing }} b"} {
		_, err := mustCompileText(t, text, testNames(t)).Eval(t.Context(), testScope(), nil)
		missing := (*ValueError)(nil)
		if !errors.As(err, &missing) || missing.Expr != "inputs.missing" {
			t.Fatalf("%q: got %v; want a ValueError that names the expression", text, err)
		}
		if want := "inputs.missing has no value; write `inputs.missing ?? default` to allow it"; err.Error() != want {
			t.Errorf("got %q; want %q", err, want)
		}
	}
}

func TestTextProblems(t *testing.T) {
	for _, r := range []struct{ sentence, text, marked, message string }{
		{"a template that is not closed", "ab ${{ name", "${{", "this template is not closed"},
		{"the other form", "ab {{ name }", "{{", "this template is not closed"},
		{"a quote that swallows the end", "ab ${{ 'name }}", "'name ", "a string is not closed"},
		{"a slip in the second template", "größe ${{ name }} ${{ nmae }}", "nmae", "there is no nmae here"},
		{"an empty template", "a ${{ }} b", " ", "the expression is empty"},
		{"too many templates", strings.Repeat("{{1}}", 1001), "{{", "the text has more than 1000 templates"},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			_, problems := CompileText(r.text, testNames(t))
			if len(problems) != 1 {
				t.Fatalf("got %v; want one problem", problems)
			}
			p := problems[0]
			if got := r.text[p.Offset : p.Offset+p.Length]; got != r.marked || p.Message != r.message {
				t.Errorf("got %q at %q; want %q at %q", p.Message, got, r.message, r.marked)
			}
		})
	}
}

func TestTextSaysWhatItIs(t *testing.T) {
	for _, r := range []struct {
		text             string
		has, whole, look bool
	}{
		{"plain", false, false, false},
		{"{a}", false, false, false},
		{"${{ name }}", true, true, false},
		{" ${{ name }}", true, false, false},
		{"$${{ name }}", true, false, false},
		{"${{ exists('name:x') }}", true, true, true},
		{"a ${{ name }} ${{ text('name:x') }}", true, false, true},
	} {
		x := mustCompileText(t, r.text, testNames(t))
		if HasTemplate(r.text) != r.has || x.Whole() != r.whole || x.Looks() != r.look {
			t.Errorf("%q: has %v, whole %v, looks %v", r.text, HasTemplate(r.text), x.Whole(), x.Looks())
		}
	}
}

func TestValuesOfAText(t *testing.T) {
	got, err := mustCompileText(t, "echo ${{ count }} 'x' ${{ count }}", testNames(t)).
		Values(t.Context(), testScope(), nil, func(i int) bool { return i == 0 })
	if diff := cmp.Diff([]any{"3", 3.0}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestValuesAreNotChanged(t *testing.T) {
	scope := testScope()
	for _, text := range []string{"${{ [list, 1, people] }}", "${{ sortBy(people, .age ?? 0) }}", "${{ concat(list, [4]) }}", "${{ reverse(list) }}"} {
		x := mustCompileText(t, text, testNames(t))
		_, _ = x.Eval(t.Context(), scope, nil)
	}
	if diff := cmp.Diff(testScope(), scope); diff != "" {
		t.Errorf("an evaluation changed the scope:\n%s", diff)
	}
}
