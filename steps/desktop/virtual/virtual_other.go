//go:build !linux

package virtual

import (
	"context"

	"understudy/steps/desktop"
)

// Display is a running virtual display.
type Display struct{}

// Start fails: only Linux has virtual displays.
func Start(context.Context, Options) (*Display, error) {
	return nil, &desktop.MissingError{What: "virtual displays exist only on Linux"}
}

// Name is empty: there is no display.
func (d *Display) Name() string { return "" }

// Authority is empty: there is no display.
func (d *Display) Authority() string { return "" }

// Bus is empty: there is no display.
func (d *Display) Bus() string { return "" }

// Env is empty: there is no display.
func (d *Display) Env() []string { return nil }

// ServerPID is 0: there is no display.
func (d *Display) ServerPID() int { return 0 }

// Done is never closed: there is no display.
func (d *Display) Done() <-chan struct{} { return nil }

// Close has nothing to close.
func (d *Display) Close() error { return nil }
