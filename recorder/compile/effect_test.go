package compile

import (
	"strings"
	"testing"

	"understudy/recorder"
)

// TestEffectsAreWhatKeysAndFieldsAgreeOn types into a document that held something, and looks at the effect that
// the last step gets.
func TestEffectsAreWhatKeysAndFieldsAgreeOn(t *testing.T) {
	for _, row := range []struct {
		sentence string
		events   *tape
		want     string // "": none
	}{
		{
			"a line is added", newTape(editor).focus(page, "eggs").keys("ctrl+end", "enter").types("milk").holds("eggs\nmilk"),
			`effect: {inserted: "\n${{ inputs.text }}", at: end, since: press_ctrl_end_enter}`,
		},
		{
			"characters are deleted", newTape(editor).focus(page, "eggs").keys("ctrl+end", "backspace", "backspace").types("milk").holds("egmilk"),
			`effect: {inserted: '${{ inputs.text }}', deleted: 2, at: end, since: press_ctrl_end_backspace_backs}`,
		},
		{"the field shows another text than the keys", newTape(editor).focus(page, "eggs").keys("ctrl+end").types("milk").holds("eggsMilk"), ""},
		{"the field is not read after the keys", newTape(editor).focus(page, "eggs").keys("ctrl+end").types("milk"), ""},
		{"the field is read after the keys, which say where they go", newTape(editor).typesBefore("milk", page, "eggsmilk", "ctrl+end").holds("eggsmilk"), `effect: {inserted: '${{ inputs.text }}', at: end, since: press_ctrl_end}`},
		{"and do not", newTape(editor).typesBefore("milk", page, "eggsmilk").holds("eggsmilk"), ""},
		{"what is selected depends on the data", newTape(editor).focus(page, "eggs").keys("ctrl+shift+left").types("milk").holds("milk"), ""},
		{"text goes to two places", newTape(editor).focus(page, "eggs").keys("ctrl+end").types("x").keys("ctrl+home").types("y").holds("yeggsx"), ""},
		{"a step between them is removed", newTape(editor).focus(page, "eggs").keys("ctrl+end", "enter").types("milk").holds("eggs\nmilk").edit(recorder.Edit{Action: recorder.Remove, Step: 2}), ""},
	} {
		made, _, err := Events(row.events.events, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(made); strings.Contains(text, "effect:") != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s: wanted %q in\n%s", row.sentence, row.want, text)
		}
	}
}
