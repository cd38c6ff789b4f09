package expression

import "testing"

const benchCondition = "check_status == 'success' && check_result.count > 3"

func BenchmarkCompile(b *testing.B) {
	n := testNames(b)
	for b.Loop() {
		if _, problems := Compile(benchCondition, n); problems != nil {
			b.Fatal(problems[0])
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	e, s := mustCompile(b, benchCondition, testNames(b)), testScope()
	for b.Loop() {
		if ok, err := e.Holds(b.Context(), s, nil); !ok {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	x, s := mustCompileText(b, "Dear ${{ name }}, you are number ${{ count }}", testNames(b)), testScope()
	for b.Loop() {
		if _, err := x.Eval(b.Context(), s, nil); err != nil {
			b.Fatal(err)
		}
	}
}
