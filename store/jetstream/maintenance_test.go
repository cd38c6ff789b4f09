package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/store/format"
)

// TestCheckFindsAFlippedBit flips one bit of an event, and one of a picture, on the disk of
// a server, which does not notice it.
func TestCheckFindsAFlippedBit(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s := a.open(t, dir).(*under)
	for i := range uint64(4) {
		b := storetest.Batch("run1", 1, i, 1)
		b.Events[0].Data = fmt.Appendf(nil, `{"mark":"event%d"}`, i+1)
		if err := s.Append(t.Context(), "run1", b); err != nil {
			t.Fatal(err)
		}
	}
	picture, err := s.Put(t.Context(), engine.Captures, []byte("a picture of a window"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Check(t.Context())
	if err != nil || !c.Clean() || c.Runs != 1 || c.Events != 4 || c.Files != 1 {
		t.Fatalf("as it was stored: %+v, %v", c, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	flip(t, dir, "event2", "picture of")
	s = a.open(t, dir).(*under)
	defer s.Close()
	c, err = s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found := fmt.Sprint(c.Problems); !strings.Contains(found, "run1") || !strings.Contains(found, picture) && c.Files != 0 {
		t.Errorf("found %s", found)
	}
}

// flip flips a bit of each text in the files of a server.
func flip(t *testing.T, dir string, texts ...string) {
	t.Helper()
	left := len(texts)
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() || filepath.Ext(path) != ".blk" {
			return err
		}
		raw, err := os.ReadFile(path)
		for _, text := range texts {
			if i := bytes.Index(raw, []byte(text)); i >= 0 {
				raw[i] ^= 1
				left--
			}
		}
		if err != nil {
			return err
		}
		return os.WriteFile(path, raw, info.Mode())
	})
	if err != nil || left != 0 {
		t.Fatalf("%d texts were not found on the disk, %v", left, err)
	}
}

// TestPruneOfAFleet tests that old runs are removed with the files that no other run names,
// and that runs which wait for a worker are kept.
func TestPruneOfAFleet(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	s.fileAge = 0
	put := func(text string) string {
		hash, err := s.Put(t.Context(), engine.Captures, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return hash
	}
	both, old := put("both"), put("old")
	for i, r := range []struct {
		status engine.Status
		ago    time.Duration
		names  []string
	}{
		{engine.Succeeded, 48 * time.Hour, []string{both, old}},
		{engine.Queued, 48 * time.Hour, nil},
		{engine.Failed, 48 * time.Hour, nil},
		{engine.Succeeded, time.Hour, []string{both}},
	} {
		b := storetest.Batch(fmt.Sprint("run", i), 1, 0, 1)
		b.Events[0].Data = fmt.Appendf(nil, `{"hashes":"%s"}`, strings.Join(r.names, " "))
		b.Header.Status, b.Header.UpdatedAt, b.Header.EndedAt = r.status, time.Now().Add(-r.ago), time.Now().Add(-r.ago)
		if err := s.Append(t.Context(), b.Header.ID, b); err != nil {
			t.Fatal(err)
		}
	}
	done, err := s.Prune(t.Context(), engine.Retention{Age: 24 * time.Hour})
	if err != nil || done.Runs != 1 || done.Files != 1 || done.Resumable != 1 {
		t.Errorf("pruned %+v, %v", done, err)
	}
	done, err = s.Prune(t.Context(), engine.Retention{Age: 24 * time.Hour, Force: true})
	if err != nil || done.Runs != 1 || done.Files != 0 {
		t.Errorf("by force pruned %+v, %v", done, err)
	}
	var left []string
	for h, err := range s.Runs(t.Context(), engine.Query{}) {
		if err != nil {
			t.Error(err)
		}
		left = append(left, h.ID)
	}
	if fmt.Sprint(left) != "[run3 run1]" {
		t.Errorf("left are %v", left)
	}
	if _, err := s.Get(t.Context(), engine.Captures, both); err != nil {
		t.Errorf("a file that is named still: %v", err)
	}
}

// TestPruneLeavesAFileThatIsPutAgain puts content that is stored already, and that no run
// names yet: a run that begins while old runs are removed names their document.
func TestPruneLeavesAFileThatIsPutAgain(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	s.fileAge = 500 * time.Millisecond
	var hash string
	pruned := 0 // by the last round, on a machine that takes longer than the age for it
	for range 3 {
		put := time.Now()
		var err error
		if hash, err = s.Put(t.Context(), engine.Documents, []byte("steps: []")); err != nil {
			t.Fatal(err)
		}
		done, err := s.Prune(t.Context(), engine.Retention{})
		if err != nil || done.Files != 0 && time.Since(put) < s.fileAge {
			t.Fatalf("pruned %+v, %v", done, err)
		}
		pruned = done.Files
		if _, err := s.Get(t.Context(), engine.Documents, hash); err != nil && pruned == 0 {
			t.Fatalf("a file that was just put: %v", err)
		}
		time.Sleep(s.fileAge)
	}
	if done, err := s.Prune(t.Context(), engine.Retention{}); err != nil || done.Files+pruned != 1 {
		t.Errorf("later pruned %+v, %v", done, err)
	}
	if _, err := s.Get(t.Context(), engine.Documents, hash); !errors.Is(err, engine.ErrNoFile) {
		t.Errorf("a file that nothing names: %v", err)
	}
}

// TestARunThatIsResumedWhileItIsRemoved appends to a run between the look at its header and
// its removal: it stays, and its worker gets it.
func TestARunThatIsResumedWhileItIsRemoved(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s, other := a.open(t, dir).(*under), a.open(t, dir).(*under)
	defer s.Close()
	defer other.Close()
	b := storetest.Batch("run", 1, 0, 1)
	b.Header.Status = engine.Failed
	if err := s.Append(t.Context(), "run", b); err != nil {
		t.Fatal(err)
	}
	b = storetest.Batch("run", 1, 1, 1)
	b.Header.Status, b.Wanted = engine.Queued, &engine.Wanted{Priority: 5}
	var seen []engine.Status
	err := s.Store.Remove(t.Context(), "run", func(h engine.Header) error {
		if seen = append(seen, h.Status); h.Status == engine.Queued {
			return errActive
		}
		return other.Append(t.Context(), "run", b)
	})
	if !errors.Is(err, errActive) || len(seen) != 2 {
		t.Errorf("it was looked at as %v and removed: %v", seen, err)
	}
	short, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	if e, err := other.Take(short, nil); err != nil || e.Run() != "run" {
		t.Errorf("taking it: %v, %v", e, err)
	}
	if done, err := s.Prune(t.Context(), engine.Retention{Count: 1, Force: true}); err != nil || done.Runs != 0 {
		t.Errorf("pruned %+v, %v", done, err)
	}
}

// lastYear makes connections to servers whose clock is a year behind.
type lastYear struct{ net.Conn }

func (lastYear) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	return lastYear{c}, err
}

func (c lastYear) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for _, field := range []string{"ts", "time"} {
		year := time.Now().UTC().Year()
		copy(p, bytes.ReplaceAll(p[:n], fmt.Appendf(nil, `"%s":"%d-`, field, year), fmt.Appendf(nil, `"%s":"%d-`, field, year-1)))
	}
	return n, err
}

// TestPruneTrustsTheClockOfTheServers prunes from a machine whose clock is another one.
func TestPruneTrustsTheClockOfTheServers(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	s := a.open(t, dir).(*under)
	defer s.Close()
	nc, err := Connect(s.nc.ConnectedUrl(), nats.SetCustomDialer(lastYear{}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	late, err := Open(t.Context(), nc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	late.fileAge = time.Hour
	var hash string
	for range 3 {
		if hash, err = late.Put(t.Context(), engine.Documents, []byte("steps: []")); err != nil {
			t.Fatal(err)
		}
		if done, err := late.Prune(t.Context(), engine.Retention{}); err != nil || done.Files != 0 {
			t.Fatalf("pruned %+v, %v", done, err)
		}
	}
	again, err := late.newest(t.Context(), filesStream, againSubject(late.fileSubject(engine.Documents, hash)))
	if err != nil || again == nil || again.seq != 2 {
		t.Errorf("that it was put again was told as %+v, %v; want it told once", again, err)
	}
	late.fileAge = 10 * time.Millisecond
	time.Sleep(late.fileAge)
	if done, err := late.Prune(t.Context(), engine.Retention{}); err != nil || done.Files != 1 {
		t.Errorf("later pruned %+v, %v", done, err)
	}
}

// TestPruneRemovesAnUploadThatWasCutShort stores the first part of a large file only.
func TestPruneRemovesAnUploadThatWasCutShort(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	content := bytes.Repeat([]byte("large"), partSize/4)
	first := partSubject(s.fileSubject(engine.Artifacts, format.HashOf(content)), 0)
	for _, c := range []struct {
		age   time.Duration
		files int
	}{{time.Hour, 0}, {0, 1}} {
		m := &nats.Msg{Subject: first, Header: nats.Header{fenceHeader: []string{"0"}}, Data: content[:partSize]}
		if _, err := s.putPart(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		s.fileAge = c.age
		if done, err := s.Prune(t.Context(), engine.Retention{}); err != nil || done.Files != c.files {
			t.Errorf("files of an age of %s: pruned %+v, %v", c.age, done, err)
		}
	}
	if m, err := s.newest(t.Context(), filesStream, first); err != nil || m != nil {
		t.Errorf("the part is there: %v, %v", m != nil, err)
	}
	hash, err := s.Put(t.Context(), engine.Artifacts, content)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), engine.Artifacts, hash); err != nil || !bytes.Equal(got, content) {
		t.Errorf("stored again, it is %d bytes, %v", len(got), err)
	}
}

// TestCheckIgnoresRunsPrunedMeanwhile checks a store from which a run and files are removed
// meanwhile.
func TestCheckIgnoresRunsPrunedMeanwhile(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	s.list.put("gone", &listedRun{header: engine.Header{ID: "gone", Seq: 3}}, false)
	for i := range 300 {
		if _, err := s.Put(t.Context(), engine.Captures, fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	s.fileAge = 0
	var pruned sync.WaitGroup
	pruned.Go(func() {
		if _, err := s.Store.Prune(t.Context(), engine.Retention{}); err != nil {
			t.Error(err)
		}
	})
	c, err := s.Check(t.Context())
	if pruned.Wait(); err != nil || !c.Clean() {
		t.Errorf("%v, %d problems, such as %v", err, len(c.Problems), c.Problems[:min(2, len(c.Problems))])
	}
}
