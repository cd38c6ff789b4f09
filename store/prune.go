package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
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
		s.forgetLazy(runs)
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
	plan := &pruning{Retention: r, now: time.Now()}
	if err := s.measure(ctx, plan); err != nil {
		return done, err
	}
	done.Resumable = plan.resumable
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
func (s *Store) removeAll(ctx context.Context, p *pruning, done *Pruned) error {
	for len(p.doomed) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rest := p.doomed[:max(0, len(p.doomed)-removeAtOnce)]
		var ids []string
		var size int64
		for _, d := range p.doomed[len(rest):] {
			if p.Active == nil || !p.Active(d.id) { // someone may have resumed it meanwhile
				ids, size = append(ids, d.id), size+d.size
			}
		}
		if err := s.remove(ids); err != nil {
			return err
		}
		done.Runs, done.Bytes = done.Runs+len(ids), done.Bytes+size
		p.doomed = rest
	}
	return nil
}

// A pruning decides from the newest run to the oldest which of them go.
type pruning struct {
	Retention
	now       time.Time
	count     int
	bytes     int64
	doomed    []doomed // the newest first
	resumable int
}

type doomed struct {
	id   string
	size int64
}

func (p *pruning) visit(h head, files int64) {
	size := h.size + files
	past := p.past(h, size)
	switch {
	case p.Active != nil && p.Active(h.ID), !past:
	case engine.Resumable(h.Header) && !p.Force:
		p.resumable++
	default:
		p.doomed = append(p.doomed, doomed{h.ID, h.size})
		return
	}
	p.count++
	p.bytes += size
}

func (p *pruning) past(h head, size int64) bool {
	end := h.EndedAt
	if end.IsZero() {
		end = h.UpdatedAt
	}
	age := p.now.Sub(end)
	return p.Age > 0 && age > p.Age ||
		p.Reads > 0 && h.Call != "" && h.Reads && age > p.Reads ||
		p.Count > 0 && p.count >= p.Count ||
		p.Bytes > 0 && p.bytes+size > p.Bytes
}

// measure shows every run to a pruning, the newest first, in pieces. A file
// that many runs name counts for the newest.
func (s *Store) measure(ctx context.Context, p *pruning) error {
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
				p.visit(h, s.sizeOfFiles(tx, before, counted))
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
