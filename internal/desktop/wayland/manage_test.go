//go:build linux

package wayland

import (
	"context"
	"errors"
	"testing"

	"understudy/internal/desktop"
)

// lostPlacement tells one window until it is to be closed; then the compositor is gone.
type lostPlacement struct {
	placement
	lost bool
}

func (p *lostPlacement) windows(context.Context) ([]desktop.Window, error) {
	if p.lost {
		return nil, desktop.ErrUnavailable
	}
	return []desktop.Window{{ID: 7}}, nil
}

func (p *lostPlacement) manage(context.Context, desktop.Window, desktop.Manage) error {
	p.lost = true
	return nil
}

// A compositor that is gone has not closed a window.
func TestAWindowOfALostSessionIsNotClosed(t *testing.T) {
	d := &Driver{place: &lostPlacement{}}
	if err := d.manage(t.Context(), desktop.Manage{Window: 7, Do: desktop.Close}); !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("got %v, want that the display is not available", err)
	}
}
