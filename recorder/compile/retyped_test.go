package compile

import (
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// TestADocumentIsNotTypedAgain edits documents that were read early, late or never, and fields that show late
// what was typed: the steps do what the person did, and never type what a document held before.
func TestADocumentIsNotTypedAgain(t *testing.T) {
	middle := func(ev *recorder.Event) { ev.Button = desktop.Middle }
	for _, row := range []struct {
		sentence string
		events   *tape
		want     []string
		without  []string
	}{
		{
			"its file was loaded after the first read, and nobody could read it again",
			newTape(editor).focus(page, "").keys("ctrl+end", "enter").types("Noted"),
			[]string{"key: ctrl+end enter", "default: Noted", "clear_before_typing: false"},
			nil,
		},
		{
			"its short file was loaded after the first read",
			newTape(editor).focus(page, "").keys("ctrl+end", "enter").types("Noted").holds("eg\nNoted"),
			[]string{"key: ctrl+end enter", "default: Noted", "clear_before_typing: false"},
			[]string{"eg"},
		},
		{
			"what was copied elsewhere is pasted at its end",
			newTape(editor).focus(page, "To: ").keys("ctrl+end", "ctrl+v").holds("To: Erlangen"),
			[]string{"key: ctrl+end", "default: Erlangen", "clear_before_typing: false", "uncertain: " + unknownCopy},
			[]string{"To: "},
		},
		{
			"what was selected elsewhere is pasted by the middle button",
			newTape(editor).click(page, middle).focus(page, "eggs").holds("eggs and milk"),
			[]string{"default: ' and milk'", "clear_before_typing: false", "uncertain: " + unknownCopy},
			[]string{"middle", "eggs"},
		},
		{
			"what was copied elsewhere is pasted, and more is typed",
			newTape(editor).focus(page, "To: ").keys("ctrl+end", "ctrl+v").types("!").holds("To: Erlangen!"),
			[]string{"key: ctrl+end ctrl+v", "uncertain: " + pastesAny},
			[]string{"To: "},
		},
		{
			"a field shows half of it when it is read",
			newTape(ledger).focus(name, "").types("Monday").wait(time.Second).holds("Mon").click(ok),
			[]string{"default: Monday", "uncertain: " + cutShort},
			nil,
		},
		{
			"a field that held something shows nothing of it when it is read",
			newTape(ledger).focus(name, "Sunday").keys("ctrl+a").types("Monday").wait(time.Second).holds("Sunday").click(ok),
			[]string{"default: Monday"},
			[]string{"Sunday"},
		},
		{
			"a second text was copied, and nothing reported that",
			newTape(ledger, editor).focus(name, "Ada").keys("ctrl+a", "ctrl+c").copies(1).focus(page, "").keys("ctrl+v").holds("Ada").
				click(ok).wait(time.Minute).add(recorder.Event{Type: recorder.Copied, Clip: 2, Found: true}).focus(mail, "").keys("ctrl+v").holds("Erlangen"),
			[]string{"text_to_type: ${{ read_name_result.text }}", "default: Erlangen", "uncertain: " + unknownCopy},
			nil,
		},
	} {
		made, _, err := Events(row.events.events, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(string(made), want) {
				t.Errorf("%s: wanted %q in\n%s", row.sentence, want, made)
			}
		}
		for _, without := range row.without {
			if strings.Contains(string(made), without) {
				t.Errorf("%s: wanted no %q in\n%s", row.sentence, without, made)
			}
		}
	}
}
