package engine

import (
	"context"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps/kinds"
)

const twoWindows = `
- frame "Letter" [process=writer] [at=0,0,400,400]
  - entry "Text" [at=10,40,200,24]: "Dear"
- frame "Order" [process=shop] [at=400,0,400,400]
  - button "Send" [at=410,40,80,24]
  - button "Cancel" [at=410,80,80,24]
`

// fakeDesk lends one desktop.
type fakeDesk struct{ d *desktop.Desktop }

func (f fakeDesk) Open(context.Context) (*desktop.Desktop, error) { return f.d, nil }
func (fakeDesk) Drop(*desktop.Desktop)                            {}

// A workflow that clicks takes the focus. When it wants the focus given back,
// that happens however its attempt ends, and once.
func TestRunsGiveBackTheFocus(t *testing.T) {
	for _, row := range []struct {
		sentence, document string
		status             Status
		back               bool
	}{
		{"a run that succeeds", "restore_focus: true\nsteps: [{tool_name: click_element, arguments: {selector: name:Send}}]", Succeeded, true},
		{"a run that fails later", "restore_focus: true\nsteps: [{tool_name: click_element, arguments: {selector: name:Send}}, {tool_name: fail, arguments: {message: no}}]", Failed, true},
		{"a run that waits for an answer", "restore_focus: true\nsteps: [{tool_name: click_element, arguments: {selector: name:Send}}, {tool_name: ask_user, arguments: {question: Go on?}}]", Waiting, true},
		{"a run that does not want it", "steps: [{tool_name: click_element, arguments: {selector: name:Send}}]", Succeeded, false},
		{"a run that only looks", "restore_focus: true\nsteps: [{tool_name: validate_element, arguments: {selector: name:Send}}]", Succeeded, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			d := fake.New(fake.MustParse(twoWindows)...)
			t.Cleanup(func() { _ = d.Close() })
			desk := d.Desktop()
			if err := desk.Do(t.Context(), desktop.GrabFocus{Element: d.Get(d.Find("role:entry && name:Text")).Handle}); err != nil {
				t.Fatal(err)
			}
			before, err := desk.SaveFocus(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s := newStage(t)
			s.Desk, s.Kinds = fakeDesk{desk}, kinds.All()
			if h := s.play(s.request(row.document, nil)); h.Status != row.status {
				t.Fatalf("wanted %s, found %s: %+v", row.status, h.Status, h.Error)
			}
			after, err := desk.SaveFocus(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if back := after.Window == before.Window && after.Element == before.Element; back != row.back {
				t.Errorf("the user was at %+v and is at %+v: brought back %v, wanted %v", before, after, back, row.back)
			}
		})
	}
}
