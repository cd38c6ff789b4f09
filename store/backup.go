package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// Backup makes a folder that is a whole store: the database as it is now, and
// the files. The store can be used meanwhile. The folder must be new or empty.
func (s *Store) Backup(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := EmptyFolder(dir); err != nil {
		return err
	}
	if err := s.flush(); err != nil {
		return err
	}
	if err := makeFolders(dir); err != nil {
		return err
	}
	// The files of an event are there before it, so those of the copied events
	// are found if the database is copied first.
	if err := s.copyDatabase(filepath.Join(dir, databaseName)); err != nil {
		return err
	}
	for _, sort := range []engine.FileSort{engine.Captures, engine.Artifacts} {
		if err := copyFiles(ctx, sortDir(s.dir, sort), sortDir(dir, sort)); err != nil {
			return fmt.Errorf("copying %s: %w", sort, err)
		}
	}
	if err := (identity{Store: s.id.Store}).write(dir); err != nil {
		return err
	}
	return s.noteBackup(dir)
}

func (s *Store) noteBackup(dir string) error {
	s.files.Lock()
	defer s.files.Unlock()
	s.id.Backup, s.id.BackupAt = dir, time.Now().UTC()
	return s.id.write(s.dir)
}

// EmptyFolder makes a folder for a backup, or says that there is something in it.
func EmptyFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return explain(dir, err)
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s: wanted an empty folder for the backup, found %s in it; name another", dir, entries[0].Name())
	}
	return err
}

// copyDatabase writes the database as it is now to a file, whole or not at
// all.
func (s *Store) copyDatabase(path string) error {
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return explain(part, err)
	}
	err = s.view(func(tx *bolt.Tx) error {
		_, err := tx.WriteTo(f)
		return err
	})
	return finish(f, part, path, err)
}

// finish makes a file that was written durable under its name, or removes it.
func finish(f *os.File, part, path string, err error) error {
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = renameDurably(part, path)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return explain(path, err)
}

// copyFiles puts the files of a folder into another, by a second name where
// that is possible: they never change.
func copyFiles(ctx context.Context, from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return explain(from, err)
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if os.Link(source, target) == nil {
			continue
		}
		// Pruning may have removed it: then no event of the copy needs it.
		if err := copyFile(source, target); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return explain(to, syncDir(to))
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	part := to + ".part"
	out, err := os.OpenFile(part, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return explain(part, err)
	}
	_, err = io.Copy(out, in)
	return finish(out, part, to, err)
}

// Restore puts the database of a backup into a folder, with the files that the
// folder lacks. The database that is there is kept under another name, which
// Restore returns; empty when there was none. Nobody may have the store open.
func Restore(ctx context.Context, dir, backup string, o Options) (aside string, err error) {
	o = o.withDefaults()
	source := filepath.Join(backup, databaseName)
	if err := checkFile(source); err != nil {
		return "", fmt.Errorf("the backup cannot be used: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", explain(dir, err)
	}
	l, err := lockFolder(dir, o.Wait, o.Command)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.release(nil)) }()
	if err := makeFolders(dir); err != nil {
		return "", err
	}
	for _, sort := range []engine.FileSort{engine.Captures, engine.Artifacts} {
		if err := copyFiles(ctx, sortDir(backup, sort), sortDir(dir, sort)); err != nil {
			return "", err
		}
	}
	return replaceDatabase(dir, source)
}

// replaceDatabase puts a copy of a database in the place of the one in a
// folder. At every moment the folder has one, or says that one is missing.
func replaceDatabase(dir, source string) (aside string, err error) {
	copied := filepath.Join(dir, partialName, databaseName)
	if err := copyFile(source, copied); err != nil {
		return "", err
	}
	path := filepath.Join(dir, databaseName)
	if _, err := os.Stat(path); err == nil {
		aside = path + ".replaced-" + time.Now().UTC().Format("20060102T150405Z")
		if err := renameDurably(path, aside); err != nil {
			return "", explain(aside, err)
		}
	}
	// The identity is taken from the database when the store is opened next.
	if err := os.Remove(filepath.Join(dir, identityName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return aside, explain(dir, err)
	}
	return aside, explain(path, renameDurably(copied, path))
}

func checkFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return explain(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return explain(path, err)
	}
	m, _, err := readMeta(f)
	if errors.Is(err, errNoMeta) {
		return &Error{Path: path, Err: ErrNotDatabase, Found: err.Error()}
	}
	if err == nil {
		_, err = checkPages(f, info.Size(), m, true)
	}
	if err != nil {
		return &Error{Path: path, Err: ErrDamaged, Found: err.Error()}
	}
	return nil
}
