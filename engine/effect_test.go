package engine

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/internal/testing/fake"
	"understudy/steps/kinds"
)

const oneNote = `
- frame "Notes" [process=notes] [at=0,0,400,400]
  - text "Note" [at=10,40,300,200]: "eggs"
`

// effectsOf begins a document whose steps add a line to a note.
const effectsOf = `
variables: {line: {type: string, default: milk}}
steps:
  - {id: go, tool_name: press_key, arguments: {selector: name:Note, key: KEYS}}
  - {id: add, tool_name: type_into_element, arguments: {selector: name:Note, text_to_type: "${{ inputs.line }}", clear_before_typing: false}, effect: EFFECT}
`

// TestAStepDoesWhatItDidWhenItWasRecorded plays steps beside what they did when they were recorded.
func TestAStepDoesWhatItDidWhenItWasRecorded(t *testing.T) {
	for _, row := range []struct {
		sentence, keys, effect string
		status                 Status
		says                   []string
	}{
		{
			sentence: "the same change is made", keys: "ctrl+end enter",
			effect: `{inserted: "\n${{ inputs.line }}", at: end, since: go}`, status: Succeeded,
		},
		{
			sentence: "a blank line comes too", keys: "ctrl+end enter enter",
			effect: `{inserted: "\n${{ inputs.line }}", at: end, since: go}`, status: Failed,
			says: []string{`wanted "\nmilk" inserted at the end, found "\n\nmilk" inserted`, `it was "eggs" and is "eggs\n\nmilk"`},
		},
		{
			sentence: "it goes to another place", keys: "ctrl+home",
			effect: `{inserted: "${{ inputs.line }}", at: end}`, status: Failed, says: []string{`it was "eggs" and is "milkeggs"`},
		},
		{
			sentence: "more is deleted", keys: "ctrl+end backspace backspace",
			effect: `{inserted: "${{ inputs.line }}", deleted: 1, since: go}`, status: Failed, says: []string{"2 characters deleted"},
		},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(oneNote)...)
				t.Cleanup(func() { _ = d.Close() })
				s := newStage(t)
				s.Desk, s.Kinds = fakeDesk{d.Desktop()}, kinds.All()
				h := s.play(s.request(strings.NewReplacer("KEYS", row.keys, "EFFECT", row.effect).Replace(effectsOf), nil))
				if h.Status != row.status {
					t.Fatalf("wanted %s, found %s: %+v", row.status, h.Status, h.Error)
				}
				for _, part := range row.says {
					if h.Error == nil || !strings.Contains(h.Error.Message, part) {
						t.Errorf("wanted %q in %+v", part, h.Error)
					}
				}
			})
		})
	}
}

// TestAnEffectThatCannotBeReadIsNoProof plays a step whose field is gone afterwards.
func TestAnEffectThatCannotBeReadIsNoProof(t *testing.T) {
	d := fake.New(fake.MustParse(oneNote)...)
	t.Cleanup(func() { _ = d.Close() })
	d.OnPress("enter", func() { d.Fail("Refresh", errors.New("it is gone"), -1) })
	s := newStage(t)
	s.Desk, s.Kinds = fakeDesk{d.Desktop()}, kinds.All()
	h := s.play(s.request(`steps: [{tool_name: press_key, arguments: {selector: name:Note, key: enter}, effect: {inserted: other}}]`, nil))
	if h.Status != Succeeded {
		t.Fatalf("wanted success, found %s: %+v", h.Status, h.Error)
	}
	if all := stored(s, h.ID); !strings.Contains(all, "was not compared with the recording") || !strings.Contains(all, `"unknown":true`) {
		t.Errorf("the events do not say that nothing was compared:\n%s", all)
	}
}
