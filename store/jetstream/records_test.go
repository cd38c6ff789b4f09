package jetstream

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestRecordsAreChangedOneAfterTheOther has several processes count in one record, and loses
// some answers.
func TestRecordsAreChangedOneAfterTheOther(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	const each = 20
	var all sync.WaitGroup
	first := a.open(t, dir).(*under)
	defer first.Close()
	for range 3 {
		s := a.open(t, dir).(*under)
		defer s.Close()
		all.Go(func() {
			for i := range each {
				if i%7 == 3 {
					s.LoseNextAnswer()
				}
				err := s.ChangeRecord(t.Context(), "count", func(before []byte) ([]byte, error) {
					n, _ := strconv.Atoi(string(before)) // none is 0
					return fmt.Append(nil, n+1), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, _, err := first.Records(t.Context(), ""); err != nil || string(got["count"]) != fmt.Sprint(3*each) {
		t.Errorf("counted %q, %v", got["count"], err)
	}
	for range 2 { // the second time there is no record
		if err := first.ChangeRecord(t.Context(), "count", func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
	}
	if got, _, err := first.Records(t.Context(), ""); err != nil || len(got) != 0 {
		t.Errorf("what was removed is %q, %v", got, err)
	}
}

// TestManyRecords has more records, most of them removed, than servers list at once.
func TestManyRecords(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	const names, kept = 1100, 10
	var all sync.WaitGroup
	for first := range kept {
		all.Go(func() {
			for n := first; n < names; n += kept {
				m := recordMessage(s.recordSubject(fmt.Sprint("record", n)), nil, nil, s.newNonce())
				if n < kept {
					m = recordMessage(m.Subject, []byte("kept"), nil, s.newNonce())
				}
				if _, err := s.publish(t.Context(), m); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, _, err := s.Records(t.Context(), ""); err != nil || len(got) != kept {
		t.Errorf("%d records are listed, %v", len(got), err)
	}
}

// TestRecordsAreReadAgainWhenOneChanged lists records, which is done every second, before
// and after changes by another process.
func TestRecordsAreReadAgainWhenOneChanged(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s, other := a.open(t, dir).(*under), a.open(t, dir).(*under)
	defer s.Close()
	defer other.Close()
	version := ""
	list := func() map[string][]byte {
		t.Helper()
		all, now, err := s.Records(t.Context(), version)
		if err != nil || (all == nil) != (now == version) {
			t.Fatalf("%q, version %q after %q, %v", all, now, version, err)
		}
		version = now
		return all
	}
	change := func(name, to string) {
		t.Helper()
		if err := other.ChangeRecord(t.Context(), name, func([]byte) ([]byte, error) {
			if to == "" {
				return nil, nil
			}
			return []byte(to), nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if all := list(); len(all) != 0 {
		t.Errorf("there are %q", all)
	}
	change("a", "1")
	change("b", "1")
	if one, two := list(), list(); len(one) != 2 || two != nil {
		t.Errorf("what did not change is read again: %q, %q", one, two)
	}
	change("a", "2")
	if all := list(); string(all["a"]) != "2" || string(all["b"]) != "1" {
		t.Errorf("after a change: %q", all)
	}
	change("b", "")
	if all := list(); len(all) != 1 || string(all["a"]) != "2" {
		t.Errorf("after a removal: %q", all)
	}
	damaged := recordMessage(s.recordSubject("c"), []byte("x"), nil, s.newNonce())
	damaged.Data[len(damaged.Data)-1] ^= 1
	if _, err := s.publish(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	if all := list(); len(all) != 2 || string(all["a"]) != "2" || all["c"] == nil || len(all["c"]) != 0 {
		t.Errorf("beside a damaged one: %q", all)
	}
}
