package kinds

import (
	"context"
	"image"
	"image/color"
	"testing"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/fake"
)

// lateScreen is a screen on which all is black until it was looked at often.
type lateScreen struct {
	desktop.Screen
	looks, until int
}

func (s *lateScreen) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	p, err := s.Screen.Capture(ctx, area)
	if s.looks++; err == nil && s.looks <= s.until {
		p = image.NewRGBA(p.Rect)
	}
	return p, err
}

func TestAnApplicationIsOpenWhenItsWindowIsDrawn(t *testing.T) {
	for _, row := range []struct {
		sentence string
		until    int // for so many looks the window is blank
		least    int // of looks
	}{
		{"a window that is drawn at once", 0, 1},
		{"a window that is drawn later", 4, 5},
		{"a window that stays blank", 1 << 30, 2},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			f := fake.New(fake.MustParse(notes)...)
			f.Install("editor", func() *fake.Node { return fake.Window("Text", "editor", fake.Button("Go")) })
			d := f.Desktop()
			screen := &lateScreen{Screen: d.Screen, until: row.until}
			d.Screen = screen
			o := OpenApplication.Run(t.Context(), &steps.Env{Desktop: d}, map[string]any{"app_name": "editor"})
			if o.Err != nil || o.Result["window"] == nil {
				t.Fatalf("got %v, %v", o.Result, o.Err)
			}
			if screen.looks < row.least {
				t.Errorf("it was open after %d looks, wanted %d", screen.looks, row.least)
			}
		})
	}
}

func TestBlank(t *testing.T) {
	picture := func(dot color.Color) *image.RGBA {
		p := image.NewRGBA(image.Rect(0, 0, 20, 10))
		p.Set(19, 9, dot)
		return p
	}
	for _, row := range []struct {
		sentence string
		picture  *image.RGBA
		want     bool
	}{
		{"one colour", picture(color.Transparent), true},
		{"one dot of another", picture(color.White), false},
		{"no picture at all, as of a window off the screen", image.NewRGBA(image.Rectangle{}), false},
	} {
		if got := blank(row.picture); got != row.want {
			t.Errorf("%s: got %v", row.sentence, got)
		}
	}
}
