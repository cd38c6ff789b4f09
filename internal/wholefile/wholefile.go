// Package wholefile writes files that are there as they were before or as they
// are to be, whatever dies meanwhile, and are never seen in between. It locks
// nothing: of two that write at once, one wins.
package wholefile

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts a file into its place, in a folder that is made when there is none.
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
