package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps"
)

// TestStorageOfACredential holds that a run of a credential ends when it has stored as
// much as it may, also when it is written to go on, and that the others of that day are
// refused.
func TestStorageOfACredential(t *testing.T) {
	const flood = `
steps:
  - {id: w, while: "true", steps: [{id: big, tool_name: act, continue_on_error: true, arguments: {name: a, value: LONG}}]}
finally: [{tool_name: act, arguments: {name: last}}]`
	const endless = `
steps: [{tool_name: act, arguments: {name: a, value: LONGER}}]
finally:
  - {while: "true", steps: [{tool_name: act, continue_on_error: true, arguments: {name: a, value: LONG}}]}`
	for _, c := range []struct {
		say, document, owner string
		storage              Storage
		code                 steps.Code
		next                 string
		most                 int64
		last                 bool // finally is done
	}{
		{"a run", flood, "laptop", Storage{Run: 300_000}, steps.Unavailable, "--max-run-mb", 375_000, true},
		{"all of a day", flood, "laptop", Storage{Day: 300_000}, steps.Busy, "--max-day-mb", 375_000, true},
		{"an endless finally", endless, "laptop", Storage{Run: 300_000}, steps.Unavailable, "--max-run-mb", 430_000, false},
		{"a person", strings.Replace(flood, `while: "true"`, `foreach: "${{ 1..30 }}"`, 1), "", Storage{Run: 300_000, Day: 300_000}, "", "", 2_000_000, true},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				r := s.request(strings.NewReplacer("LONGER", strings.Repeat("x", 200_000), "LONG", strings.Repeat("x", 20_000)).Replace(c.document), nil)
				r.Owner, r.Storage = c.owner, c.storage
				h := s.play(r)
				var stored int64
				for ev := range s.store.Events(t.Context(), h.ID, 1) {
					stored += int64(len(ev.Data))
				}
				if c.code == "" && h.Status != Succeeded || c.code != "" && (h.Status != Failed || h.Error.Code != c.code || !strings.Contains(h.Error.Next, c.next)) {
					t.Errorf("it is %s: %+v", h.Status, h.Error)
				}
				if stored > c.most || stored < 300_000 || h.Bytes != stored {
					t.Errorf("%d bytes are stored, and counted are %d; wanted about 300000", stored, h.Bytes)
				}
				if last := strings.HasSuffix(s.did(), " last"); last != c.last {
					t.Errorf("finally is done: %t", last)
				}
			})
		})
	}
}

// TestStorageOfADay counts what was stored before the process began, by credential, and
// begins anew with the day.
func TestStorageOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		start := func(owner string) error {
			r := s.request(fmt.Sprintf(`steps: [{tool_name: act, arguments: {name: a, value: %s}}]`, strings.Repeat("x", 60_000)), nil)
			r.Owner, r.Storage = owner, Storage{Day: 100_000}
			h, err := s.Start(t.Context(), r)
			if err == nil {
				s.rest(h.ID)
			}
			return err
		}
		if err := start("laptop"); err != nil {
			t.Fatal(err)
		}
		s.again()
		for _, c := range []struct {
			say, owner string
			code       steps.Code
		}{
			{"the rest of the day", "laptop", steps.Busy},
			{"another credential", "desk", ""},
			{"a person", "", ""},
		} {
			if err := start(c.owner); c.code == "" && err != nil || c.code != "" && steps.CodeOf(err) != c.code {
				t.Errorf("%s: %v", c.say, err)
			}
		}
		time.Sleep(24 * time.Hour)
		if err := start("laptop"); err != nil {
			t.Errorf("the next day: %v", err)
		}
	})
}
