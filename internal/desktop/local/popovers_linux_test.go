package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps/kinds"
)

// GTK 4 counts the boxes in a popover from the corner of the widget that opened it. What
// is in it is clicked all the same, and nothing beside it. Each popover is the first of
// its program: after a popover has closed, GTK 4.8 at times still gives it the next press.
func TestClicksInPopoversOfGTK4(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3", gtk4Needs)
	script, err := filepath.Abs("testdata/popovers.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ opens, choose, tells string }{
		{"role:combobox", "role:listitem && nth:2", "chose Large"},
		{"role:combobox", "role:listitem && nth:1", "chose Medium"},
		{"role:button && name:More", "role:button && name:Second", "clicked Second"},
		{"role:button && name:Menu", "role:menuitem && name:Glue", "did Glue"},
	} {
		t.Run(row.tells, func(t *testing.T) {
			s := look(t)
			out := filepath.Join(scratch.Dir(t), "told")
			s.launch(fmt.Sprintf("sh -c 'exec env GSK_RENDERER=cairo /usr/bin/python3 %s >%s'", script, out), "Popovers")
			s.well(kinds.ClickElement, "selector", row.opens, "timeout_ms", 60_000.0)
			s.well(kinds.ClickElement, "selector", row.choose, "timeout_ms", 60_000.0)
			s.eventually(row.tells, func() (bool, string) {
				told, err := os.ReadFile(out)
				s.must(err)
				return string(told) == row.tells+"\n", string(told)
			})
		})
	}
}
