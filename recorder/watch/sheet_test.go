//go:build unix

package watch_test

import (
	"strings"
	"testing"
)

// TestKeysRightAfterAClickAreForItsCell fills in cells of a sheet, some of which hold
// a number already, without a look at what comes of it.
func TestKeysRightAfterAClickAreForItsCell(t *testing.T) {
	if !inChild(t) {
		return
	}
	s := newScene(t, "soffice")
	p := s.watch()
	p.start("Untitled 1", "soffice", "--norestore", "--nologo", "--nolockcheck", "-env:UserInstallation=file://"+s.root+"/office", "--calc")
	p.meets("Untitled 1")
	cells := []string{"B3", "C4", "B3", "D7", "C4"}
	for _, cell := range cells {
		p.pointsAt(p.finds("cell", cell, 0))
		p.does("click", "1", "sleep", "0.1", "key", "--delay", "40", "7", "5", "Return")
	}
	p.presses("8", "Return") // in the cell below
	p.presses("9", "Tab")
	cells = append(cells, "C5", "C6")
	text := p.stops()
	rest := text
	for _, cell := range cells {
		var found bool
		_, rest, found = strings.Cut(rest, "selector: role:cell && name:"+cell+"\n")
		value, after, _ := strings.Cut(rest, "\n")
		if !found || !strings.Contains(value, "text_to_type") || cell != "C6" && !strings.Contains(value, "{Enter}") || strings.HasPrefix(strings.TrimSpace(after), "clear_before") {
			t.Errorf("into %s was typed %q, then %.60q", cell, value, after)
		}
	}
	// The Tab at the end is a step of its own: none after it finds its cell by itself.
	if n := strings.Count(text, "default: '75'"); n != 5 || strings.Count(text, "tool_name: press_key") != 1 {
		t.Errorf("the number was typed %d times, and the workflow is:\n%s", n, text)
	}
}
