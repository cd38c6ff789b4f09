package expression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// big is a scope with a list of n numbers and a string of n letters.
func big(n int) *Scope {
	list := make([]any, n)
	for i := range list {
		list[i] = float64(i)
	}
	return &Scope{Inputs: map[string]any{"list": list, "s": strings.Repeat("a", n)}}
}

var openNames = &Names{OpenInputs: true}

func TestEvaluationEndsByItself(t *testing.T) {
	for _, r := range []struct{ sentence, text, message string }{
		{"loops in loops", "all(list, any(list, any(list, # < 0)) || true)", "longer than"},
		{"sums in loops", "map(list, sum(map(list, sum(list))))", ""},
		{"counts in loops", "map(list, count(list, count(list, # > 1) > 1))", ""},
		{"lists in lists", "map(list, map(list, #))", ""},
		{"a text that doubles", "reduce(1..200, #acc + #acc, 'x')", "MiB"},
		{"a list that doubles", "reduce(1..200, concat(#acc, #acc), [1])", "MiB"},
		{"shared lists written down", "toJSON(reduce(1..60, [#acc, #acc], 1))", ""},
		{"shared lists as the value", "reduce(1..60, [#acc, #acc], 1)", ""},
		{"shared lists compared", "reduce(1..60, [#acc, #acc], 1) == reduce(1..60, [#acc, #acc], 1)", ""},
		{"a deep list", "reduce(1..5000, [#acc], 1)", "nests deeper"},
		{"a deep list compared", "reduce(1..5000, [#acc], 1) == reduce(1..5000, [#acc], 1)", "nests deeper"},
		{"a huge repeat", "repeat(s, 1000000)", "MiB"},
		{"repeats of repeats", "repeat(repeat(repeat('abc', 1000), 1000), 1000)", "MiB"},
		{"a replace that multiplies", "replace(s, 'a', s)", "MiB"},
		{"a join that multiplies", "join(list, repeat(s, 10))", "MiB"},
		{"a huge range", "1..100000000", "more than 100000"},
		{"a range past the numbers", "-9223372036854775807..9223372036854775807", "more than 100000"},
		{"many objects", "map(1..100000, ({a: #, b: #}))", "MiB"},
		{"a large pattern on a large text", "repeat(s, 100) matches '(a*)*(b|a?){50}$'", "too long for this pattern"},
		{"a pattern made at run time", "s matches repeat('a{900}', 200)", "pattern"},
		{"uniq of many", "uniq(1..90000)", ""},
		{"characters of a long text", "map(1..90000, s[#])", "MiB"},
		{"all steps, many times", "map(1..90000, steps)", "MiB"},
		{"long keys", "sortBy(map(1..90000, repeat(s, 100)), #)", ""},
		{"long keys, shared", "let k = repeat(s, 100); sortBy(map(1..90000, k), #)", "sort by a part of it"},
		{"long texts compared", "let a = repeat(s, 300); let b = a + 'x'; let c = a + 'y'; all(1..90000, all(1..90000, b != c))", ""},
		{"long texts in order", "let a = repeat(s, 300); let b = a + 'x'; let c = a + 'y'; all(1..90000, all(1..90000, b < c))", ""},
		{"long texts counted", "let a = repeat(s, 300); all(1..90000, all(1..90000, len(a) > 0))", ""},
		{"sorting by itself", "sortBy(list, sortBy(list, #)[0])", ""},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			t.Parallel()
			e := mustCompile(t, r.text, openNames)
			_, err := e.Eval(t.Context(), big(5000), nil)
			// A slow machine may reach the bound of time before the one of size.
			if err == nil || !strings.Contains(err.Error(), r.message) && !strings.Contains(err.Error(), "longer than") {
				t.Errorf("got %v; want an error with %q", err, r.message)
			}
		})
	}
}

func TestCancellationEndsAnEvaluation(t *testing.T) {
	reason := errors.New("the user said stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := mustCompile(t, "all(list, any(list, any(list, # < 0)) || true)", openNames)
	time.AfterFunc(20*time.Millisecond, func() { cancel(reason) })
	_, err := e.Eval(ctx, big(5000), nil)
	if !errors.Is(err, reason) {
		t.Errorf("got %v; want the cause of the cancellation", err)
	}
	if _, err := e.Holds(ctx, big(1), nil); !errors.Is(err, reason) {
		t.Errorf("with a cancelled context: got %v", err)
	}
}

func TestErrorsOfEvaluation(t *testing.T) {
	for _, r := range []struct{ sentence, text, message string }{
		{"a missing list", "any(missing, # > 1)", "any() got a list that is missing; write `?? []` after it"},
		{"a missing argument", "upper(missing)", "upper() got a value that is missing"},
		{"a walk over an object", "filter(object, true)", "filter() takes a list, not an object"},
		{"a number for a text", "upper(people[0].age)", "it needs a string and got a number"},
		{"text and number added", "people[0].name + people[0].age", "+ cannot join a string and a number"},
		{"something missing added", "missing + 1", "+ got a value that is missing"},
		{"a list in order", "people < 3", "a list has no order"},
		{"an object searched for", "name contains object", "an object is no text to look for"},
		{"in a text", "'a' in any", "in looks into a list or an object, not into a string"},
		{"division by zero as a value", "1 / zero", "the result is not a number"},
		{"remainder by zero", "1 % zero", "% cannot divide by zero"},
		{"half an index", "list[0.5:]", "a part is cut at whole numbers, not at 0.5"},
		{"a remainder of halves", "count + 0.5 % 2", "% takes whole numbers, not 0.5 and 2"},
		{"a range to half a number", "1..(count / 2)", ".. takes whole numbers, not 1 and 1.5"},
		{"something missing multiplied", "missing * 2", "* got a value that is missing; write `?? default` after it"},
		{"something missing negated", "-missing", "- got a value that is missing; write `?? default` after it"},
		{"something missing beside a date", "now() - missing", "- got a value that is missing"},
		{"a text multiplied", "people[1].age * 2", "* computes with numbers, not with a string and a number; write float(…) around a string that holds one"},
		{"a list divided", "people / 2", "/ computes with numbers, not with a list and a number"},
		{"a selector that is none", "exists(row)", "exists() takes a selector, a string, not a number"},
		{"reduce of nothing", "reduce([], #)", "reduce of empty array with no initial value"},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			_, err := mustCompile(t, r.text, testNames(t)).Eval(t.Context(), testScope(), screen{})
			if err == nil || !strings.Contains(err.Error(), r.message) {
				t.Fatalf("%s: got %v; want %q", r.text, err, r.message)
			}
			if named := (*EvalError)(nil); !errors.As(err, &named) || named.Expr != r.text {
				t.Errorf("the error does not name the expression: %v", err)
			}
		})
	}
}

type brokenScreen struct{ err error }

func (b brokenScreen) Exists(context.Context, string) (bool, error) { return false, b.err }
func (b brokenScreen) Text(context.Context, string) (string, error) { return "", b.err }

func TestAFailedLookKeepsItsError(t *testing.T) {
	broken := errors.New("int the bus is gone")
	for _, text := range []string{"exists('name:x')", "!text('name:x')"} {
		e := mustCompile(t, text, testNames(t))
		if _, err := e.Holds(t.Context(), testScope(), brokenScreen{broken}); !errors.Is(err, broken) || !strings.Contains(err.Error(), broken.Error()) {
			t.Errorf("%s: got %v", text, err)
		}
		if _, err := e.Holds(t.Context(), testScope(), nil); !errors.Is(err, errNoScreen) {
			t.Errorf("%s without a desktop: got %v", text, err)
		}
	}
}

func TestLooksAreMadeOnlyWhenNeeded(t *testing.T) {
	e := mustCompile(t, "name == 'Bob' && exists('name:x')", testNames(t))
	if got, err := e.Holds(t.Context(), testScope(), brokenScreen{errors.New("looked")}); got || err != nil {
		t.Errorf("got %v, %v; want false without a look", got, err)
	}
}

func TestManyAtOnce(t *testing.T) {
	names := testNames(t)
	e := mustCompile(t, "name == want && count(people, .age > 20) == 2 && check_result.items[1] == 'b'", &Names{
		OpenInputs: true, Steps: names.Steps,
	})
	var group sync.WaitGroup
	for i := range 8 {
		scope := testScope()
		scope.Inputs["name"], scope.Inputs["want"] = fmt.Sprint(i), fmt.Sprint(i)
		group.Go(func() {
			for range 300 {
				if ok, err := e.Holds(t.Context(), scope, nil); !ok || err != nil {
					t.Errorf("got %v, %v", ok, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestAnExpressionWithProblemsHasNoValue(t *testing.T) {
	e, _ := Compile("name ==", testNames(t))
	if v, err := e.Eval(t.Context(), testScope(), nil); err == nil {
		t.Errorf("got %v without an error", v)
	}
}
