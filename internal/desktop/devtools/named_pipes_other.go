//go:build !unix

package devtools

import (
	"context"
	"os/exec"

	"understudy/internal/desktop"
)

// NamedPipes holds no pipes here, so that no browser is connected.
type NamedPipes struct {
	Dir string
}

// Start starts a program.
func (NamedPipes) Start(_ *exec.Cmd, start func() error) error { return start() }

// Browsers lists nothing.
func (NamedPipes) Browsers(context.Context) ([]desktop.BrowserProcess, error) { return nil, nil }

// Browse finds nothing.
func (NamedPipes) Browse(context.Context, int) (desktop.Browser, error) {
	return nil, desktop.ErrNotFound
}
