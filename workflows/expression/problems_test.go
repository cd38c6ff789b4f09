package expression

import (
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	noScreen := testNames(t)
	noScreen.Screen, noScreen.Loops = false, nil
	for _, r := range []struct {
		sentence, text string
		marked         string // the part of the text that the problem points at
		message, hint  string
		names          *Names
	}{
		{"a misspelled result", "chek_result.exists", "chek_result", "there is no chek_result here", "did you mean check_result?", nil},
		{"a misspelled input", "nmae == 'x'", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"a misspelled input of inputs", "inputs.nmae", "nmae", "inputs has no nmae", "did you mean name?", nil},
		{"a misspelled field of a result", "check_result.exist", "exist", "there is no field exist", "did you mean exists?", nil},
		{"a misspelled field deep in a result", "check_result.at.why == 1", "why", "there is no field why", "known are x", nil},
		{"a misspelled field by way of steps", "steps.check.result.cuont > 1", "cuont", "there is no field cuont", "did you mean count?", nil},
		{"a misspelled field of a step", "steps.check.staus", "staus", "there is no field staus", "did you mean status?", nil},
		{"a misspelled step", "steps.chek.status", "chek", "steps has no chek", "did you mean check?", nil},
		{"a misspelled selector", "exists(selectors.svae)", "svae", "selectors has no svae", "did you mean save?", nil},
		{"a misspelled field of the run", "run.attemp", "attemp", "there is no field attemp", "did you mean attempt?", nil},
		{"a misspelled field of the loop's element", "line.txt", "txt", "there is no field txt", "did you mean text?", nil},
		{"a misspelled function", "exist('x')", "exist", "there is no function exist()", "did you mean exists?", nil},
		{"a misspelled call form", "contain(name, 'x')", "contain", "there is no function contain()", "did you mean contains?", nil},
		{"a member that is called", "name.contains('x')", "contains", "values have no function contains()", "write contains(value, …)", nil},
		{"a function without its call", "name == upper", "upper", "there is no upper here", "upper is a function; write upper(…)", nil},
		{"the index outside of a loop", "index > 1", "index", "there is no index here", "index is known inside a loop; an input of that name is inputs.index", noScreen},
		{"null", "name == null", "null", "there is no null here", "a missing value is written nil", nil},
		{"a look where none is possible", "exists('name:x')", "exists", "exists() cannot look at the desktop here", "use it in if, expect, while or jumps", noScreen},
		{"text where it is not possible", "text('name:x')", "text", "text() cannot look at the desktop here", "use it in if, expect, while or jumps", noScreen},
		{"one equals sign", "name = 'x'", "=", "= is not expected here", "write == to compare", nil},
		{"the end is missing", "name ==", "=", "the expression ends too early", "", nil},
		{"a bracket is missing", "(name == 'x'", "'", "the expression ends too early", "", nil},
		{"a quote is missing", "name == 'x", "'x", "a string is not closed", "add the quote that closes it", nil},
		{"nothing", "   ", "   ", "the expression is empty", "", nil},
		{"an empty template", "${{ }}", "${{ }}", "the expression is empty", "", nil},
		{"a template that is not closed", "name == ${{ count", "${{", "${{ is not closed", "close it with }}", nil},
		{"a template of the other form that is not closed", "name == {{ count", "{{", "{{ is not closed", "close it with }}", nil},
		{"inside a template of the other form", "{{ nmae }} == 'Ann'", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"a template inside quotes", "'${{ name }}' == 'Ann'", "'${{ name }}'", "a template inside quotes is not replaced here", "write the name without quotes and without ${{ }}", nil},
		{"a bad pattern", "name matches '(a'", "'(a'", "the pattern is not valid: missing closing ): (a", "", nil},
		{"a pattern that repeats too much", "name matches '((abcdefghij){100}){10}((abcdefghij){100}){10}'", "'((abcdefghij){100}){10}((abcdefghij){100}){10}'", "the pattern repeats too much", "", nil},
		{"a number where a string is needed", "upper(count)", "count", "cannot use number as argument (type string) to call upper", "", nil},
		{"a number and a string added", "count + name", "+", "+ does not work on number and string", "", nil},
		{"a walk over a number", "any(count, # > 1)", "count", "any() takes a list, not a number", "", nil},
		{"too few arguments", "contains(name)", "contains", "not enough arguments to call contains", "", nil},
		{"too few arguments for a function of expr's", "replace(name, 'a')", "replace", "replace() takes 3 to 4 arguments, not 2", "", nil},
		{"a list to split", "split(list, ',')", "split", "argument 1 of split() is a list, not a string", "", nil},
		{"a field of a string", "name.first", "first", "a string has no field first", "", nil},
		{"a step without _result", "check.exists", "check", "there is no check here", "write check_result or check_status", nil},
		{"a number for a selector", "exists(count)", "count", "cannot use number as argument (type string) to call exists", "", nil},
		{"a name for an element", "list.first", "first", "the elements of a list have numbers, not names", "write [0] for the first", nil},
		{"the length of a text", "name.length", "length", "a string has no field length", "write len(…) around it", nil},
		{"the length of a list", "list.length", "length", "the elements of a list have numbers, not names", "write len(…) around it", nil},
		{"a character of a text", "name[0]", "[", "a string has no elements", "write [0:1] for the first character", nil},
		{"an element of a number", "count[0]", "[", "a number has no elements", "", nil},
		{"a number that is measured", "len(count)", "len", "len() takes a string, a list or an object, not a number", "", nil},
		{"an object in a predicate", "map(list, {n: #})", ":", ": is not expected here", "an object in a predicate stands in brackets: ({…})", nil},
		{"in for a text", "'a' in name", "in", "in looks into a list or an object", "use contains to look into text", nil},
		{"?? beside ||", "name ?? yes || no", "||", "?? with && or || needs brackets", "write (a ?? b) || c", nil},
		{"half a number", "count > 0x", "x", "invalid hex literal", "", nil},
		{"bytes", "name == b'x'", "b'x'", "bytes are not supported", "leave out the b", nil},
		{"the environment of expr's own", "$env.name", "$env", "there is no $env here", "did you mean env?", nil},
		{"a let that hides a name", "let name = 1; name", "name", "name already means something here", "choose another name", nil},
		{"after letters of more than one byte", "'größe' == nmae", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"after curly quotes", "“größe” == nmae", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"inside a template", "  ${{ nmae }}", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"after a call form", "contains(name, 'x') && nmae", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"after a name with a hyphen", "my-step_result + nmae", "nmae", "there is no nmae here", "did you mean name?", nil},
		{"brackets that nest too deep", strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101), "(", "the brackets nest too deep", "", nil},
		{"too many parts", strings.Repeat("1+", 1500) + "1", "", "the expression has more than 2000 parts", "", nil},
		{"a text that is too long", strings.Repeat(" ", 17<<10), strings.Repeat(" ", 17<<10), "the expression is longer than 16 KiB", "", nil},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			names := r.names
			if names == nil {
				names = testNames(t)
			}
			_, problems := Compile(r.text, names)
			if len(problems) == 0 {
				t.Fatalf("%s: no problem was found", r.text)
			}
			p := problems[0]
			if !strings.Contains(p.Message, r.message) || p.Hint != r.hint {
				t.Errorf("got %q, hint %q; want %q, hint %q", p.Message, p.Hint, r.message, r.hint)
			}
			if got := r.text[p.Offset : p.Offset+p.Length]; r.marked != "" && got != r.marked {
				t.Errorf("the problem is at %q (%d+%d), not at %q", got, p.Offset, p.Length, r.marked)
			}
		})
	}
}

func TestAllUnknownNamesAreReported(t *testing.T) {
	_, problems := Compile("nmae == 'x' && cuont > 1 && steps.chek.status", testNames(t))
	if len(problems) != 3 {
		t.Errorf("got %v; want three problems", problems)
	}
}

func TestOpenInputs(t *testing.T) {
	names := &Names{OpenInputs: true}
	scope := &Scope{Inputs: map[string]any{"who": "Ann"}}
	for text, want := range map[string]any{"who": "Ann", "inputs.who": "Ann", "other ?? 1": 1.0} {
		got, err := mustCompile(t, text, names).Eval(t.Context(), scope, nil)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"check_result.x", "check_status == 'success'", "who == null", "steps.check.result"} {
		if _, problems := Compile(text, names); problems == nil {
			t.Errorf("%s: a slip was taken for an input", text)
		}
	}
}

func TestLooksAndAlways(t *testing.T) {
	for _, r := range []struct {
		text          string
		looks, always bool
	}{
		{"exists('name:x')", true, false},
		{"!exists('name:x') && name == 'a'", true, false},
		{"text('name:x') contains 'a'", true, false},
		{"text == 'exists(1)'", false, false},
		{"always()", false, true},
		{"failure() && name == 'a'", false, true},
		{"success()", false, false},
		{"'always()' == name", false, false},
	} {
		e := mustCompile(t, r.text, testNames(t))
		if e.Looks() != r.looks || e.Always() != r.always {
			t.Errorf("%s: looks %v, always %v", r.text, e.Looks(), e.Always())
		}
	}
}

func TestCompileTakesShortForNestedCalls(t *testing.T) {
	within(t, func() {
		Compile(strings.Repeat("join(", 60)+"list"+strings.Repeat(")", 60), testNames(t))
		Compile(strings.Repeat("trim(split(", 40)+"5"+strings.Repeat(",','))", 40), testNames(t))
		Compile(strings.Repeat("1 < (", 90)+"2"+strings.Repeat(") < 3", 90), testNames(t))
	})
}

func TestCompileTakesShortForWhatIsNoName(t *testing.T) {
	within(t, func() {
		Compile(strings.Repeat("a-", 2000)+"a", testNames(t))
		if _, problems := Compile(strings.Repeat("${{", 5000), testNames(t)); len(problems) > 2 {
			t.Errorf("got %d problems of templates that are not closed; want one, and that they nest too deep", len(problems))
		}
	})
}
