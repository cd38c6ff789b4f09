package local_test

import (
	"fmt"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/kinds"
)

// GTK 4 tells where its elements are in their window only, and draws the title
// and the border of that itself. A click lands on what was meant all the same,
// wherever the window is.
func TestAtLengthAClickInGTK4Lands(t *testing.T) {
	s := look(t, "gtk4-widget-factory")
	w := s.launch("env GSK_RENDERER=cairo gtk4-widget-factory", "GTK Widget Factory")
	const box = "process:gtk4-widget-factory >> role:checkbox && name:checkbutton && nth:1"
	s.well(kinds.WaitForElement, "selector", box, "timeout_ms", 60_000.0)
	checked := false
	for _, row := range []struct {
		say    string
		change desktop.Manage
	}{
		{"where it came up", desktop.Manage{}},
		{"moved", desktop.Manage{Do: desktop.Place, Bounds: desktop.Rect{X: 60, Y: 70, W: 700, H: 500}}},
		{"maximized", desktop.Manage{Do: desktop.Maximize}},
		{"restored", desktop.Manage{Do: desktop.Restore}},
	} {
		if row.change.Do != "" {
			row.change.Window = w.ID
			s.must(s.Do(t.Context(), row.change))
		}
		e := s.resting(box)
		s.eventually("its middle is the box, "+row.say, func() (bool, string) {
			hit, err := s.ElementAt(t.Context(), e.Bounds.Center())
			return err == nil && hit.Handle == e.Handle && hit.Bounds == e.Bounds, fmt.Sprint(hit, err)
		})
		// On a busy machine GTK 4 may make nothing of a click. That is not looked
		// at here: one that lands elsewhere never checks the box.
		checked = !checked
		s.eventually(fmt.Sprintf("it is checked: %v, %s", checked, row.say), func() (bool, string) {
			s.well(kinds.ClickElement, "selector", box, "timeout_ms", 30_000.0)
			var o steps.Outcome
			for end := time.Now().Add(5 * time.Second); o.Result["checked"] != checked && time.Now().Before(end); {
				o = s.run(kinds.ValidateElement, "selector", box)
			}
			return o.Result["checked"] == checked, fmt.Sprint(o.Result, o.Err)
		})
	}
}
