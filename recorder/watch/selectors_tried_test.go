package watch

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/fake"
	"understudy/recorder"
)

const editor = `
- frame "note - Editor" [process=editor] [at=0,0,400,400]
  - toolbar "" [at=0,0,400,40]
    - button "Save" [at=10,8,80,24]
    - button "Close" [at=100,8,80,24]
`

// TestASelectorThatMatchesAWrongElementLater presses a button, and sees more of its
// program afterwards.
func TestASelectorThatMatchesAWrongElementLater(t *testing.T) {
	for _, c := range []struct {
		say, later, want string
	}{
		{"nothing of the sort", `
- dialog "Keep it?" [process=editor] [at=50,50,200,200]
  - button "Keep" [at=60,90,80,24]
`, "selector: role:button && name:Save\n"},
		{"a button of the same name in a dialog", `
- dialog "Keep it?" [process=editor] [at=50,50,200,200]
  - button "Save" [at=60,90,80,24]
  - button "Keep" [at=60,120,80,24]
`, "selector: role:toolbar >> role:button && name:Save\n"},
		{"another window of the same sort", `
- frame "other - Editor" [process=editor] [at=0,0,400,400]
  - toolbar "" [at=0,0,400,40]
    - button "Save" [at=10,8,80,24]
    - button "Keep" [at=100,8,80,24]
`, "selector: role:button && name:Save\n"},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, told := recordOn(t, func(s *stand) { s.Open(fake.MustParse(editor)[0]) }, func(s *stand) {
				s.clicks("process:editor >> role:button && name:Save")
				s.Open(fake.MustParse(c.later)[0])
				time.Sleep(time.Second)
				s.clicks("role:button && name:Keep")
			})
			text := compiled(t, seen)
			if !strings.Contains(text, c.want) {
				t.Errorf("want %s, the workflow is:\n%s\nit was told so: %v", c.want, text, told)
			}
			if read, err := recorder.ReadEvents(strings.NewReader(log)); err != nil || compiled(t, read) != text {
				t.Errorf("compiled of the log it is another: %v", err)
			}
		})
	}
}
