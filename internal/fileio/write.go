package fileio

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces a file atomically, and creates its folder if necessary. After a crash
// the file is complete, with its old or its new content. Nothing is locked: of two
// concurrent writers, one wins.
func Write(path string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*") // beside it, so that the rename stays on one disk
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err = cmp.Or(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Replace is Write for a file that people arrange: a link stays a link, and a file keeps its
// permissions. The mode is for a new file.
func Replace(path string, content []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return Write(path, content, mode)
}
