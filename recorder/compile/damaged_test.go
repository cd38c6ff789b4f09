package compile

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/steps/kinds"
	"understudy/workflows"
)

func TestDamagedRecordings(t *testing.T) { playDamaged(t, 4) }

func TestAtLengthDamagedRecordings(t *testing.T) { playDamaged(t, 1) }

// playDamaged leaves out events of each scene, or a part of them, and has them come before
// the last: that makes another workflow, but one that is valid. It takes one of so many events.
func playDamaged(t *testing.T, every int) {
	t.Helper()
	all := kinds.All()
	check := func(what string, events []recorder.Event) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s: %v", what, r)
			}
		}()
		text, _, err := Events(events, Options{Name: "damaged"})
		if err == nil {
			_, err = workflows.Compile(workflows.Source{Name: "damaged", Text: text}, workflows.CompileOptions{Kinds: all})
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	damages := []struct {
		part   string
		damage func(*recorder.Event)
	}{
		{"element", func(ev *recorder.Event) { ev.Element = nil }},
		{"value", func(ev *recorder.Event) { ev.Value = nil }},
		{"text", func(ev *recorder.Event) { ev.Value = new(" ") }},
		{"window", func(ev *recorder.Event) { ev.Window = nil }},
		{"place", func(ev *recorder.Event) { ev.At = desktop.Point{X: -1} }},
		{"time", func(ev *recorder.Event) { ev.Time = time.Time{} }},
		{"selector", func(ev *recorder.Event) { ev.Element = withoutSelectors(ev.Element) }},
	}
	for n, s := range scenes {
		events := s.tape.events
		for i := range events {
			if (n+i)%every > 0 {
				continue
			}
			what := fmt.Sprintf("%s, event %d (%s)", s.file, i, events[i].Type)
			check(what+" is missing", slices.Delete(slices.Clone(events), i, i+1))
			if i > 0 {
				late := slices.Clone(events)
				late[i-1], late[i] = late[i], late[i-1]
				check(what+" is early", late)
			}
			d := damages[(n+i)%len(damages)]
			damaged := slices.Clone(events)
			d.damage(&damaged[i])
			check(what+" has no "+d.part, damaged)
		}
	}
}

func withoutSelectors(e *recorder.Seen) *recorder.Seen {
	if e == nil {
		return nil
	}
	bare := *e
	bare.Selectors = nil
	return &bare
}
