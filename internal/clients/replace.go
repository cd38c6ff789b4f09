package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"understudy/internal/fileio"
)

// BackupEnding is the ending of the name of the backup.
const BackupEnding = ".before-understudy"

// Replace replaces the text of a file atomically, and keeps the old one beside it. It
// returns the path of the backup, or nothing if there was no file. A link stays a
// link, and a file with the same text is not touched. A file that holds a secret
// becomes readable by its owner only.
func Replace(path string, text []byte, secret bool) (backup string, err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	old, err := os.ReadFile(path)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fileio.Write(path, text, mode)
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
	if err := fileio.Write(backup, old, mode); err != nil {
		return "", err
	}
	return backup, fileio.Write(path, text, mode)
}
