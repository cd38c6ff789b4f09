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

	"understudy/engine"
	"understudy/internal/fileio"
)

// The pictures of recordings are beside the saved workflows, in a folder for
// each recording: workflows/pictures/20261121T150405.000/7.png. A saved workflow
// names few of them. A recording may never be saved as a workflow.

const (
	// PicturesName is the folder of the pictures of recordings among the saved
	// workflows.
	PicturesName = "pictures"
	// unnamedStay is how long after the recording a picture is kept that no
	// workflow names: somebody may still save the workflow.
	unnamedStay = 24 * time.Hour
	// holdEnding is the ending of the file that is locked during a recording.
	holdEnding = ".lock"
)

// HoldPictures keeps the folder with the pictures of a recording from being
// pruned until it is released; "" means no folder.
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
	if err := fileio.TryLock(f); err != nil {
		_ = f.Close()
		return nil, explain(path, err)
	}
	return func() {
		now := time.Now()
		_ = os.Chtimes(folder, now, now) // when the recording ended; without a picture there is no folder
		_ = f.Close()
		_ = os.Remove(path)
	}, nil
}

// held reports whether a live process is still recording into a folder.
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
	err = fileio.TryLock(f)
	if err != nil && !fileio.IsLocked(err) {
		return false, explain(path, err)
	}
	return err != nil, nil
}

// collectPictures removes the pictures of recordings that neither a saved
// workflow nor the document of a kept run names.
func (s *Store) collectPictures(ctx context.Context, done *engine.Pruned) error {
	if s.workflows == "" {
		return nil
	}
	root := filepath.Join(s.workflows, PicturesName)
	old, err := oldRecordings(root)
	if err != nil || len(old) == 0 {
		return err
	}
	if err := old.readAll(ctx, s.workflows); err != nil {
		return err
	}
	err = s.view(func(tx *bolt.Tx) error {
		return tx.Bucket(bucketDocuments).ForEach(func(_, text []byte) error {
			old.read(text)
			return nil
		})
	})
	for name, r := range old {
		if err == nil {
			err = r.collect(ctx, filepath.Join(root, name), done)
		}
	}
	return err
}

// recordings are recordings whose pictures may be removed, by their folders.
type recordings map[string]*pictures

// pictures are the pictures of one recording that something names.
type pictures struct {
	all   bool // something names the folder
	named map[string]bool
}

// oldRecordings returns the recordings that ended at least unnamedStay ago.
func oldRecordings(root string) (recordings, error) {
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

// readAll reads every file below a folder except the pictures, also through
// links. A file that cannot be read may name any picture, so that is an error.
func (all recordings) readAll(ctx context.Context, folder string) error {
	seen := map[string]bool{}
	var visit func(path string) error
	visit = func(path string) error {
		if path == filepath.Join(folder, PicturesName) {
			return nil
		}
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) || seen[real] {
			return nil // a link to nothing, or a file that was read already
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
			err = errors.Join(err, visit(filepath.Join(path, e.Name())))
		}
		return unread(path, err)
	}
	return visit(folder)
}

// unread wraps the error of a file that cannot be read, and so may name any
// picture.
func unread(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("looking which pictures of recordings %s names: %w", path, err)
}

// aPicture matches what follows the name of a recording in a text that names
// one of its pictures.
var aPicture = regexp.MustCompile(`^/([0-9]+\.png)`)

// read notes the pictures that a text names.
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

// collect removes the pictures in a folder that nothing names, and the folder
// once it is empty.
func (r *pictures) collect(ctx context.Context, folder string, done *engine.Pruned) error {
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
