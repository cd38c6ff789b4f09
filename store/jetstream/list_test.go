package jetstream

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

// TestAListThatIsFarBehind compares a list that read each message of the runs with one that
// read only the last of each.
func TestAListThatIsFarBehind(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s, far := a.open(t, dir).(*under), a.open(t, dir).(*under)
	defer s.Close()
	defer far.Close()
	const runs = 2*mostSubjects + 50
	for i := range runs {
		run := fmt.Sprintf("run%03d", i)
		for _, b := range []engine.Batch{storetest.Batch(run, 1, 0, 2), storetest.Batch(run, 1, 2, 1)} {
			if err := s.Append(t.Context(), run, b); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Remove(t.Context(), "run007"); err != nil {
		t.Fatal(err)
	}
	if err := far.readLast(t.Context(), far.list); err != nil {
		t.Fatal(err)
	}
	newest, err := s.newest(t.Context(), runsStream, s.prefix+".r.*")
	if err != nil || far.list.seen < newest.seq {
		t.Errorf("the list is as new as message %d of %v: %v", far.list.seen, newest, err)
	}
	want := map[string]uint64{}
	for h, err := range s.Runs(t.Context(), engine.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		want[h.ID] = h.Seq
	}
	if len(want) != runs-1 {
		t.Errorf("%d runs are listed", len(want))
	}
	n := 0
	for h, err := range far.Runs(t.Context(), engine.Query{}) {
		if n++; err != nil || want[h.ID] != h.Seq {
			t.Errorf("run %s has %d events, not %d: %v", h.ID, h.Seq, want[h.ID], err)
		}
	}
	if n != len(want) {
		t.Errorf("%d runs are listed, not %d", n, len(want))
	}
}
