package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/internal/filelock"
)

// The pictures of recordings lie beside the saved workflows, in a folder for
// each recording: workflows/pictures/20261121T150405.000/7.png. A workflow names
// few of them, and one that is never saved none.

const (
	// PicturesName is the folder of the pictures of recordings among the saved
	// workflows.
	PicturesName = "pictures"
	// unnamedStay is how long after the recording a picture may be there before a
	// workflow names it: who has the text can still save it.
	unnamedStay = 24 * time.Hour
	// holdEnding is that of the file which is locked while a recording is made.
	holdEnding = ".lock"
)

// HoldPictures keeps the pictures of a recording, which are in a folder of
// their own, from being pruned until they are released; "" is no folder.
func HoldPictures(folder string) (release func(), err error) {
	if folder == "" {
		return func() {}, nil
	}
	path := folder + holdEnding
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, explain(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain(path, err)
	}
	if err := filelock.Try(f); err != nil {
		_ = f.Close()
		return nil, explain(path, err)
	}
	return func() {
		now := time.Now()
		_ = os.Chtimes(folder, now, now) // it has ended now; there is none without a picture
		_ = f.Close()
		_ = os.Remove(path)
	}, nil
}

// held says whether a recording that writes its pictures to a folder is under way, in a
// program that still lives.
func held(folder string) (bool, error) {
	path := folder + holdEnding
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, explain(path, err)
	}
	defer f.Close()
	err = filelock.Try(f)
	if err != nil && !filelock.Held(err) {
		return false, explain(path, err)
	}
	return err != nil, nil
}

// collectPictures removes the pictures of recordings that no saved workflow
// names, and no run that is kept.
func (s *Store) collectPictures(ctx context.Context, done *Pruned) error {
	if s.workflows == "" {
		return nil
	}
	old, err := s.oldRecordings()
	if err != nil || len(old) == 0 {
		return err
	}
	if err := old.readAll(ctx, s.workflows); err != nil {
		return err
	}
	if err := s.readDocuments(old.read); err != nil {
		return err
	}
	for name, r := range old {
		if err := r.collect(ctx, filepath.Join(s.workflows, PicturesName, name), done); err != nil {
			return err
		}
	}
	return nil
}

// recordings are those whose pictures may go, by the names of their folders.
type recordings map[string]*pictures

// pictures are those of one recording that something names.
type pictures struct {
	all   bool // the folder is named
	named map[string]bool
}

// oldRecordings are those that ended long enough ago.
func (s *Store) oldRecordings() (recordings, error) {
	root := filepath.Join(s.workflows, PicturesName)
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(root, err)
	}
	old := recordings{}
	for _, e := range entries {
		path := filepath.Join(root, e.Name())
		info, err := e.Info()
		if err != nil || !e.IsDir() || time.Since(info.ModTime()) < unnamedStay {
			continue
		}
		under, err := held(path)
		if err != nil {
			return nil, err
		}
		if !under {
			old[e.Name()] = &pictures{named: map[string]bool{}}
		}
	}
	return old, nil
}

// readAll reads every file below a folder but the pictures themselves, also
// through links. One that cannot be read may name any picture, so it is an error.
func (all recordings) readAll(ctx context.Context, folder string) error {
	seen := map[string]bool{}
	var visit func(path string, top bool) error
	visit = func(path string, top bool) error {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) || seen[real] {
			return nil // a link to nothing, or what was read
		}
		if err != nil {
			return unread(path, err)
		}
		seen[real] = true
		info, err := os.Stat(real)
		if err != nil {
			return unread(path, err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(real)
			all.read(text)
			return unread(path, err)
		case !info.IsDir():
			return nil
		}
		entries, err := os.ReadDir(real)
		for _, e := range entries {
			if top && e.Name() == PicturesName {
				continue
			}
			err = errors.Join(err, visit(filepath.Join(path, e.Name()), false))
		}
		return unread(path, err)
	}
	return visit(folder, true)
}

// unread is the error of what cannot be read, and so may name every picture.
func unread(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("looking which pictures of recordings %s names: %w", path, err)
}

// aPicture is how a text goes on after a recording's name where it names one
// picture.
var aPicture = regexp.MustCompile(`^/([0-9]+\.png)`)

// read notes which pictures a text names.
func (all recordings) read(text []byte) {
	for name, r := range all {
		for rest := text; ; {
			i := bytes.Index(rest, []byte(name))
			if i < 0 {
				break
			}
			rest = rest[i+len(name):]
			if m := aPicture.FindSubmatch(rest); m != nil {
				r.named[string(m[1])] = true
			} else {
				r.all = true
			}
		}
	}
}

// readDocuments reads the texts that the runs began with.
func (s *Store) readDocuments(read func([]byte)) error {
	return s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketDocuments).ForEach(func(_, text []byte) error {
			read(text)
			return nil
		})
	})
}

// collect removes what is not named of the pictures in a folder, and the folder
// with the last.
func (r *pictures) collect(ctx context.Context, folder string, done *Pruned) error {
	if r.all {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return explain(folder, err)
	}
	left := len(entries)
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if aPicture.FindString("/"+e.Name()) != "/"+e.Name() || !e.Type().IsRegular() || r.named[e.Name()] {
			continue
		}
		info, err := e.Info()
		if err == nil {
			err = os.Remove(filepath.Join(folder, e.Name()))
		}
		if err != nil {
			return explain(folder, err)
		}
		left--
		done.Files, done.Bytes = done.Files+1, done.Bytes+info.Size()
	}
	if left > 0 {
		return nil
	}
	if err := os.Remove(folder); err != nil {
		return fmt.Errorf("a recording without pictures: %w", explain(folder, err))
	}
	if err := os.Remove(folder + holdEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(folder, err)
	}
	return nil
}
