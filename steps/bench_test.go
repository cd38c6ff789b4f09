package steps

import "testing"

// What a kind costs that does nothing: checking, decoding, encoding.
func BenchmarkRun(b *testing.B) {
	a := args("condition", true)
	for b.Loop() {
		if o := Assert.Run(b.Context(), &Env{}, a); o.Err != nil {
			b.Fatal(o.Err)
		}
	}
}
