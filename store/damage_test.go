package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

func wantEvents(t testing.TB, s *Store, run string, want uint64) {
	t.Helper()
	n := uint64(0)
	for ev, err := range s.Events(t.Context(), run, 1) {
		if err != nil {
			t.Fatalf("event %d: %v", n+1, err)
		}
		if n++; ev.Seq != n {
			t.Fatalf("event %d has number %d", n, ev.Seq)
		}
	}
	if n != want {
		t.Fatalf("run %s has %d events, want %d", run, n, want)
	}
}

func wantClean(t testing.TB, s *Store) {
	t.Helper()
	report, err := s.Check(t.Context())
	if err != nil || !report.Clean() {
		t.Fatalf("check: %v, %v", report.Problems, err)
	}
}

// A recording has the database file after each commit of a run, and how many events were
// acknowledged by then.
type recording struct {
	images [][]byte
	seqs   []uint64
}

// record makes commits of many sorts and keeps every image of the file.
func record(t testing.TB, commits int) (rec recording, dir string) {
	t.Helper()
	dir = t.TempDir()
	s := mustOpen(t, dir)
	seq := uint64(0)
	keep := func() {
		rec.images = append(rec.images, mustRead(t, s.path()))
		rec.seqs = append(rec.seqs, seq)
	}
	keep()
	for i := range commits {
		b := storetest.Batch("run1", 1, seq, 1+i%3)
		if i%7 == 3 { // larger than a page
			b.Events[0].Data = fmt.Appendf(nil, `"%0*d"`, 9000, i)
		}
		if i%5 == 4 {
			b.Snapshot = &engine.Snapshot{Seq: seq, State: fmt.Appendf(nil, "%0*d", 300*i, i)}
		}
		mustAppend(t, s, b)
		seq = b.Header.Seq
		keep()
		if i%6 == 5 {
			mustAppend(t, s, storetest.Batch(fmt.Sprint("other", i), 1, 0, 2))
			keep()
		}
	}
	mustClose(t, s)
	return rec, dir
}

// A verdict is how a store handled an image of its database.
type verdict int

const (
	whole  verdict = iota // all acknowledged events are there
	told                  // it reported the damage
	silent                // something is missing or wrong, and was not reported
)

// judge opens an image, reads everything, and tests whether the run has at least the
// acknowledged events and each is as it was written. The lock file is empty, as after a
// crash, or as it was at the last close.
func judge(t testing.TB, dir string, image []byte, acked uint64, crashed bool) verdict {
	t.Helper()
	database, lockFile := filepath.Join(dir, databaseName), filepath.Join(dir, lockName)
	closed := mustRead(t, lockFile)
	defer func() {
		aside, _ := filepath.Glob(database + ".damaged-*")
		for _, f := range aside {
			os.Remove(f)
		}
		mustWrite(t, lockFile, closed)
	}()
	mustWrite(t, database, image)
	if crashed {
		os.Remove(lockFile)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		if e, ok := errors.AsType[*Error](err); !ok || e.Next == "" {
			t.Errorf("it does not say what to do: %v", err)
		}
		return told
	}
	defer s.Close()
	n := uint64(0)
	for ev, err := range s.Events(t.Context(), "run1", 1) {
		if err != nil && errors.Is(err, engine.ErrNoRun) && acked == 0 {
			break
		}
		if err != nil {
			return told
		}
		n++
		if want := storetest.Batch("run1", 1, n-1, 1).Events[0]; ev.Seq != n || ev.Type != want.Type || !ev.At.Equal(want.At) {
			return silent
		}
	}
	report, err := s.Check(t.Context())
	if err != nil || !report.Clean() {
		return told
	}
	if n < acked {
		return silent
	}
	return whole
}

const testPage = 4096

// diskPages returns the pages that differ between two images.
func diskPages(a, b []byte) (ids []int) {
	for i := 0; i*testPage < len(b); i++ {
		if !bytes.Equal(pageOf(a, i), pageOf(b, i)) {
			ids = append(ids, i)
		}
	}
	return ids
}

func pageOf(image []byte, i int) []byte {
	if (i+1)*testPage > len(image) {
		return nil
	}
	return image[i*testPage : (i+1)*testPage]
}

// mix returns an image with some pages of a later one. It has the length of the later
// one, because a file grows before its new pages are written.
func mix(old, later []byte, pages []int) []byte {
	image := make([]byte, max(len(old), len(later)))
	copy(image, old)
	for _, i := range pages {
		copy(image[i*testPage:], pageOf(later, i))
	}
	return image
}

// TestAtLengthTornCommits writes parts of each commit. bbolt syncs the pages, then writes
// and syncs one of the two first pages, so before that sync each page may be on the disk or
// not.
func TestAtLengthTornCommits(t *testing.T) {
	if os.Getpagesize() != testPage {
		t.Skip("needs pages of 4096 bytes")
	}
	rec, dir := record(t, 20)
	random := rand.New(rand.NewPCG(1, 2))
	images := 0
	check := func(say string, image []byte, acked uint64) {
		t.Helper()
		images++
		if v := judge(t, dir, image, acked, true); v != whole {
			t.Errorf("%s: verdict %d, want all that was acknowledged", say, v)
		}
	}
	for i := 1; i < len(rec.images); i++ {
		old, later, acked := rec.images[i-1], rec.images[i], rec.seqs[i-1]
		var pages []int
		first := 0
		for _, p := range diskPages(old, later) {
			if p < 2 {
				first = p
			} else {
				pages = append(pages, p)
			}
		}
		for n := 0; n <= len(pages); n++ {
			check(fmt.Sprintf("commit %d, the first %d pages", i, n), mix(old, later, pages[:n]), acked)
		}
		for range 4 {
			var some []int
			for _, p := range pages {
				if random.IntN(2) == 0 {
					some = append(some, p)
				}
			}
			check(fmt.Sprintf("commit %d, the pages %v", i, some), mix(old, later, some), acked)
		}
		synced := mix(old, later, pages)
		for cut := 8; cut < 80; cut += 12 { // the first page itself is torn
			image := bytes.Clone(synced)
			copy(image[first*testPage:first*testPage+cut], pageOf(later, first)[:cut])
			check(fmt.Sprintf("commit %d, %d bytes of its first page", i, cut), image, acked)
		}
		check(fmt.Sprintf("commit %d, whole", i), later, rec.seqs[i])
	}
	t.Logf("%d images", images)
}

// TestAlteredPages changes each page of a closed database in many ways. The damage must
// always be reported.
func TestAlteredPages(t *testing.T) {
	rec, dir := record(t, 24)
	last := len(rec.images) - 1
	final, acked := mustRead(t, filepath.Join(dir, databaseName)), rec.seqs[last]
	random := rand.New(rand.NewPCG(3, 4))
	ways := map[string]func(page []byte, i int){
		"zeroed":          func(page []byte, _ int) { clear(page) },
		"random":          func(page []byte, _ int) { fillRandom(random, page) },
		"half written":    func(page []byte, _ int) { clear(page[512:]) },
		"a bit in front":  func(page []byte, _ int) { page[random.IntN(64)] ^= 1 << random.IntN(8) },
		"a bit somewhere": func(page []byte, _ int) { page[random.IntN(len(page))] ^= 1 << random.IntN(8) },
		"a page before":   func(page []byte, i int) { copy(page, pageOf(rec.images[last/2], i)) },
		"the next page":   func(page []byte, i int) { copy(page, pageOf(final, i+1)) },
		"its own child": func(page []byte, i int) {
			binary.NativeEndian.PutUint16(page[8:], branchPage)
			binary.NativeEndian.PutUint64(page[24:], uint64(i))
		},
	}
	verdicts := map[verdict]int{}
	for i := 0; i*testPage < len(final); i++ {
		for say, alter := range ways {
			for _, crashed := range []bool{false, true} {
				image := bytes.Clone(final)
				alter(pageOf(image, i), i)
				want := acked
				if i < 2 && crashed { // looks like a commit that was being written
					want = rec.seqs[last-1]
				}
				v := judge(t, dir, image, want, crashed)
				verdicts[v]++
				if v == silent {
					t.Errorf("page %d %s (crashed: %t): nobody says so", i, say, crashed)
				}
			}
		}
	}
	for n := 0; n < len(final); n += testPage / 2 {
		v := judge(t, dir, final[:n], acked, n%testPage == 0)
		verdicts[v]++
		if v == silent {
			t.Errorf("cut at %d: nobody says so", n)
		}
	}
	t.Logf("%d images: %d whole, %d told", verdicts[whole]+verdicts[told], verdicts[whole], verdicts[told])
	if verdicts[told] == 0 || verdicts[whole] == 0 {
		t.Error("the images are not what they should be")
	}
}

func fillRandom(random *rand.Rand, b []byte) {
	for i := range b {
		b[i] = byte(random.Uint32())
	}
}
