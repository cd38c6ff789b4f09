package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Backup writes a whole store to a folder: the database as it is now, and the
// files. The store can be used meanwhile. The folder must be new or empty.
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
	// Files are stored before the events that name them, so the files of all
	// copied events are found if the database is copied first. It gets its name
	// last, so a backup that was cut short cannot be taken for a whole one.
	copied := filepath.Join(dir, partialName, databaseName)
	if err := s.copyDatabase(copied); err != nil {
		return err
	}
	for _, sort := range sortNames {
		if err := copyFiles(ctx, sortDir(s.dir, sort), sortDir(dir, sort)); err != nil {
			return fmt.Errorf("copying %s: %w", sort, err)
		}
	}
	if err := renameDurably(copied, filepath.Join(dir, databaseName)); err != nil {
		return explain(dir, err)
	}
	if err := (identity{Store: s.id.Store}).write(dir); err != nil {
		return err
	}
	s.files.mu.Lock()
	defer s.files.mu.Unlock()
	s.id.Backup, s.id.BackupAt = dir, time.Now().UTC()
	return s.id.write(s.dir)
}

// EmptyFolder creates a folder for a backup, or returns an error if something is
// in it.
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

// copyDatabase writes the database as it is now to a file.
func (d *database) copyDatabase(path string) error {
	return writePart(path, func(f *os.File) error {
		return d.view(func(tx *bolt.Tx) error {
			_, err := tx.WriteTo(f)
			return err
		})
	})
}

// writePart writes a file beside path and renames it when it is complete.
func writePart(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return explain(path+".part", err)
	}
	return finish(f, path, write(f))
}

// copyFiles copies the files of a folder to another one. It makes hard links
// where possible, since the files never change.
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
		// Pruning may have removed the file: then no event of the copy needs it.
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
	return writePart(to, func(out *os.File) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// Restore copies the database of a backup into a folder, with the files that the
// folder lacks. An existing database is renamed; Restore returns its new name,
// or "" if there was none. It fails while the store is open.
func Restore(ctx context.Context, dir, backup string, o Options) (aside string, err error) {
	o = o.withDefaults()
	source := filepath.Join(backup, databaseName)
	if _, err := checkFile(source, nil); err != nil {
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
	for _, sort := range sortNames {
		if err := copyFiles(ctx, sortDir(backup, sort), sortDir(dir, sort)); err != nil {
			return "", err
		}
	}
	return replaceDatabase(dir, source)
}

// replaceDatabase replaces the database in a folder by a copy of another. At
// every moment the folder has a database, or an identity that says it had one.
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
	if err := renameDurably(copied, path); err != nil {
		return aside, explain(path, err)
	}
	// The identity is taken from the database when the store is opened next.
	if err := os.Remove(filepath.Join(dir, identityName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return aside, explain(dir, err)
	}
	return aside, nil
}
