package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

const labelled = `
labels: [sap, night]
steps:
  - id: one
    tool_name: long
    arguments: {name: one, hang: true}
`

// TestLabels starts a run whose document and whose client give labels.
func TestLabels(t *testing.T) {
	s := newStage(t)
	r := s.request(strings.Replace(labelled, ", hang: true", "", 1), nil)
	r.Labels = []string{"month-end", "sap"}
	h := s.play(r)
	if diff := cmp.Diff([]string{"month-end", "night", "sap"}, h.Labels); diff != "" {
		t.Error(diff)
	}
	for _, row := range []struct {
		query Query
		want  int
	}{{Query{Text: "Month-End"}, 1}, {Query{Text: "day"}, 0}, {Query{Where: `"night" in labels`}, 1}, {Query{Where: `"day" in labels`}, 0}} {
		if found, err := s.List(t.Context(), row.query); len(found) != row.want || err != nil {
			t.Errorf("%+v found %d, %v", row.query, len(found), err)
		}
	}
	r.Labels, r.Key = []string{"<b>"}, ""
	if _, err := s.Start(t.Context(), r); steps.CodeOf(err) != steps.Invalid {
		t.Errorf("a label that closes a tag: %v", err)
	}
}

// TestALabelLimitsHowManyAreExecuted starts three runs, of which a label lets one begin at a
// time, also if none acts on a desktop.
func TestALabelLimitsHowManyAreExecuted(t *testing.T) {
	for _, kind := range []string{"long", "idem"} {
		t.Run(kind, func(t *testing.T) { limitedByALabel(t, strings.Replace(labelled, "long", kind, 1)) })
	}
}

func limitedByALabel(t *testing.T, labelled string) {
	t.Helper()
	s := newStage(t)
	s.Lease.Places, s.Engine.Limits = 3, Limits{"sap": {}}
	acting := make(chan string, 3)
	s.hook = func(_ context.Context, name string) error { acting <- name; return nil }
	start := func(doc string) Header {
		t.Helper()
		r := s.request(doc, nil)
		r.Queue = true
		h, err := s.Start(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first := start(labelled)
	if got := <-acting; got != "one" {
		t.Fatal(got)
	}
	r := s.request(labelled, nil)
	if _, err := s.Start(t.Context(), r); steps.CodeOf(err) != steps.Busy {
		t.Errorf("a run that would have to wait: %v", err)
	}
	second := start(strings.Replace(labelled, "name: one", "name: two", 1))
	other := start(strings.Replace(strings.Replace(labelled, "labels", "name: x #", 1), "name: one", "name: other", 1))
	if got := <-acting; got != "other" {
		t.Errorf("%s acts beside the first", got)
	}
	if h, err := s.Get(t.Context(), second.ID); err != nil || h.Status != Queued || h.Position != 1 {
		t.Errorf("the second is %s, at %d in the queue: %v", h.Status, h.Position, err)
	}
	if _, err := s.Stop(t.Context(), first.ID, ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	if got := <-acting; got != "two" {
		t.Errorf("%s acts after the first", got)
	}
	for _, h := range []Header{second, other} {
		if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestALeaseIsGrantedSoOftenAnHour asks for a place that two others had within the hour.
func TestALeaseIsGrantedSoOftenAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Lease{Places: 9, PerHour: 2}
		began := time.Now()
		for _, run := range []string{"one", "two"} {
			if err := l.Acquire(t.Context(), run, AnyDesktop); err != nil {
				t.Fatal(err)
			}
			l.Release(run)
		}
		if l.Free(AnyDesktop) {
			t.Error("a third would get a place at once")
		}
		if err := l.Acquire(t.Context(), "three", AnyDesktop); err != nil || time.Since(began) != time.Hour {
			t.Errorf("the third got its place after %s: %v", time.Since(began), err)
		}
		if l.Release("three"); !l.Free(AnyDesktop) {
			t.Error("the first of an hour ago still counts")
		}
	})
}
