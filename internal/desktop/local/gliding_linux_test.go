package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// What glides in a window is drawn in every frame: a click waits for it to come
// to rest, and what rests is clicked, also right after it was clicked.
func TestAtLengthWhatGlidesIsNotClickedBeforeItRests(t *testing.T) {
	virtualtest.Need(t, "/usr/bin/python3")
	s := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
	script, err := filepath.Abs("testdata/gliding.py")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(scratch.Dir(t), "told")
	s.launch("sh -c 'exec /usr/bin/python3 " + script + " > " + out + "'")
	count := func(what string) int {
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), what+"\n")
	}
	const catch = "window:Gliding >> role:button"
	if !s.seen(catch).Exists {
		t.Fatal("the window did not come up")
	}
	done, refused := 0, 0
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%d clicks were done and %d refused; the window told of %d that hit and %d that missed", done, refused, count("hit"), count("missed"))
		}
	})
	click := func(timeout float64) (ok bool) {
		o := s.tries(kinds.ClickElement, map[string]any{"selector": catch, "timeout_ms": timeout})
		switch {
		case o.Err == nil:
			done++
			s.eventually("the window tells of the click", func() bool { return count("hit")+count("missed") == done })
		case o.Acted != steps.ActedNo:
			t.Errorf("the click failed with %v and acted %s, want that nothing was done", o.Err, o.Acted)
		case strings.Contains(o.Err.Error(), "moves"):
			refused++
		}
		return o.Err == nil
	}
	s.does(kinds.ChangeWindow, map[string]any{"do": "activate", "title": "Gliding"})
	for round := 1; round <= 3; round++ {
		s.does(kinds.PressKeyGlobal, map[string]any{"key": "m"})
		s.eventually("it glides", func() bool { return count("gliding") == round })
		for range 3 {
			click(500)
		}
		s.does(kinds.PressKeyGlobal, map[string]any{"key": "r"})
		s.eventually("it rests", func() bool { return count("resting") == round })
		for range 3 {
			if !click(60_000) {
				t.Error("it was not clicked where it rests")
			}
		}
	}
	// where it was clicked is the same place to GTK, wherever it is by then
	s.does(kinds.PressKeyGlobal, map[string]any{"key": "j"})
	s.eventually("it jumps", func() bool { return count("jumping") == 1 })
	for range 6 {
		if !click(60_000) {
			t.Error("it was not clicked where it had jumped to")
		}
	}
	if double := count("double"); double > 0 {
		t.Errorf("%d clicks counted for double clicks with the one before", double)
	}
	if missed := count("missed"); missed > 0 {
		t.Errorf("%d of the %d clicks that were said to be done missed", missed, done)
	}
	if refused == 0 {
		t.Error("all clicks were done while it glided")
	}
	t.Logf("%d clicks were done, %d refused", done, refused)
}
