package compile

import (
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// TestWindowChangesWithoutReportedInput has windows open and close, of which it is told why or not.
func TestWindowChangesWithoutReportedInput(t *testing.T) {
	main := desktop.Window{ID: 1, Title: "Editor", Process: "editor", PID: 7, Active: true}
	dialog := desktop.Window{ID: 2, Title: "Save As", Process: "editor", PID: 7, Dialog: true}
	save := element(main, "button", "Save", 1, "role:button && name:Save")
	name := with(element(dialog, "entry", "Name", 2, "role:entry && name:Name"), desktop.Editable)
	text := with(element(main, "text", "Page", 3, "role:text"), desktop.Editable|desktop.MultiLine)
	begin := func() *tape {
		return newTape(main).add(recorder.Event{Type: recorder.Limited, Unreported: []desktop.InputType{desktop.KeyPress, desktop.ButtonPress}}).
			focus(text, "").holds("eggs")
	}
	const concluded, missing = "uncertain: this click was not reported", `uncertain: the window "Save As" `
	for _, c := range []struct {
		say        string
		tape       *tape
		want, lack []string
	}{
		{"a button that got the keyboard opened it", begin().focus(save, "").opens(dialog, ""), []string{"name:Save\n", concluded, "expect: exists("}, []string{missing}},
		{"a button that its program gave the keyboard did not", begin().focus(fresh(element(main, "button", "Save", 1, "role:button && name:Save")), "").opens(dialog, ""), []string{missing + "opened"}, []string{"name:Save\n"}},
		{"nothing is known of why it opened", begin().opens(dialog, ""), []string{missing + "opened"}, []string{"expect:", "name:Save\n"}},
		{"a dialog that closes after its field was typed into took Enter", begin().focus(save, "").opens(dialog, "").focus(name, "").holds("list.txt").closes(dialog), []string{"{Enter}", "Enter was not reported"}, []string{missing}},
		{"one that closes by itself", begin().focus(save, "").opens(dialog, "").closes(dialog), []string{missing + "closed"}, []string{"{Enter}"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			made, _, err := Events(c.tape.events, Options{Name: "test"})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range append(c.want, "default: eggs}") {
				if !strings.Contains(string(made), w) {
					t.Errorf("wanted %q in the workflow:\n%s", w, made)
				}
			}
			for _, l := range c.lack {
				if strings.Contains(string(made), l) {
					t.Errorf("did not want %q in the workflow:\n%s", l, made)
				}
			}
		})
	}
}
