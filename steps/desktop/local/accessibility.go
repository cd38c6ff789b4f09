package local

import (
	"context"
	"runtime"

	"understudy/steps/desktop"
)

// addAccessibility gives a desktop its Elements, Controls and Focus, and
// returns what ends them. A desktop without an accessibility bus works; only
// the parts that need one say what is missing.
func (s *session) addAccessibility(_ context.Context, d *desktop.Desktop) (end func() error) {
	u := desktop.Unavailable{Err: noAccessibility()}
	d.Elements, d.Controls, d.Focus = u, u, u
	return nil
}

func noAccessibility() error {
	if runtime.GOOS != "linux" {
		return &desktop.MissingError{What: "elements cannot be read on " + runtime.GOOS + " yet, only on Linux"}
	}
	return &desktop.MissingError{What: "the accessibility bus does not answer", Mend: "apt-get install at-spi2-core"}
}
