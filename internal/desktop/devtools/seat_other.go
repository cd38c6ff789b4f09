//go:build !unix

package devtools

import (
	"os/exec"

	"understudy/internal/desktop"
)

// Seat holds no pipes here, so that no browser is connected.
type Seat struct {
	Dir string
	desktop.NoBrowsers
}

// Start starts a program.
func (Seat) Start(_ *exec.Cmd, start func() error) error { return start() }
