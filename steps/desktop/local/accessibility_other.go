//go:build !linux

package local

import (
	"context"
	"runtime"

	"understudy/steps/desktop"
)

func (*session) connectAccessibility(context.Context, *desktop.Desktop) (accessibility, error) {
	return nil, &desktop.MissingError{What: "elements cannot be read on " + runtime.GOOS + " yet, only on Linux"}
}
