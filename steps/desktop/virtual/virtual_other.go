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

func (d *Display) Name() string          { return "" }
func (d *Display) Authority() string     { return "" }
func (d *Display) Bus() string           { return "" }
func (d *Display) Env() []string         { return nil }
func (d *Display) ServerPID() int        { return 0 }
func (d *Display) Done() <-chan struct{} { return nil }
func (d *Display) Close() error          { return nil }
