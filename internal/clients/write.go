package clients

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// BackupEnding is what the name of the file that was there before ends with.
const BackupEnding = ".before-understudy"

// Replace puts a new text into a file, whole or not at all, and keeps the old
// one beside it. It says where, or nothing when there was no file. A link stays
// one; a file that says the same already is not touched. A file that is to hold a
// secret is for its owner only from then on.
func Replace(path string, text []byte, secret bool) (backup string, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.ReadFile(path)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", put(path, text, mode)
	case err != nil:
		return "", err
	case bytes.Equal(old, text) && !secret:
		return "", nil
	case bytes.Equal(old, text):
		return "", os.Chmod(path, mode)
	}
	if info, err := os.Stat(path); err == nil && !secret {
		mode = info.Mode().Perm()
	}
	backup = path + BackupEnding
	if err := put(backup, old, mode); err != nil {
		return "", err
	}
	return backup, put(path, text, mode)
}

// put writes a file beside its place, and moves it there.
func put(path string, text []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".understudy-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
