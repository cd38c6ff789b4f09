package virtual

import (
	"context"
	"testing"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/testing/scratch"
)

// TestTheScreenIsNotBlack reads a pixel of the screen that no window covers.
func TestTheScreenIsNotBlack(t *testing.T) {
	need(t)
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	d, err := Start(ctx, Options{Dir: scratch.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x, err := d.connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	shot, err := xproto.GetImage(x.x, xproto.ImageFormatZPixmap, xproto.Drawable(x.root), 9, 9, 1, 1, ^uint32(0)).Reply()
	if err != nil {
		t.Fatal(err)
	}
	if got := uint32(shot.Data[0]) | uint32(shot.Data[1])<<8 | uint32(shot.Data[2])<<16; got != background {
		t.Errorf("the screen is %06x, want %06x", got, background)
	}
}
