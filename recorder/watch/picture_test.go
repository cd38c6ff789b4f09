package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// files are two equal icons above different names, and a third of another sort.
const files = `
- frame "Files" [process=files] [at=0,0,400,300]
  - panel [at=40,40,40,40]
  - label "a.txt" [at=40,84,40,10]
  - panel [at=240,40,40,40]
  - label "b.txt" [at=240,84,40,10]
  - button "Trash" [at=140,200,40,40]
`

// A picture shows as much as tells it from the rest of its window.
func TestAPictureIsDistinct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stand{Desktop: fake.New(fake.MustParse(files)...), t: t}
		defer s.Close()
		session, err := Start(t.Context(), s.Desktop.Desktop(), Options{Pictures: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		for at, want := range map[desktop.Point]desktop.Size{
			{X: 60, Y: 60}:   {W: 96, H: 64},
			{X: 160, Y: 220}: {W: 64, H: 28},
		} {
			_ = session.order(func(ctx context.Context) error {
				p, middle := session.recording.capture(ctx, at, nil)
				if p == nil || p.Rect.Dx() != want.W || p.Rect.Dy() != want.H || middle != at {
					t.Errorf("at %s the picture is %v around %s, want %v", at, p.Bounds(), middle, want)
				}
				return nil
			})
		}
		if _, err := session.Stop(); err != nil {
			t.Fatal(err)
		}
	})
}
