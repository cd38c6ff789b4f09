package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/format"
)

func note(r *engine.Checkup, run, format string, args ...any) {
	r.Problems = append(r.Problems, engine.Problem{Run: run, What: fmt.Sprintf(format, args...)})
}

// Check reads everything and reports what is not as it was written: the pages of
// the database, each event and its place, headers and snapshots against the
// events, the index against the headers, files and documents against their
// hashes. It changes nothing, and the store can be used meanwhile. The error
// says why Check could not finish.
func (s *Store) Check(ctx context.Context) (*engine.Checkup, error) {
	r := &engine.Checkup{}
	err := s.flush()
	if err == nil {
		err = s.checkDatabase(ctx, r)
	}
	for _, sort := range sortNames {
		if err == nil {
			err = s.files.check(ctx, r, sort)
		}
	}
	return r, err
}

// checkDatabase checks the database in one transaction. Files that are missing then are
// named in a second one, unless their runs were removed meanwhile.
func (s *Store) checkDatabase(ctx context.Context, r *engine.Checkup) error {
	missing := map[string]error{}
	s.writing.Lock() // until the transaction has begun: the newest meta page in the file is its own
	begun := sync.OnceFunc(s.writing.Unlock)
	err := s.view(func(tx *bolt.Tx) error {
		m, _, err := readMeta(s.file)
		if begun(); err != nil {
			return err
		}
		lost, err := checkPages(s.file, int64(m.end)*m.pageSize, m, true)
		if err != nil {
			note(r, "", "the database is damaged: %v", err)
			return nil // bbolt must not follow such pages
		}
		if lost > 0 {
			note(r, "", "%d pages of the database are neither in use nor free", lost)
		}
		for _, check := range []func(context.Context, *bolt.Tx, *engine.Checkup) error{
			checkRuns, checkLeftovers, checkDocuments,
		} {
			if err := check(ctx, tx, r); err != nil {
				return err
			}
		}
		return s.files.checkNames(tx, r, missing)
	})
	begun()
	if err != nil || len(missing) == 0 {
		return err
	}
	return s.view(func(tx *bolt.Tx) error {
		for _, k := range slices.Sorted(maps.Keys(missing)) {
			if tx.Bucket(bucketFiles).Get([]byte(k)) != nil {
				run, _, _ := strings.Cut(k, "\x00")
				note(r, run, "%v", missing[k])
			}
		}
		return nil
	})
}

// checkRuns checks the header of each run, and its events, snapshot and index keys. If the
// index has as many keys as all headers together, it has no others.
func checkRuns(ctx context.Context, tx *bolt.Tx, r *engine.Checkup) error {
	index, have, want := tx.Bucket(bucketIndex), 0, 0
	err := tx.Bucket(bucketHeaders).ForEach(func(run, record []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.Runs++
		h, err := decodeHead(string(run), record)
		if err != nil {
			note(r, string(run), "its header: %v", err)
			return nil
		}
		if h.ID != string(run) {
			note(r, string(run), "its header is of run %q", h.ID)
		}
		checkEvents(tx, r, h)
		if _, err := readSnapshot(tx, h.ID, h.Seq); err != nil {
			note(r, h.ID, "%v", err)
		}
		for _, key := range indexKeys(&h.Header) {
			want++
			if !bytes.Equal(index.Get(key), summary(&h.Header)) {
				note(r, h.ID, "it is not found by the index %q", key)
			}
		}
		return nil
	})
	if err == nil {
		err = index.ForEach(func(_, _ []byte) error { have++; return nil })
	}
	if err == nil && have != want {
		note(r, "", "the index has %d keys and should have %d", have, want)
	}
	return err
}

// checkEvents reads the events of a run up to the first damaged one.
func checkEvents(tx *bolt.Tx, r *engine.Checkup, h head) {
	journal := tx.Bucket(bucketJournal).Bucket([]byte(h.ID))
	if journal == nil {
		note(r, h.ID, "its events are missing")
		return
	}
	sum, seq, attempt := format.Seed(h.ID), uint64(0), 1
	c := journal.Cursor()
	for key, record := c.First(); key != nil; key, record = c.Next() {
		seq++
		if len(key) != 8 || binary.BigEndian.Uint64(key) != seq {
			note(r, h.ID, "event %d is missing", seq)
			return
		}
		ev, next, err := openEvent(seq, sum, record)
		if err != nil {
			note(r, h.ID, "event %d: %v", seq, err)
			return
		}
		if ev.Attempt != attempt && ev.Attempt != attempt+1 {
			note(r, h.ID, "event %d is of attempt %d after attempt %d", seq, ev.Attempt, attempt)
		}
		sum, attempt = next, ev.Attempt
		r.Events++
	}
	if seq != h.Seq || attempt != h.Attempt || sum != h.tail {
		note(r, h.ID, "its header says %d events and attempt %d, its events end with %d of attempt %d", h.Seq, h.Attempt, seq, attempt)
	}
}

// checkLeftovers reports events and snapshots of runs that have no header.
func checkLeftovers(_ context.Context, tx *bolt.Tx, r *engine.Checkup) error {
	headers := tx.Bucket(bucketHeaders)
	for _, name := range [][]byte{bucketJournal, bucketSnapshots} {
		err := tx.Bucket(name).ForEach(func(run, _ []byte) error {
			if headers.Get(run) == nil {
				note(r, string(run), "it is in %s and has no header", name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func checkDocuments(_ context.Context, tx *bolt.Tx, r *engine.Checkup) error {
	return tx.Bucket(bucketDocuments).ForEach(func(hash, text []byte) error {
		r.Files++
		if format.HashOf(text) != string(hash) {
			note(r, "", "document %s is not what its hash says", hash)
		}
		return nil
	})
}

// checkNames adds files that events name and that do not exist to missing, by their keys.
func (f *files) checkNames(tx *bolt.Tx, r *engine.Checkup, missing map[string]error) error {
	return tx.Bucket(bucketFiles).ForEach(func(k, letter []byte) error {
		_, hash, ok := bytes.Cut(k, []byte{0})
		sort := sortNames[string(letter)]
		if !ok || sort == "" {
			note(r, "", "the name of a file cannot be read: %q", k)
			return nil
		}
		if _, err := os.Stat(f.path(sort, string(hash))); err != nil {
			missing[string(k)] = fmt.Errorf("%s %s is missing: %w", sort, hash, err)
		}
		return nil
	})
}
