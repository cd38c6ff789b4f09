//go:build !linux && !darwin

package local

import (
	"os"

	"understudy/internal/desktop"
)

// diskFinding reports only whether files can be written: the standard library does
// not report free space on this system.
func diskFinding(dir string) desktop.Finding {
	f, err := os.CreateTemp(dir, "understudy")
	if err != nil {
		return finding("disk", true)("", err)
	}
	f.Close()
	os.Remove(f.Name())
	return finding("disk", true)("files can be written", nil)
}
