package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
	"understudy/store/format"
)

// DefaultRetention returns the bounds to which a store is pruned by default.
func DefaultRetention() engine.Retention {
	return engine.Retention{Age: 90 * 24 * time.Hour, Count: 10_000, Bytes: 4 << 30, Reads: 24 * time.Hour}
}

const (
	// collectAfter is how long a file may exist before an event names it.
	collectAfter = time.Hour
	// removeAtOnce is how many runs are removed in one commit.
	removeAtOnce = 32
)

// Remove removes a run with all its events. The next Prune removes its files.
func (s *Store) Remove(ctx context.Context, run string) error {
	if _, _, err := s.Run(ctx, run); err != nil && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("removing: %w", err)
	}
	return s.remove([]string{run})
}

func (w *writer) remove(runs []string) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	err := w.update(func(tx *bolt.Tx) error {
		for _, run := range runs {
			if err := removeRun(tx, run); err != nil {
				return fmt.Errorf("run %s: removing: %w", run, err)
			}
		}
		return nil
	})
	if err == nil {
		w.lazy.drop(runs)
	}
	return err
}

func removeRun(tx *bolt.Tx, run string) error {
	key := []byte(run)
	h, err := readHead(tx, run)
	if err == nil {
		err = putIndex(tx, &h.Header, nil)
	} else { // only the whole index tells which keys it has
		err = deleteKeys(tx.Bucket(bucketIndex), nil, func(k, _ []byte) bool {
			id, ok := idOfKey(k)
			return ok && id == run
		})
	}
	jerr := tx.Bucket(bucketJournal).DeleteBucket(key)
	if errors.Is(jerr, bolterrors.ErrBucketNotFound) {
		jerr = nil
	}
	return errors.Join(err, jerr, tx.Bucket(bucketHeaders).Delete(key), tx.Bucket(bucketSnapshots).Delete(key),
		deleteKeys(tx.Bucket(bucketFiles), fileKey(run, nil), func(_, _ []byte) bool { return true }))
}

// deleteKeys deletes the keys with a prefix for which gone returns true. bbolt
// does not allow to delete them while a cursor goes through them.
func deleteKeys(b *bolt.Bucket, prefix []byte, gone func(k, v []byte) bool) error {
	var keys [][]byte
	c := b.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if gone(k, v) {
			keys = append(keys, bytes.Clone(k))
		}
	}
	var err error
	for _, k := range keys {
		err = errors.Join(err, b.Delete(k))
	}
	return err
}

// Prune removes what a retention does not keep: runs, then files and documents
// that no run names, and pictures of recordings that no workflow names either.
func (s *Store) Prune(ctx context.Context, r engine.Retention) (engine.Pruned, error) {
	var done engine.Pruned
	if err := s.flush(); err != nil && !errors.Is(err, engine.ErrFull) {
		return done, err
	}
	plan := &format.Plan{Retention: r, Now: time.Now()}
	if err := s.measure(ctx, plan); err != nil {
		return done, err
	}
	done.Resumable = plan.Resumable
	err := s.removeAll(ctx, plan, &done)
	if errors.Is(err, engine.ErrFull) { // removing needs some room too, which files can free
		_ = s.collect(ctx, &done)
		err = s.removeAll(ctx, plan, &done)
	}
	if err == nil {
		err = s.collect(ctx, &done)
		err = errors.Join(err, s.collectPictures(ctx, &done))
	}
	return done, err
}

// removeAll removes the runs of a plan, the oldest first, several in each
// commit.
func (s *Store) removeAll(ctx context.Context, p *format.Plan, done *engine.Pruned) error {
	for len(p.Doomed) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rest := p.Doomed[:max(0, len(p.Doomed)-removeAtOnce)]
		var ids []string
		var size int64
		for _, d := range p.Doomed[len(rest):] {
			if p.Active == nil || !p.Active(d.ID) { // it may have been resumed meanwhile
				ids, size = append(ids, d.ID), size+d.Size
			}
		}
		if err := s.remove(ids); err != nil {
			return err
		}
		done.Runs, done.Bytes = done.Runs+len(ids), done.Bytes+size
		p.Doomed = rest
	}
	return nil
}

// measure shows every run to a plan, the newest first, in pieces. A file that
// several runs name counts for the newest.
func (s *Store) measure(ctx context.Context, p *format.Plan) error {
	counted := map[string]bool{}
	for before := ""; ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := 0
		err := s.view(func(tx *bolt.Tx) error {
			c := tx.Bucket(bucketHeaders).Cursor()
			k, v := c.Last()
			if before != "" {
				c.Seek([]byte(before))
				k, v = c.Prev()
			}
			for ; k != nil && n < pieceRuns; k, v = c.Prev() {
				before, n = string(k), n+1
				h, err := decodeHead(before, v)
				if err != nil {
					continue // Check reports it; what cannot be read is not removed
				}
				p.Visit(h.Header, h.size, s.files.sizeOf(tx, before, counted))
			}
			return nil
		})
		if err != nil || n < pieceRuns {
			return err
		}
	}
}

// collect removes files and documents that no run names. The files of a run
// are noted in the commit of the event that names them.
func (s *Store) collect(ctx context.Context, done *engine.Pruned) error {
	named := map[string]bool{}
	err := s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketFiles).ForEach(func(k, _ []byte) error {
			if i := len(k) - format.HashSize; i > 0 {
				named[string(k[i:])] = true
			}
			return nil
		})
	})
	for _, sort := range sortNames {
		if err == nil {
			err = s.files.collect(ctx, sort, named, done)
		}
	}
	if err != nil {
		return err
	}
	return s.collectDocuments(named, done)
}

// collectDocuments removes the documents that no run began with, except those
// put since the store was opened.
func (w *writer) collectDocuments(named map[string]bool, done *engine.Pruned) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	n, size := 0, int64(0)
	err := w.update(func(tx *bolt.Tx) error {
		err := tx.Bucket(bucketHeaders).ForEach(func(run, record []byte) error {
			h, err := decodeHead(string(run), record)
			named[h.Document] = true
			return err // without its header it is unknown which document a run needs
		})
		if err != nil {
			return &Error{Path: w.path(), Err: ErrDamaged, Found: "a header: " + err.Error(), Next: "see what is damaged with: " + checkCommand}
		}
		err = deleteKeys(tx.Bucket(bucketDocuments), nil, func(hash, text []byte) bool {
			gone := !named[string(hash)] && !w.putHere[string(hash)]
			if gone {
				n, size = n+1, size+int64(len(text))
			}
			return gone
		})
		if err == nil && n == 0 {
			return errNothing
		}
		return err
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err == nil {
		done.Files, done.Bytes = done.Files+n, done.Bytes+size
	}
	return err
}
