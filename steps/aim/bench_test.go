package aim

import (
	"testing"

	"understudy/internal/testing/fake"
	"understudy/steps"
)

// What our own checks cost around a click, without the wait that makes sure
// that the element stands still, and without a real desktop.
func BenchmarkAim(b *testing.B) {
	d := fake.New(fake.MustParse(`
- frame "Notes" [process=notes] [at=0,0,400,400]
  - entry "Title" [at=100,40,200,24]: "Monday"
  - checkbox "Urgent" [at=10,100,200,24]
  - button "Save" [at=10,130,80,24]
`)...)
	env := &steps.Env{Desktop: d.Desktop()}
	for b.Loop() {
		if _, _, err := At(b.Context(), newHand(env), Target{Selector: steps.SelectorList{"role:button && name:Save"}}, Requirement{Enabled: true}); err != nil {
			b.Fatal(err)
		}
	}
}
