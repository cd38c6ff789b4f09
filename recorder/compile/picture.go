package compile

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"understudy/recorder"
)

// addFallbacks adds to an uncertain step the picture of its element, which may not be unique, then
// its place in the window, which may change.
func (c *Compiler) addFallbacks(s *step, ev recorder.Event) {
	sel := ""
	if c.pictures != "" && ev.Picture != "" {
		sel = "image:" + recorder.QuoteSelector(path.Join(filepath.ToSlash(c.pictures), ev.Picture))
	}
	bare := ev.Element == nil
	if sel == "" && (bare || len(unique(ev.Element)) > 0) || len(s.doubts()) == 0 {
		return
	}
	why := "if it is not found"
	if bare {
		s.args = nil
		s.clearDoubts()
		if ev.Window != nil && ev.Window.Process != "" && !ev.Window.Popup {
			s.set("process", programName(ev.Window.Process))
		}
		why = fmt.Sprintf("no element was found there, at %s", ev.At)
	}
	var left []string
	if sel != "" {
		if bare {
			s.set("selector", sel)
		} else {
			s.set("fallback_selectors", []string{sel})
		}
		left = append(left, "its picture is looked for (low confidence)")
	}
	if w := ev.Window; w != nil && w.Process != "" && !w.Popup && w.Bounds.Contains(ev.At) {
		s.set("fallback_point", []arg{{Key: "x", Value: ev.At.X - w.Bounds.X}, {Key: "y", Value: ev.At.Y - w.Bounds.Y}})
		left = append(left, "its place in the window is clicked (the lowest)")
	}
	if len(left) > 0 {
		s.targetDoubts = append(s.targetDoubts, why+", "+strings.Join(left, ", then "))
	}
}
