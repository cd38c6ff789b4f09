package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/testing/storetest"
)

func ended(run string, status engine.Status, ago time.Duration) engine.Batch {
	b := storetest.Batch(run, 1, 0, 2)
	b.Header.Status = status
	b.Header.EndedAt = time.Now().Add(-ago)
	return b
}

func ids(t testing.TB, s *Store) []string {
	t.Helper()
	var all []string
	for h, err := range s.Runs(t.Context(), engine.Query{Calls: true}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h.ID)
	}
	slices.Reverse(all)
	return all
}

func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		say       string
		retention engine.Retention
		want      string
		resumable int
	}{
		{"no bound keeps all", engine.Retention{}, "a b c d e f g", 0},
		{"what ended long ago goes, but not what can be resumed", engine.Retention{Age: 2 * day}, "b c d e f g", 1},
		{"all that ended long ago goes, when forced", engine.Retention{Age: 2 * day, Force: true}, "c d e f g", 0},
		{"but never what is being executed", engine.Retention{Age: 2 * day, Force: true, Active: func(id string) bool { return id == "a" }}, "a c d e f g", 0},
		{"calls that only read go soon", engine.Retention{Reads: time.Hour}, "a b c d e g", 0},
		{"the newest stay", engine.Retention{Count: 3}, "b d e f g", 2},
		{"the newest stay, when forced", engine.Retention{Count: 3, Force: true}, "e f g", 0},
		{"all bounds at once", engine.Retention{Age: 2 * day, Count: 4, Reads: time.Hour}, "b c d e g", 1},
		{"the size is kept", engine.Retention{Bytes: 1, Force: true}, "", 0},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := mustOpen(t, t.TempDir())
			mustAppend(t, s, ended("a", engine.Succeeded, 9*day))
			mustAppend(t, s, ended("b", engine.Failed, 8*day))
			mustAppend(t, s, ended("c", engine.Succeeded, day))
			mustAppend(t, s, ended("d", engine.Running, day))
			mustAppend(t, s, ended("e", engine.Succeeded, time.Minute))
			read := ended("f", engine.Succeeded, 2*time.Hour)
			read.Header.Call, read.Header.Reads, read.Lazy = "get_window_tree", true, true
			mustAppend(t, s, read)
			click := ended("g", engine.Failed, 2*time.Hour)
			click.Header.Call = "click_element"
			mustAppend(t, s, click)

			done, err := s.Prune(t.Context(), c.retention)
			if err != nil {
				t.Fatal(err)
			}
			left := ids(t, s)
			if diff := cmp.Diff(strings.Fields(c.want), left); len(left)+len(c.want) > 0 && diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
			if done.Runs != 7-len(left) || done.Resumable != c.resumable || (done.Runs > 0) != (done.Bytes > 0) {
				t.Errorf("report: %+v, %d left", done, len(left))
			}
			wantClean(t, s)
		})
	}
}

func TestPruneKeepsToBytes(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	for i := range 20 {
		b := ended(fmt.Sprintf("run%02d", i), engine.Succeeded, time.Minute)
		b.Events[0].Data = []byte(`"` + strings.Repeat("x", 10_000) + `"`)
		mustAppend(t, s, b)
	}
	done, err := s.Prune(t.Context(), engine.Retention{Bytes: 55_000})
	if err != nil || len(ids(t, s)) != 5 || done.Bytes < 150_000 {
		t.Errorf("left %v, %+v, %v", ids(t, s), done, err)
	}
}

func TestPruneCollectsFiles(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	put := func(sort engine.FileSort, content string, age time.Duration) string {
		hash, err := s.Put(t.Context(), sort, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		if sort != engine.Documents {
			then := time.Now().Add(-age)
			if err := os.Chtimes(s.files.path(sort, hash), then, then); err != nil {
				t.Fatal(err)
			}
		}
		return hash
	}
	old := 2 * collectAfter
	kept, shared, gone := put(engine.Captures, "kept", old), put(engine.Artifacts, "shared", old), put(engine.Captures, "gone", old)
	young, orphan := put(engine.Captures, "young", 0), put(engine.Artifacts, "orphan", old)
	text, lost := put(engine.Documents, "steps: []", 0), put(engine.Documents, "steps: [x]", 0)
	name := func(run string, document string, hashes ...string) {
		b := ended(run, engine.Succeeded, time.Minute)
		b.Events[1].Data = fmt.Appendf(nil, `{"hashes":["%s"]}`, strings.Join(hashes, `","`))
		b.Header.Document = document
		mustAppend(t, s, b)
	}
	name("a", lost, shared, gone)
	name("b", text, shared, kept)
	mustClose(t, s)
	s = mustOpen(t, s.dir)
	done, err := s.Prune(t.Context(), engine.Retention{Count: 1})
	if err != nil || done.Runs != 1 || done.Files != 3 {
		t.Fatalf("got %+v, %v; want 1 run, a capture, an artifact and a document gone", done, err)
	}
	for _, c := range []struct {
		sort engine.FileSort
		hash string
		want error
	}{
		{engine.Captures, kept, nil},
		{engine.Artifacts, shared, nil},
		{engine.Captures, young, nil},
		{engine.Documents, text, nil},
		{engine.Captures, gone, engine.ErrNoFile},
		{engine.Artifacts, orphan, engine.ErrNoFile},
		{engine.Documents, lost, engine.ErrNoFile},
	} {
		if _, err := s.Get(t.Context(), c.sort, c.hash); !errors.Is(err, c.want) {
			t.Errorf("%s %.8s: got %v, want %v", c.sort, c.hash, err, c.want)
		}
	}
	wantClean(t, s)
}

func TestDocumentOfTheFutureIsKept(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	hash, err := s.Put(t.Context(), engine.Documents, []byte("steps: []"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prune(t.Context(), engine.Retention{Age: 1, Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), engine.Documents, hash); err != nil {
		t.Errorf("the run that it is for has not begun: %v", err)
	}
}
