package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/format"
)

// files are the captures and artifacts of a data folder, each named by its hash.
type files struct {
	dir string
	mu  sync.Mutex // no file is removed while it is put
}

// The sorts of files, by the letter that stands for each in the database.
var sortNames = map[string]engine.FileSort{"c": engine.Captures, "a": engine.Artifacts}

func sortDir(dir string, sort engine.FileSort) string { return filepath.Join(dir, string(sort)) }

func hashInName(name string) string { return strings.TrimSuffix(name, ".png") }

func (f *files) path(sort engine.FileSort, hash string) string {
	if sort == engine.Captures {
		hash += ".png"
	}
	return filepath.Join(sortDir(f.dir, sort), hash)
}

// put writes a file unless it exists. Its modification time is that of the last
// put, so that pruning spares a file that no event names yet.
func (f *files) put(path string, content []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(content)) {
		now := time.Now()
		return explain(path, os.Chtimes(path, now, now))
	}
	return writeWhole(filepath.Join(f.dir, partialName), path, content)
}

// putNames records which files the data of an event names. The store does not
// know the types of events, so it takes every hash for which there is a file;
// a file is stored before the event that names it.
func (f *files) putNames(tx *bolt.Tx, run string, data []byte) error {
	for hash := range format.HashesIn(data) {
		for letter, sort := range sortNames {
			if _, err := os.Stat(f.path(sort, string(hash))); err != nil {
				continue
			}
			if err := tx.Bucket(bucketFiles).Put(fileKey(run, hash), []byte(letter)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileKey begins with the run, so that the files of a run are neighbours.
func fileKey(run string, hash []byte) []byte {
	return append(append([]byte(run), 0), hash...)
}

// sizeOf returns the size of the files that a run names, without those already
// counted.
func (f *files) sizeOf(tx *bolt.Tx, run string, counted map[string]bool) (size int64) {
	prefix := fileKey(run, nil)
	c := tx.Bucket(bucketFiles).Cursor()
	for k, letter := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, letter = c.Next() {
		hash := string(k[len(prefix):])
		if counted[hash] {
			continue
		}
		counted[hash] = true
		if info, err := os.Stat(f.path(sortNames[string(letter)], hash)); err == nil {
			size += info.Size()
		}
	}
	return size
}

// collect removes the files of a sort that are not named.
func (f *files) collect(ctx context.Context, sort engine.FileSort, named map[string]bool, done *engine.Pruned) error {
	dir := sortDir(f.dir, sort)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if hash := hashInName(e.Name()); named[hash] || !format.IsHash(hash) {
			continue
		}
		if err := f.collectFile(filepath.Join(dir, e.Name()), done); err != nil {
			return err
		}
	}
	return explain(dir, err)
}

// collectFile removes a file unless it is young.
func (f *files) collectFile(path string, done *engine.Pruned) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < collectAfter {
		return nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err == nil {
		done.Files, done.Bytes = done.Files+1, done.Bytes+info.Size()
	}
	return explain(path, err)
}

// check reads the files of a sort and compares them with their names.
func (f *files) check(ctx context.Context, r *engine.Checkup, sort engine.FileSort) error {
	entries, err := os.ReadDir(sortDir(f.dir, sort))
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hash := hashInName(e.Name())
		if !format.IsHash(hash) {
			note(r, "", "%s has a file that is not the store's: %s", sort, e.Name())
			continue
		}
		r.Files++
		content, err := os.ReadFile(f.path(sort, hash))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile; or checkNames reports it
		}
		if err != nil || format.HashOf(content) != hash {
			note(r, "", "%s: %s does not match its hash", sort, e.Name())
		}
	}
	return explain(f.dir, err)
}

// Put stores content under its hash, durably when it returns. Documents go
// into the database, so that a copy of the database can resume its runs; the
// other sorts are files.
func (s *Store) Put(ctx context.Context, sort engine.FileSort, content []byte) (string, error) {
	if ctx.Err() != nil {
		return "", fmt.Errorf("storing %s: %w", sort, context.Cause(ctx))
	}
	hash := format.HashOf(content)
	var err error
	switch sort {
	case engine.Documents:
		err = s.putDocument(hash, content)
	case engine.Captures, engine.Artifacts:
		err = s.files.put(s.files.path(sort, hash), content)
	default:
		err = fmt.Errorf("unknown sort of file %q", sort)
	}
	if err != nil {
		return "", fmt.Errorf("storing %s: %w", sort, err)
	}
	return hash, nil
}

// putDocument looks and writes while nobody else commits, because pruning must
// not remove the document in between.
func (s *Store) putDocument(hash string, content []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.get(engine.Documents, hash)
	if errors.Is(err, engine.ErrNoFile) {
		err = s.update(func(tx *bolt.Tx) error {
			return tx.Bucket(bucketDocuments).Put([]byte(hash), content)
		})
	}
	if err == nil {
		s.putHere[hash] = true
	}
	return err
}

// Get reads content by its hash, and verifies the hash.
func (s *Store) Get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", sort, context.Cause(ctx))
	}
	content, err := s.get(sort, hash)
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", sort, hash, err)
	}
	if format.HashOf(content) != hash {
		return nil, &Error{Path: s.files.path(sort, hash), Err: ErrDamaged, Found: "its content does not match its hash", Next: "see what else is damaged with: " + checkCommand}
	}
	return content, nil
}

func (s *Store) get(sort engine.FileSort, hash string) (content []byte, err error) {
	if !format.IsHash(hash) {
		return nil, engine.ErrNoFile
	}
	if sort != engine.Documents {
		content, err = os.ReadFile(s.files.path(sort, hash))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, engine.ErrNoFile
		}
		return content, err
	}
	err = s.view(func(tx *bolt.Tx) error {
		text := tx.Bucket(bucketDocuments).Get([]byte(hash))
		if text == nil {
			return engine.ErrNoFile
		}
		content = bytes.Clone(text)
		return nil
	})
	return content, err
}
