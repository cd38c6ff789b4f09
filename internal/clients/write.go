package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"understudy/internal/wholefile"
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
		return "", wholefile.Write(path, text, mode)
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
	if err := wholefile.Write(backup, old, mode); err != nil {
		return "", err
	}
	return backup, wholefile.Write(path, text, mode)
}
