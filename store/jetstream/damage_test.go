package jetstream

import (
	"errors"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

// TestAChangedMessageIsFound tests that only an unchanged message can be opened: the server
// does not notice a flipped bit.
func TestAChangedMessageIsFound(t *testing.T) {
	for _, c := range []struct {
		say    string
		change func(m *message)
	}{
		{"an event", func(m *message) { m.data[len(m.data)-3] ^= 1 }},
		{"the header of the run", func(m *message) { m.header.Set(runHeader, m.header.Get(runHeader)+" ") }},
		{"how many events there are", func(m *message) { m.header.Set(atHeader, "1 4") }},
		{"the hash of a snapshot", func(m *message) { m.header.Set(snapshotHeader, "3 0") }},
		{"what it follows", func(m *message) { m.header.Set(prevHeader, "7") }},
		{"its end", func(m *message) { m.data = m.data[:len(m.data)-1] }},
	} {
		sent, err := (&Store{servers: &servers{}}).encode(t.Context(), "run1", storetest.Batch("run1", 1, 0, 3), head{}, "nonce")
		if err != nil {
			t.Fatal(err)
		}
		m := &message{seq: 1, header: sent.Header, data: sent.Data}
		if _, _, err := m.open(); err != nil {
			t.Fatalf("as it was sealed: %v", err)
		}
		c.change(m)
		if _, _, err := m.open(); !errors.Is(err, errDamaged) {
			t.Errorf("%s was changed: %v", c.say, err)
		}
	}
}

// TestAMissingMessageIsFound tests that no event is left out unnoticed.
func TestAMissingMessageIsFound(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s := a.open(t, dir).(*under)
	defer s.Close()
	for i := range uint64(3) {
		if err := s.Append(t.Context(), "run1", storetest.Batch("run1", 1, 2*i, 2)); err != nil {
			t.Fatal(err)
		}
	}
	stream, err := s.js.Stream(t.Context(), s.stream(runsStream))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(2)); err != nil {
		t.Fatal(err)
	}
	other := a.open(t, dir).(*under)
	defer other.Close()
	for reader, st := range map[string]engine.Store{"who wrote": s, "another": other} {
		for ev, err := range st.Events(t.Context(), "run1", 1) {
			if !errors.Is(err, errDamaged) {
				t.Errorf("%s read event %d without the first of three messages: %v", reader, ev.Seq, err)
			}
		}
	}
}
