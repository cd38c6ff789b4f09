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
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/keeping"
)

func sortDir(dir string, sort engine.FileSort) string { return filepath.Join(dir, string(sort)) }

func hashInName(name string) string { return strings.TrimSuffix(name, ".png") }

func (s *Store) filePath(sort engine.FileSort, hash string) string {
	name := hash
	if sort == engine.Captures {
		name += ".png"
	}
	return filepath.Join(sortDir(s.dir, sort), name)
}

// Put stores content under its hash, durable when it returns. A document goes
// into the database, so that a copy of that can resume its runs; the others
// are files.
func (s *Store) Put(ctx context.Context, sort engine.FileSort, content []byte) (string, error) {
	if ctx.Err() != nil {
		return "", fmt.Errorf("storing %s: %w", sort, context.Cause(ctx))
	}
	hash := keeping.HashOf(content)
	var err error
	switch sort {
	case engine.Documents:
		err = s.putDocument(hash, content)
	case engine.Captures, engine.Artifacts:
		err = s.putFile(s.filePath(sort, hash), content)
	default:
		err = fmt.Errorf("unknown sort of file %q", sort)
	}
	if err != nil {
		return "", fmt.Errorf("storing %s: %w", sort, err)
	}
	return hash, nil
}

// putDocument looks and writes while nobody else commits: pruning must not
// remove between the two what no run names yet.
func (s *Store) putDocument(hash string, content []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	have := false
	err := s.view(func(tx *bolt.Tx) error {
		have = tx.Bucket(bucketDocuments).Get([]byte(hash)) != nil
		return nil
	})
	if err == nil && !have {
		err = s.update(func(tx *bolt.Tx) error {
			return tx.Bucket(bucketDocuments).Put([]byte(hash), content)
		})
	}
	if err == nil {
		s.putHere[hash] = true
	}
	return err
}

// putFile writes a file unless it is there. Its time is that of the last Put:
// a file that no event names yet is young, and pruning leaves it alone.
func (s *Store) putFile(path string, content []byte) error {
	s.files.Lock()
	defer s.files.Unlock()
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(content)) {
		now := time.Now()
		return explain(path, os.Chtimes(path, now, now))
	}
	return writeWhole(filepath.Join(s.dir, partialName), path, content)
}

// Get reads content by its hash, and makes sure that it is that content.
func (s *Store) Get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading %s: %w", sort, context.Cause(ctx))
	}
	content, err := s.get(sort, hash)
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", sort, hash, err)
	}
	if keeping.HashOf(content) != hash {
		return nil, &Error{Path: s.filePath(sort, hash), Err: ErrDamaged, Found: "its content is not what its name says", Next: "see what else is with: " + checkCommand}
	}
	return content, nil
}

func (s *Store) get(sort engine.FileSort, hash string) (content []byte, err error) {
	if !keeping.IsHash(hash) {
		return nil, engine.ErrNoFile
	}
	if sort != engine.Documents {
		content, err = os.ReadFile(s.filePath(sort, hash))
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
