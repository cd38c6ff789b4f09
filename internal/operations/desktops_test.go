package operations

import (
	"context"
	"image"
	"slices"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/steps"
)

// listed are keepers that only list desktops.
type listed []virtual.Kept

func (l listed) List() []virtual.Kept { return slices.Clone(l) }

func (l listed) Start(_ context.Context, o virtual.Options) (virtual.Kept, error) {
	return virtual.Kept{Name: o.Name}, nil
}

func (l listed) Picture(context.Context, virtual.Kept) (image.Image, error) { panic("not asked for") }

func (l listed) Run(context.Context, virtual.Kept, virtual.Program) (int, error) {
	panic("not asked for")
}

func (l listed) End(virtual.Kept, string) error { panic("not asked for") }

// TestHowManyDesktopsAClientStarts starts one where there may be one.
func TestHowManyDesktopsAClientStarts(t *testing.T) {
	for _, row := range []struct {
		sentence string
		there    listed
		busy     bool
	}{
		{"none is there", nil, false},
		{"the seat is no desktop that somebody started", listed{{Name: desktop.Seat}}, false},
		{"one is there", listed{{Name: "work", Birth: "b"}}, true},
	} {
		if _, err := startDesktop(t.Context(), row.there, DesktopCaller{Most: 1}, &startArgs{}); (err != nil) != row.busy || row.busy && steps.CodeOf(err) != steps.Busy {
			t.Errorf("%s: %v, wanted that it is refused: %t", row.sentence, err, row.busy)
		}
	}
}
