package engine_test

import (
	"encoding/json"
	"testing"
	"time"

	"understudy/engine"
)

// A run lasts while it is under way, up to its last event, and not while it waits or
// nobody executes it.
func TestTheReportSaysHowLongTheRunLasted(t *testing.T) {
	type at struct {
		ms int64
		ev engine.EventType
	}
	for name, c := range map[string]struct {
		events []at
		want   int64
	}{
		"a run under way": {[]at{{0, engine.EvCreated}, {10, engine.EvStarted}, {400, engine.EvEnded}}, 400},
		"finished":        {[]at{{0, engine.EvCreated}, {10, engine.EvStarted}, {500, engine.EvFinished}, {900, engine.EvCaptured}}, 500},
		"cut short, and then resumed": {
			[]at{{0, engine.EvCreated}, {300, engine.EvStarted}, {5000, engine.EvTaken}, {6000, engine.EvReturned}, {9000, engine.EvResumed}, {9100, engine.EvFinished}}, 400,
		},
		"stopped while it waited": {[]at{{0, engine.EvCreated}, {100, engine.EvAsked}, {8000, engine.EvFinished}}, 100},
		"paused, and continued":   {[]at{{0, engine.EvCreated}, {100, engine.EvPaused}, {8000, engine.EvContinued}, {8050, engine.EvStarted}}, 150},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			r, err := engine.ReportOf(engine.Header{}, func(yield func(engine.Event, error) bool) {
				for i, a := range c.events {
					ev := engine.Event{Seq: uint64(i + 1), Type: a.ev, At: start.Add(time.Duration(a.ms) * time.Millisecond), Data: json.RawMessage("{}")}
					if !yield(ev, nil) {
						return
					}
				}
			}, engine.Page{})
			if err != nil || r.DurationMS != c.want {
				t.Errorf("it lasted %d ms, wanted %d: %v", r.DurationMS, c.want, err)
			}
		})
	}
}
