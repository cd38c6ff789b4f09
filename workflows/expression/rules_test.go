package expression

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

type row struct {
	sentence, text string
	want           any
}

func TestTruth(t *testing.T) {
	for _, r := range []row{
		{"true is true", "yes", true},
		{"false is false", "no", false},
		{"an empty string is false", "empty", false},
		{"the string false is false", "'false'", false},
		{"the string 0 is false", "'0'", false},
		{"the string true is true", "'true'", true},
		{"any other string is true", "'no'", true},
		{"a blank is true", "' '", true},
		{"the string False is true, case counts", "'False'", true},
		{"zero is false", "0", false},
		{"zero as a value is false", "zero", false},
		{"a number is true", "count", true},
		{"a negative number is true", "-1", true},
		{"nil is false", "nil", false},
		{"a value that is missing is false", "missing", false},
		{"a field of nothing is false", "never_result.exists", false},
		{"an empty list is false", "[]", false},
		{"a list is true", "[0]", true},
		{"an empty object is false", "{}", false},
		{"an object is true", "{a: 1}", true},
		{"not of an empty string", "!empty", true},
		{"not of a string", "!name", false},
		{"not of nothing", "!missing", true},
		{"not of a list", "not list", false},
		{"twice not", "!!name", true},
		{"twice not of zero", "!!zero", false},
		{"blanks after not", "!  name", false},
		{"three nots", "!!!name", false},
		{"and of values", "name && count", true},
		{"and with an empty one", "name && empty", false},
		{"or of values", "empty || name", true},
		{"or of nothing", "empty || zero || missing", false},
		{"words for and, or, not", "not empty and (no or yes)", true},
		{"a choice takes any value as its condition", "name ? 'a' : 'b'", true},
		{"not a number is false", "zero / zero", false},
		{"the comparison itself counts", "zero == 0", true},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			got, err := mustCompile(t, r.text, testNames(t)).Holds(t.Context(), testScope(), screen{})
			if err != nil || got != r.want {
				t.Errorf("%s: got %v, %v; want %v", r.text, got, err, r.want)
			}
		})
	}
}

func checkValues(t *testing.T, rows []row) {
	t.Helper()
	names, scope := testNames(t), testScope()
	for _, r := range rows {
		t.Run(r.sentence, func(t *testing.T) {
			got, err := mustCompile(t, r.text, names).Eval(t.Context(), scope, screen{})
			if err != nil {
				t.Fatalf("%s: %v", r.text, err)
			}
			if diff := cmp.Diff(r.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", r.text, diff)
			}
		})
	}
}

func TestEquality(t *testing.T) {
	checkValues(t, []row{
		{"equal strings", "name == 'Ann'", true},
		{"case counts", "name == 'ann'", false},
		{"equal numbers", "count == 3", true},
		{"a number equals its fraction form", "count == 3.0", true},
		{"true is the string true", "yes == 'true'", true},
		{"true is the string 1", "yes == '1'", true},
		{"true is not the string yes", "yes == 'yes'", false},
		{"false is the string false", "no == 'false'", true},
		{"false is the string 0", "no == '0'", true},
		{"false is not an empty string", "no == ''", false},
		{"the string comes first", "'true' == yes", true},
		{"true is not the string false", "yes == 'false'", false},
		{"not equal turns it round", "yes != 'true'", false},
		{"true is not the number 1", "yes == 1", false},
		{"a number is a string that holds it", "count == '3'", true},
		{"a number is a string that holds it otherwise", "count == '3.0'", true},
		{"a string that holds a number is that number", "ten == 10", true},
		{"blanks around the number do not matter", "count == ' 3 '", true},
		{"a number is no other string", "count == 'three'", false},
		{"hexadecimal is not read out of strings", "16 == '0x10'", false},
		{"inf is no number", "count == 'inf'", false},
		{"a number is not an empty string", "zero == ''", false},
		{"two strings are compared as strings", "ten == '10.0'", false},
		{"nothing equals nil", "missing == nil", true},
		{"nil equals nothing", "nil == missing", true},
		{"nothing is not not nil", "missing != nil", false},
		{"something is not nil", "name != nil", true},
		{"nothing equals no string", "missing == 'x'", false},
		{"nothing differs from a string", "missing != 'x'", true},
		{"nothing is not false", "missing == false", false},
		{"nothing is not zero", "missing == 0", false},
		{"nothing is not empty", "missing == ''", false},
		{"nothing equals nothing only when nil is written", "missing == never_result", false},
		{"a field of nothing is nil", "never_result.at.x == nil", true},
		{"an element of nothing is nil", "never_result.items[3] == nil", true},
		{"an element past the end is nil", "list[9] == nil", true},
		{"equal lists", "list == [1, 2, 3]", true},
		{"lists of other length", "list == [1, 2]", false},
		{"elements are compared strictly", "list == ['1', 2, 3]", false},
		{"equal objects", "object.a == {b: 1}", true},
		{"objects with other values", "object.a == {b: 2}", false},
		{"a list is no string", "list == '1'", false},
		{"status is success", "check_status == 'success'", true},
		{"status says success in other words", "check_status == 'executed_without_error'", true},
		{"the other words come first", "'executed_without_error' == check_status", true},
		{"the other words are not true of an error", "failed_status == 'executed_without_error'", false},
		{"the other words, not equal", "failed_status != 'executed_without_error'", true},
		{"the other words by way of steps", "steps.check.status == 'executed_without_error'", true},
		{"the other words in a list", "check_status in ['executed_without_error', 'skipped']", true},
		{"elsewhere they are only words", "name == 'executed_without_error'", false},
		{"a status before the step ran is nothing", "never_status == 'success'", false},
	})
}

func TestOrder(t *testing.T) {
	checkValues(t, []row{
		{"less", "count < 4", true},
		{"not less", "count < 3", false},
		{"less or equal", "count <= 3", true},
		{"more", "count > 2", true},
		{"more or equal", "count >= 4", false},
		{"a number is read out of a string", "count < ten", true},
		{"numbers in two strings are compared as numbers", "'9' < ten", true},
		{"other strings are compared as strings", "'apple' < 'pear'", true},
		{"a string without a number is not less", "name < 5", false},
		{"nor more", "name > 5", false},
		{"nor equal", "name >= 5 or name <= 5", false},
		{"true is 1", "yes >= 1", true},
		{"true is more than false", "yes > no", true},
		{"false is 0", "no < 1", true},
		{"nothing is 0", "missing < 1", true},
		{"nothing is at most 0", "missing <= 0", true},
		{"nothing is not more than 0", "missing > 0", false},
		{"nothing is at least 0", "missing >= 0", true},
		{"a field of nothing is 0", "never_result.count < 5", true},
		{"a chain compares each pair", "1 < count < 5", true},
		{"a chain that fails in its second part", "1 < count < 2", false},
		{"a chain evaluates its middle once rewritten", "1 < people[0].age < 31", true},
		{"an age that is a string", "people[1].age > 40", true},
		{"dates are ordered", "date('2024-01-02') > date('2024-01-01')", true},
		{"durations are ordered", "duration('2m') > duration('90s')", true},
	})
}

func TestTextOperators(t *testing.T) {
	checkValues(t, []row{
		{"contains between", "name contains 'nn'", true},
		{"contains as a call", "contains(name, 'nn')", true},
		{"contains as a call after not", "not contains(name, 'nn')", false},
		{"contains as a call after !", "!contains(name, 'nn')", false},
		{"contains as a call inside another", "len(filter(['ab', 'c'], contains(#, 'a')))", 1.0},
		{"contains as a call in brackets", "(contains(name, 'x') || contains(name, 'A'))", true},
		{"a call form after a blank", "contains (name, 'A')", true},
		{"between, with brackets on the right", "name contains ('A')", true},
		{"not contains", "name not contains 'A'", false},
		{"not contains with brackets", "name not contains ('x')", true},
		{"startsWith between", "name startsWith 'A'", true},
		{"startsWith as a call", "startsWith(name, 'A')", true},
		{"endsWith between", "name endsWith 'n'", true},
		{"endsWith as a call", "endsWith(name, 'A')", false},
		{"call forms can be piped to", "name | contains('n')", true},
		{"nothing contains nothing", "missing contains 'x'", false},
		{"nothing is contained in nothing", "name contains missing", false},
		{"nothing starts with nothing", "startsWith(missing, 'x')", false},
		{"nothing ends with nothing", "missing endsWith 'x'", false},
		{"nothing matches nothing", "missing matches '.*'", false},
		{"not of nothing contains", "not (missing contains 'x')", true},
		{"a number as text", "ten contains 1", true},
		{"a number contains a digit", "123 contains '2'", true},
		{"a list contains an element", "contains(dup, 'a')", true},
		{"a list contains a number in a string", "list contains '2'", true},
		{"a list without the element", "list contains 9", false},
		{"an object contains a key", "object contains 'a'", true},
		{"matches", "name matches '^A.n$'", true},
		{"matches a pattern that is a value", "name matches ('^' + name)", true},
		{"not matches", "name not matches 'B'", true},
		{"in a list", "count in [1, 3]", true},
		{"not in a list", "count not in [1, 3]", false},
		{"a key in an object", "'a' in object", true},
		{"in nothing", "'a' in missing", false},
	})
}

func TestNot(t *testing.T) {
	checkValues(t, []row{
		{"not before == is the weaker", "!name == 'Ann'", false},
		{"not before == of another", "!name == 'Bob'", true},
		{"with brackets not is the stronger", "(!name) == 'Ann'", false},
		{"the brackets make a boolean, which is the string false", "(!name) == 'false'", true},
		{"without them the name is compared with false", "!name == 'false'", true},
		{"brackets only around the value", "!(name) == 'Bob'", true},
		{"not before !=", "!name != 'Ann'", true},
		{"not before contains", "!name contains 'A'", false},
		{"not before startsWith", "!name startsWith 'B'", true},
		{"not before endsWith", "!name endsWith 'n'", false},
		{"not before a comparison", "!count < 5", false},
		{"not before in", "!count in [1, 2]", true},
		{"twice not before ==", "!!name == 'Ann'", true},
		{"not with blanks before ==", "! name == 'Ann'", false},
		{"not of a call before ==", "!len(name) == 3", false},
		{"not of a field before ==", "!check_result.exists == false", true},
		{"not of an element before ==", "!list[0] == 1", false},
		{"not binds only its own comparison", "!name == 'Bob' && count == 3", true},
		{"not after and", "count == 3 && !name == 'Bob'", true},
		{"not on the right", "yes == !no", true},
		{"the word not", "not name == 'Ann'", false},
		{"not in is no leading not", "count not in [1] == false", false},
		{"brackets around the whole", "!(name == 'Ann')", false},
		{"not inside an index", "[5, 6][!no ? 1 : 0] == 6", true},
	})
}

func TestDefectsThatMustNotExist(t *testing.T) {
	checkValues(t, []row{
		{"and is stronger than or, on the right", "yes || no && no", true},
		{"and is stronger than or, on the left", "no && no || yes", true},
		{"brackets are understood", "(yes || no) && no", false},
		{"brackets in brackets", "((no) || ((yes)))", true},
		{"and inside quotes is text", "any == 'x && y'", true},
		{"or inside quotes is text", "'a || b' == 'a || b'", true},
		{"== inside quotes is text", "'a == b' contains '=='", true},
		{"brackets inside quotes are text", "'(' + ')' == '()'", true},
		{"an exclamation mark inside quotes is text", "'!x' startsWith '!'", true},
		{"a leading not does not take the rest", "!no && yes", true},
		{"a leading not does not take an or", "!yes || yes", true},
		{"lists have elements", "check_result.items[1]", "b"},
		{"elements from the end", "list[-1]", 3.0},
		{"an index may be a value", "list[zero]", 1.0},
		{"an index may be computed", "list[count - 1]", 3.0},
		{"a field of a result in a condition", "check_result.exists && check_result.count == 4", true},
		{"a quote inside other quotes", `quote == "it's"`, true},
		{"an escaped quote", `quote == 'it\'s'`, true},
		{"a comma inside quotes in a call", "contains('a,b', ',')", true},
		{"call forms nest", "coalesce('', coalesce(missing, 'deep'))", "deep"},
	})
}

func TestLargeNumbers(t *testing.T) {
	checkValues(t, []row{
		{"a sum past the whole numbers of the machine", "9223372036854775807 + 1", 9223372036854775808.0},
		{"a difference past them", "-9223372036854775807 - 5", -9223372036854775812.0},
		{"a product past them", "100000 * 100000 * 100000 * 100000", 1e20},
		{"a sum of a list past them", "sum([9223372036854775807, 9223372036854775807])", 18446744073709551614.0},
		{"an exact sum of large ones", "4294967296 * 1000 + 1", 4294967296001.0},
		{"a large one is still an index", "list[4294967296 - 4294967295]", 2.0},
	})
}

func TestNamesInExpressions(t *testing.T) {
	checkValues(t, []row{
		{"an input by its own name", "name", "Ann"},
		{"an input through inputs", "inputs.name", "Ann"},
		{"an input by its name in brackets", "inputs['name']", "Ann"},
		{"an input by a computed name", "inputs['na' + 'me']", "Ann"},
		{"an input named like a root", "inputs.steps", "shadowed"},
		{"an input named like a word of the language", "inputs.true", "odd"},
		{"an input named like an operator", "inputs.contains", "held"},
		{"an input named like a function", "text", "hello"},
		{"the function is still there", "text('x')", "Total: 12 x"},
		{"both at once", "text(text)", "Total: 12 hello"},
		{"an input named len", "len", "long"},
		{"and len the function", "len(len)", 4.0},
		{"an input with a hyphen", "is-new", true},
		{"the same through inputs", "inputs.is-new", true},
		{"a key with a hyphen and a digit", "object['k-1']", "v"},
		{"an env name", "env.TOKEN", "t0"},
		{"an env name that is not set", "env.NONE ?? 'unset'", "unset"},
		{"a selector", "selectors.save", "role:button && name:Save"},
		{"a selector with a hyphen", "selectors.save-as", "name:As"},
		{"the run", "run.id + run.workflow", "r1demo"},
		{"the attempt of the run", "run.attempt", 2.0},
		{"the element of the loop", "line.text", "one"},
		{"the element of the loop around", "row", 5.0},
		{"the index of the innermost loop", "index", 4.0},
		{"a result", "check_result.count", 4.0},
		{"what was read back, by its older name", "typed_result.verified", true},
		{"what was not read back, by its older name", "click_result.verified == false", true},
		{"what a result of older days says", "steps.old.result.verified", true},
		{"what was read back, of all steps", `steps["typed"].result.verified`, true},
		{"a result by way of steps", "steps.check.result.count", 4.0},
		{"a step by its name in brackets", "steps['check'].result.count", 4.0},
		{"a step by a computed name", "steps['che' + 'ck'].result.count", 4.0},
		{"a whole step", "steps.failed", map[string]any{
			"result": nil, "status": "error", "attempts": 1.0,
			"error": map[string]any{"code": "not_found", "message": "no such element"},
		}},
		{"the error of a step", "steps.failed.error.code", "not_found"},
		{"the error of a step that had none", "steps.check.error == nil", true},
		{"the attempts of a step", "steps.check.attempts", 2.0},
		{"a step that has not run", "steps.never", nil},
		{"its result", "steps.never.result.count", nil},
		{"all steps that ran", "keys(steps)", []any{"check", "click", "failed", "my", "my-step", "old", "typed"}},
		{"a result of an id with a hyphen", "my-step_result", 12.0},
		{"its status", "my-step_status", "skipped"},
		{"the same by way of steps", "steps.my-step.result", 12.0},
		{"a subtraction is a subtraction", "my_result - count", 17.0},
		{"also without blanks", "my_result-count", 17.0},
		{"a hyphen inside quotes is text", "'my-step_result'", "my-step_result"},
		{"a name with a hyphen in a call", "string(my-step_result)", "12"},
	})
}

func TestWriting(t *testing.T) {
	checkValues(t, []row{
		{"curly double quotes", "name == “Ann”", true},
		{"curly single quotes", "name == ‘Ann’", true},
		{"low quotes", "name == „Ann“", true},
		{"angle quotes", "name == «Ann»", true},
		{"only the first quote is curly", "name == “Ann\"", true},
		{"only the last quote is curly", "name == \"Ann”", true},
		{"curly quotes inside plain ones are text", "'“x”'", "“x”"},
		{"a curly apostrophe inside plain quotes is text", "\"it’s\"", "it’s"},
		{"a curly apostrophe inside curly quotes is text", "‘it’s’", "it’s"},
		{"plain quotes inside curly ones are text", "“say \"hi\"”", `say "hi"`},
		{"back quotes", "name == `Ann`", true},
		{"back quotes keep backslashes", "`a\\b`", `a\b`},
		{"a non-breaking blank", "name\u00a0==\u00a0'Ann'", true},
		{"a thin blank", "name\u2009==\u2009'Ann'", true},
		{"a narrow non-breaking blank", "name\u202f== 'Ann'", true},
		{"a blank without width", "name \u200b== 'Ann'", true},
		{"a byte order mark", "\ufeffname == 'Ann'", true},
		{"a non-breaking blank inside quotes stays", "'a\u00a0b'", "a\u00a0b"},
		{"a non-breaking blank after not", "not\u00a0contains(name, 'x')", true},
		{"several lines", "name == 'Ann'\n && count == 3", true},
		{"a comment", "name // who\n", "Ann"},
		{"a comment with a quote", "name /* who's */ == 'Ann'", true},
		{"a whole template is unwrapped", "${{ name == 'Ann' }}", true},
		{"the other form too", "{{ name }}", "Ann"},
		{"with blanks around", "  ${{ name }}  ", "Ann"},
		{"with braces inside", `${{ {"a": {"b": 1}}.a.b }}`, 1.0},
		{"templates as parts", "${{ name }} == 'Ann' && ${{ count }} > 2", true},
		{"not before a template", "!${{ no }}", true},
		{"templates as parts, in the other form", "{{ count }} == 3 && !{{no}}", true},
		{"both forms", "{{ name }} == 'Ann' && ${{ count }} > 2", true},
		{"a template as an argument", "contains('Anna', {{ name }})", true},
		{"an object in a predicate is no template", "map([1], {{a: #}})[0].a", 1.0},
		{"an object is not a template", "{a: 1}.a", 1.0},
		{"letters of any alphabet", "'größe' contains 'ö'", true},
	})
}

func TestFunctions(t *testing.T) {
	checkValues(t, []row{
		{"coalesce takes the first that is true", "coalesce(missing, empty, zero, 'd')", "d"},
		{"coalesce with a value", "coalesce(name, 'd')", "Ann"},
		{"coalesce takes the last when none is true", "coalesce(missing, 0)", 0.0},
		{"?? is for what is missing", "missing ?? 'd'", "d"},
		{"?? keeps what is empty", "empty ?? 'd'", ""},
		{"?? after a field of nothing", "never_result.label ?? 'd'", "d"},
		{"optional members are as others", "never_result?.label ?? 'd'", "d"},
		{"always", "always()", true},
		{"success while nothing failed", "success()", true},
		{"failure while nothing failed", "failure()", false},
		{"exists looks", "exists('role:button && name:Save')", true},
		{"exists of another", "exists('name:None')", false},
		{"exists of a named selector", "exists(selectors.save)", true},
		{"text looks", "text('name:T') startsWith 'Total'", true},
		{"upper", "upper(name)", "ANN"},
		{"len of a string counts characters", "len('größe')", 5.0},
		{"len of a list", "len(list)", 3.0},
		{"split and join", "join(split('a-b', '-'), '+')", "a+b"},
		{"join writes numbers", "join(list, ',')", "1,2,3"},
		{"string of a large number", "string(1000000.0)", "1000000"},
		{"string of an object", "string({a: 1})", `{"a":1}`},
		{"replace", "replace('aba', 'a', 'x')", "xbx"},
		{"replace once", "replace('aba', 'a', 'x', 1)", "xba"},
		{"replace as often as a value says", "replace('aaaa', 'a', 'x', count)", "xxxa"},
		{"repeat", "repeat('ab', count)", "ababab"},
		{"trim", "trim(' a ')", "a"},
		{"split some", "split('a,b,c', ',', 2)", []any{"a", "b,c"}},
		{"a range", "1..3", []any{1.0, 2.0, 3.0}},
		{"a range up to a value", "1..count", []any{1.0, 2.0, 3.0}},
		{"an empty range", "3..1", []any{}},
		{"remainder", "10 % count", 1.0},
		{"a slice", "list[1:]", []any{2.0, 3.0}},
		{"a slice up to a value", "list[:zero + 1]", []any{1.0}},
		{"a slice of a string cuts characters", "'größe'[1:3]", "rö"},
		{"a slice of nothing is nothing", "missing[1:]", nil},
		{"take", "take(list, count - 1)", []any{1.0, 2.0}},
		{"first of nothing is nothing", "first(missing)", nil},
		{"last", "last(list)", 3.0},
		{"filter", "filter(people, .name == 'Bob')[0].age", "41"},
		{"filter by a forgiving truth", "filter(dup, #)", []any{"a", "a", 1.0, true}},
		{"map", "map(list, # * 2)", []any{2.0, 4.0, 6.0}},
		{"map with its index", "map(list, #index)", []any{0.0, 1.0, 2.0}},
		{"any", "any(people, .age > 40)", true},
		{"all", "all(people, .age > 40)", false},
		{"none", "none(people, .age > 50)", true},
		{"one", "one(people, .age > 40)", true},
		{"count of those that hold", "count(people, .age > 20)", 2.0},
		{"count of those that are true", "count(dup)", 4.0},
		{"find", "find(people, .age == '30').name", "Ann"},
		{"find takes the first", "find(list, # > 1)", 2.0},
		{"find of none", "find(list, # > 9)", nil},
		{"findIndex takes the first", "findIndex(list, # > 1)", 1.0},
		{"findLast takes the last", "findLast(list, # < 3)", 2.0},
		{"findLastIndex takes the last", "findLastIndex(list, # < 3)", 1.0},
		{"a predicate that is a value of its own", "findLast(list, true) + find(list, 'yes')", 4.0},
		{"predicates nest", "map(list, count(list, # > 1) + #)", []any{3.0, 4.0, 5.0}},
		{"the start of reduce belongs to the list around it", "map(list, reduce([1], #acc + #, #))", []any{2.0, 3.0, 4.0}},
		{"sortBy of nothing", "sortBy([], #)", []any{}},
		{"groupBy of numbers", "groupBy([1, 1.0, 2], #)", map[string]any{"1": []any{1.0, 1.0}, "2": []any{2.0}}},
		{"the first of two equal keys counts", "{a: 1, 'a': 2}", map[string]any{"a": 1.0}},
		{"an object from pairs", "fromPairs([['a', 1]]).a", 1.0},
		{"findIndex", "findIndex(people, .name == 'Bob')", 1.0},
		{"sum", "sum(list)", 6.0},
		{"sum of a field", "sum(people, int(.age))", 71.0},
		{"sortBy", "map(sortBy(people, .name, 'desc'), .name)", []any{"Bob", "Ann"}},
		{"groupBy", "groupBy(list, # > 1 ? 'more' : 'less').more", []any{2.0, 3.0}},
		{"reduce", "reduce(list, #acc + #, 10)", 16.0},
		{"fromJSON", `fromJSON('{"a": [1]}').a[0]`, 1.0},
		{"keys are sorted", "keys({b: 1, a: 2})", []any{"a", "b"}},
		{"values follow the keys", "values({b: 1, a: 2})", []any{2.0, 1.0}},
		{"get of nothing", "get(missing, 'a')", nil},
		{"a name for a value", "let x = count * 2; x + 1", 7.0},
		{"a name for a list", "let x = list; x[0] + len(x)", 4.0},
		{"if and else", "if count > 2 { 'many' } else { 'few' }", "many"},
		{"the short choice", "empty ?: 'd'", "d"},
		{"a list of values", "[name, count, nil]", []any{"Ann", 3.0, nil}},
		{"an object of values", "{who: name, 'n': count}", map[string]any{"who": "Ann", "n": 3.0}},
		{"text is joined", "name + '!'", "Ann!"},
		{"numbers are added", "count + 1", 4.0},
		{"division", "count / 2", 1.5},
		{"power", "2 ** 10", 1024.0},
		{"a date is written as a string", "date('2024-01-02')", "2024-01-02T00:00:00Z"},
		{"a duration is written as a string", "duration('90s')", "1m30s"},
	})
}

func TestFailing(t *testing.T) {
	scope := testScope()
	scope.Failing = true
	for text, want := range map[string]bool{"failure()": true, "success()": false, "always()": true} {
		got, err := mustCompile(t, text, testNames(t)).Holds(t.Context(), scope, nil)
		if err != nil || got != want {
			t.Errorf("%s while the run is failing: got %v, %v; want %v", text, got, err, want)
		}
	}
}
