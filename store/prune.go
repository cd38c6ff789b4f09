package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
	"understudy/store/keeping"
)

// Retention says which runs Prune keeps.
type Retention = engine.Retention

// DefaultRetention is what a store is pruned to when nobody says otherwise.
func DefaultRetention() Retention {
	return Retention{Age: 90 * 24 * time.Hour, Count: 10_000, Bytes: 4 << 30, Reads: 24 * time.Hour}
}

// Pruned is what Prune did.
type Pruned = engine.Pruned

// removeAtOnce is how many runs go in one commit.
const removeAtOnce = 32

// Remove removes a run with all its events. Its files go with the next Prune.
func (s *Store) Remove(ctx context.Context, run string) error {
	if _, _, err := s.Run(ctx, run); err != nil && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("removing: %w", err)
	}
	return s.remove([]string{run})
}

func (s *Store) remove(runs []string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.update(func(tx *bolt.Tx) error {
		for _, run := range runs {
			if err := removeRun(tx, run); err != nil {
				return fmt.Errorf("run %s: removing: %w", run, err)
			}
		}
		return nil
	})
	if err == nil {
		s.lazy.drop(func(_ int, l lazyBatch) bool { return slices.Contains(runs, l.run) })
	}
	return err
}

func removeRun(tx *bolt.Tx, run string) error {
	key := []byte(run)
	if err := removeFromIndex(tx, run); err != nil {
		return err
	}
	if err := tx.Bucket(bucketHeaders).Delete(key); err != nil {
		return err
	}
	if err := tx.Bucket(bucketSnapshots).Delete(key); err != nil {
		return err
	}
	if err := tx.Bucket(bucketJournal).DeleteBucket(key); err != nil && !errors.Is(err, bolterrors.ErrBucketNotFound) {
		return err
	}
	return removeFileKeys(tx, run)
}

// removeFromIndex removes the keys of a run. Without a readable header all of
// the index is searched for it.
func removeFromIndex(tx *bolt.Tx, run string) error {
	h, err := readHead(tx, run)
	if err == nil {
		return dropIndex(tx, &h.Header)
	}
	var keys [][]byte
	err = tx.Bucket(bucketIndex).ForEach(func(k, _ []byte) error {
		if id, ok := idOfKey(k); ok && id == run {
			keys = append(keys, bytes.Clone(k))
		}
		return nil
	})
	return errors.Join(err, deleteKeys(tx.Bucket(bucketIndex), keys))
}

func removeFileKeys(tx *bolt.Tx, run string) error {
	var keys [][]byte
	prefix := fileKey(run, nil)
	c := tx.Bucket(bucketFiles).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	return deleteKeys(tx.Bucket(bucketFiles), keys)
}

func deleteKeys(b *bolt.Bucket, keys [][]byte) error {
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// Prune removes what a retention does not keep: runs, then files and documents
// that no run names, and pictures of recordings that no workflow names either.
func (s *Store) Prune(ctx context.Context, r Retention) (Pruned, error) {
	var done Pruned
	if err := s.flush(); err != nil && !errors.Is(err, engine.ErrFull) {
		return done, err
	}
	plan := &keeping.Plan{Retention: r, Now: time.Now()}
	if err := s.measure(ctx, plan); err != nil {
		return done, err
	}
	done.Resumable = plan.Resumable
	err := s.removeAll(ctx, plan, &done)
	if errors.Is(err, engine.ErrFull) { // even to remove takes a little room, which files can give
		_ = s.collect(ctx, &done)
		err = s.removeAll(ctx, plan, &done)
	}
	if err != nil {
		return done, err
	}
	err = s.collect(ctx, &done)
	return done, errors.Join(err, s.collectPictures(ctx, &done))
}

// removeAll removes the runs of a plan, the oldest first, some in each commit.
func (s *Store) removeAll(ctx context.Context, p *keeping.Plan, done *Pruned) error {
	for len(p.Doomed) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rest := p.Doomed[:max(0, len(p.Doomed)-removeAtOnce)]
		var ids []string
		var size int64
		for _, d := range p.Doomed[len(rest):] {
			if p.Active == nil || !p.Active(d.ID) { // someone may have resumed it meanwhile
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

// measure shows every run to a plan, the newest first, in pieces. A file
// that many runs name counts for the newest.
func (s *Store) measure(ctx context.Context, p *keeping.Plan) error {
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
					continue // Check finds it; what cannot be read is not thrown away
				}
				p.Visit(h.Header, h.size, s.sizeOfFiles(tx, before, counted))
			}
			return nil
		})
		if err != nil || n < pieceRuns {
			return err
		}
	}
}

func (s *Store) sizeOfFiles(tx *bolt.Tx, run string, counted map[string]bool) (size int64) {
	prefix := fileKey(run, nil)
	c := tx.Bucket(bucketFiles).Cursor()
	for k, letter := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, letter = c.Next() {
		hash := string(k[len(prefix):])
		if counted[hash] {
			continue
		}
		counted[hash] = true
		if info, err := os.Stat(s.filePath(sortNames[string(letter)], hash)); err == nil {
			size += info.Size()
		}
	}
	return size
}
