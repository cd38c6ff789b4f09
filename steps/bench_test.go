package steps

import (
	"testing"

	"understudy/steps/desktop/fake"
)

// What our own checks cost around a click, without the wait that makes sure
// that the element stands still, and without a real desktop.
func BenchmarkAim(b *testing.B) {
	d := fake.New(fake.MustParse(notes)...)
	env := seeing(d)
	env.watch()
	for b.Loop() {
		if _, _, err := env.aim(b.Context(), Target{Selector: "role:button && name:Save"}, need{enabled: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// What a kind costs that does nothing: checking, decoding, encoding.
func BenchmarkRun(b *testing.B) {
	a := args("condition", true)
	for b.Loop() {
		if o := Assert.Run(b.Context(), &Env{}, a); o.Err != nil {
			b.Fatal(o.Err)
		}
	}
}
