package local_test

import (
	"testing"

	"understudy/steps/kinds"
)

// A large text makes a form lay itself out anew: the button below it, which moves, is
// clicked where it comes to rest.
func TestAButtonBelowALargeTextIsClicked(t *testing.T) {
	b := sandboxed(t, 10)
	b.do("text = Gtk.TextView(wrap_mode=Gtk.WrapMode.WORD); lines.pack_start(text, False, False, 0)")
	b.do("submit = Gtk.Button(label='Submit'); lines.pack_start(submit, False, False, 0); lines.show_all()")
	b.do("submit.connect('clicked', lambda s: s.set_label('Submitted'))")
	const field = "role:text && state:multi_line"
	for round := range 3 {
		b.do("submit.set_label('Submit')")
		b.well(kinds.TypeIntoElement, "selector", field, "text_to_type", wordsOf(1500, round, true), "clear_before_typing", true, "timeout_ms", 60_000.0)
		b.well(kinds.ClickElement, "selector", "role:button && name:Submit", "timeout_ms", 60_000.0)
		b.well(kinds.WaitForElement, "selector", "role:button && name:Submitted", "timeout_ms", 60_000.0)
		b.do("text.get_buffer().set_text('')")
	}
}
