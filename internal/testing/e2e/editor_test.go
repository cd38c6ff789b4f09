//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// note writes the file that editors open.
func note(content string) func(*stage) {
	return func(s *stage) { s.write("note.txt", content) }
}

// noted says that the file holds this in the end.
func noted(want string) func(*stage) error {
	return func(s *stage) error { return s.holds("note.txt", want) }
}

// notedOrNot says that the file holds this, or nothing yet: a workflow that
// failed may have got as far, and has written nothing else.
func notedOrNot(want string) func(*stage) error { return notedOr("", want) }

// notedOr says that the file holds what it held before, or what is wanted.
func notedOr(before, want string) func(*stage) error {
	return func(s *stage) error {
		raw, err := os.ReadFile(filepath.Join(s.dir, "note.txt"))
		if got := strings.TrimRight(string(raw), "\n"); err == nil && got != before && got != want {
			return fmt.Errorf("note.txt: wanted %q or %q, found %q", before, want, got)
		}
		return nil
	}
}

const unicode = "äöü ß € Здравствуй 漢字 ∑ 😀 \"quoted\" <b>&amp;"

func editorScenarios() []scenario {
	mousepad := []string{"mousepad"}
	featherpad := []string{"featherpad"}
	return []scenario{
		{name: "mousepad: type and save", workflow: "mousepad_type", needs: mousepad, setup: note(""), check: noted("two words"), stays: notedOrNot("two words")},
		{name: "mousepad: typing replaces what was there", workflow: "mousepad_type", needs: mousepad, setup: note("old\ntext\n"), check: noted("two words")},
		{name: "mousepad: text of many scripts", workflow: "mousepad_type", needs: mousepad, setup: note(""), flags: []string{"-i", "text=" + unicode}, check: noted(unicode)},
		{name: "mousepad: several lines", workflow: "mousepad_type", needs: mousepad, setup: note(""), flags: []string{"-i", "text=one\n\tand two\nthree"}, check: noted("one\n\tand two\nthree")},
		{name: "mousepad: add at the end", workflow: "mousepad_add", needs: mousepad, setup: note("first"), check: noted("first and more")},
		{name: "mousepad: save by the menu", workflow: "mousepad_menu", needs: mousepad, setup: note("old"), check: noted("by the menu")},
		{name: "mousepad: save without the mouse", workflow: "mousepad_invoke", needs: mousepad, setup: note("old"), check: noted("set at once")},
		{name: "mousepad: find and replace", workflow: "mousepad_replace", needs: mousepad, setup: note("red and red"), check: noted("blue and blue")},
		{name: "mousepad: close and do not save", workflow: "mousepad_discard", needs: mousepad, setup: note("kept"), check: discarded},
		{name: "mousepad: paste", workflow: "mousepad_clipboard", needs: mousepad, setup: note(""), check: noted("pasted: ä€")},
		{name: "mousepad: the example note", workflow: "example/note", needs: mousepad, flags: []string{"-i", "file=note.txt"}, check: noted("Remember the milk")},
		{name: "mousepad: the example of a dialog", workflow: "example/save_dialog", needs: mousepad, flags: []string{"-i", "file=note.txt"}, check: noted("saved by a workflow"), stays: notedOrNot("saved by a workflow")},
		{name: "featherpad: type and save", workflow: "featherpad_type", needs: featherpad, setup: note(""), check: noted("Qt text"), stays: notedOrNot("Qt text")},
		{name: "featherpad: text of many scripts", workflow: "featherpad_type", needs: featherpad, setup: note(""), flags: []string{"-i", "text=" + unicode}, check: noted(unicode)},
		{name: "featherpad: save by the menu", workflow: "featherpad_menu", needs: featherpad, setup: note("saved"), check: noted("saved by menu")},
	}
}

func discarded(s *stage) error {
	if err := s.holds("note.txt", "kept"); err != nil {
		return err
	}
	return s.noWindow("note.txt")
}

// noWindow says that no window has this in its title.
func (s *stage) noWindow(title string) error { return s.noneShows("--name", title) }

// noneShows says that no window is seen of which xdotool knows this.
func (s *stage) noneShows(by, pattern string) error {
	return eventually(s.t, func() error {
		// xdotool fails when it finds none.
		if out, err := exec.CommandContext(s.t.Context(), "xdotool", "search", "--onlyvisible", by, pattern).Output(); err == nil {
			return fmt.Errorf("there still is a window %q: %s", pattern, strings.TrimSpace(string(out)))
		}
		return nil
	})
}
