package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/store/keeping"
)

// collectAfter is how long a file may be there before an event names it.
const collectAfter = time.Hour

// collect removes files and documents that no run names. A run's files are
// noted in the commit of the event that names them.
func (s *Store) collect(ctx context.Context, done *Pruned) error {
	named, err := s.namedFiles()
	if err != nil {
		return err
	}
	for _, sort := range sortNames {
		if err := s.collectFolder(ctx, sortDir(s.dir, sort), named, done); err != nil {
			return err
		}
	}
	n, size, err := s.collectDocuments(named)
	done.Files, done.Bytes = done.Files+n, done.Bytes+size
	return err
}

func (s *Store) collectFolder(ctx context.Context, dir string, named map[string]bool, done *Pruned) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return explain(dir, err)
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if hash := hashInName(e.Name()); named[hash] || !keeping.IsHash(hash) {
			continue
		}
		size, err := s.collectFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if size >= 0 {
			done.Files, done.Bytes = done.Files+1, done.Bytes+size
		}
	}
	return nil
}

// collectFile removes a file unless it is young, and says how large it was;
// -1 when it stays.
func (s *Store) collectFile(path string) (int64, error) {
	s.files.Lock()
	defer s.files.Unlock()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < collectAfter {
		return -1, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return -1, explain(path, err)
	}
	return info.Size(), nil
}

func (s *Store) namedFiles() (map[string]bool, error) {
	named := map[string]bool{}
	err := s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketFiles).ForEach(func(k, _ []byte) error {
			if i := len(k) - keeping.HashSize; i > 0 {
				named[string(k[i:])] = true
			}
			return nil
		})
	})
	return named, err
}

// collectDocuments removes the texts that no run began with, except those
// which came since the store was opened.
func (s *Store) collectDocuments(named map[string]bool) (n int, size int64, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	err = s.update(func(tx *bolt.Tx) error {
		err := tx.Bucket(bucketHeaders).ForEach(func(run, record []byte) error {
			h, err := decodeHead(string(run), record)
			named[h.Document] = true
			return err // without its header nobody knows which text a run needs
		})
		if err != nil {
			return &Error{Path: s.path(), Err: ErrDamaged, Found: "a header: " + err.Error(), Next: "see what is with: " + checkCommand}
		}
		var keys [][]byte
		documents := tx.Bucket(bucketDocuments)
		err = documents.ForEach(func(hash, text []byte) error {
			if !named[string(hash)] && !s.putHere[string(hash)] {
				keys = append(keys, bytes.Clone(hash))
				size += int64(len(text))
			}
			return nil
		})
		n = len(keys)
		if err == nil && n == 0 {
			return errNothing
		}
		return errors.Join(err, deleteKeys(documents, keys))
	})
	if errors.Is(err, errNothing) {
		err = nil
	}
	return n, size, err
}
