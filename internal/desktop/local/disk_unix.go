//go:build linux || darwin

package local

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"understudy/internal/desktop"
)

// leastSpace is the free space that captures and events need.
const leastSpace = 500 << 20

func diskFinding(dir string) desktop.Finding {
	dir = cmp.Or(dir, os.TempDir())
	for !exists(dir) && dir != filepath.Dir(dir) { // it is created later
		dir = filepath.Dir(dir)
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return finding("disk", true)("", fmt.Errorf("%s: %w", dir, err))
	}
	free := int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // its type is not the same on every system
	f := finding("disk", true)(fmt.Sprintf("%d MB free in %s", free>>20, dir), nil)
	if free < leastSpace {
		f.OK, f.Mend = false, "understudy runs prune"
	}
	return f
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
