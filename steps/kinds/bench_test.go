package kinds

import (
	"testing"

	"understudy/steps"
)

// What a kind costs that does nothing: checking, decoding, encoding.
func BenchmarkRun(b *testing.B) {
	a := args("condition", true)
	for b.Loop() {
		if o := Assert.Run(b.Context(), &steps.Env{}, a); o.Err != nil {
			b.Fatal(o.Err)
		}
	}
}
