package expression

import (
	"context"
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"understudy/internal/testing/scratch"
)

var seeds = []string{
	"!check_result.exists", "check_status == 'success'", "!name == 'x' && (count > 2 || contains(name, 'n'))",
	"“x” == ‘y’", "my-step_result - 1", "filter(people, .age > 40)[0].name ?? 'none'", "${{ name }} == 'a'",
	"reduce(1..10, #acc + #, 0)", "let x = 1; x..3", "{a: [1, {b: nil}]}.a[1:]", "if no { 1 } else { 2 }",
	"1 < count < 3 not in [1]", "name matches '^a+$'", "map(list, {let y = #; y * 2})", "a ?: b ? c : d", "date('2024-01-01')",
	"text(text) | upper() | len()", "`a``b`", "steps['check'].result?.at?.x", "// c\n1 /* d */ % 2", "groupBy(dup, #)",
}

// within fails the test when f takes so long that its work must grow faster than its input.
func within(t *testing.T, f func()) {
	t.Helper()
	end := scratch.Deadline(t)
	f()
	if late := time.Since(end); late > 0 {
		t.Errorf("it ended %v after the deadline", late)
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	names, open := testNames(f), &Names{OpenInputs: true, Screen: true}
	f.Fuzz(func(t *testing.T, text string) {
		within(t, func() {
			for _, n := range []*Names{names, open} {
				e, problems := Compile(text, n)
				checkPlaces(t, text, problems)
				if problems == nil {
					checkEval(t, e)
				}
			}
		})
	})
}

func FuzzCompileText(f *testing.F) {
	for _, s := range seeds {
		f.Add("a ${{ " + s + " }} b {{" + s + "}} $${{")
	}
	names := testNames(f)
	f.Fuzz(func(t *testing.T, text string) {
		within(t, func() {
			x, problems := CompileText(text, names)
			checkPlaces(t, text, problems)
			if problems != nil {
				return
			}
			if v, err := x.Eval(context.Background(), testScope(), screen{}); err == nil && !HasTemplate(text) && v != text {
				t.Errorf("%q became %q", text, v)
			}
		})
	})
}

func checkPlaces(t *testing.T, text string, problems []*Problem) {
	for _, p := range problems {
		if p.Offset < 0 || p.Length < 0 || p.Offset+p.Length > len(text) || p.Message == "" {
			t.Errorf("%q: the problem %+v is outside of the text", text, p)
		}
	}
}

func checkEval(t *testing.T, e *Expr) {
	v, err := e.Eval(context.Background(), testScope(), screen{})
	holds, failed := e.Holds(context.Background(), testScope(), screen{})
	if failed != nil && (holds || err == nil) {
		t.Errorf("%s: holds %v with error %v, but has the value %v", e, holds, failed, v)
	}
	if err != nil {
		if err.Error() == "" || !utf8.ValidString(err.Error()) && utf8.ValidString(e.text) {
			t.Errorf("%s: the error %q cannot be read", e, err)
		}
		return
	}
	if _, err := json.Marshal(v); err != nil {
		t.Errorf("%s: the value is not plain: %v", e, err)
	}
	if s, ok := v.(string); ok && s == "" && holds {
		t.Errorf("%s: an empty string holds", e)
	}
}
