package engine

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// album keeps the files that are stored, in their order.
type album struct {
	Files
	files [][]byte
}

func (a *album) Put(_ context.Context, _ FileSort, content []byte) (string, error) {
	a.files = append(a.files, content)
	return "", nil
}

// TestAPictureThatEqualsTheLastIsThatOne holds that nobody is asked where the
// password fields are while nothing changes, and that they are black always.
func TestAPictureThatEqualsTheLastIsThatOne(t *testing.T) {
	d := fake.New(fake.MustParse(`
- frame "Notes" [process=notes] [at=0,0,400,400]
  - password "Secret" [at=100,70,200,24]
  - button "Save" [at=10,130,80,24]
`)...)
	defer d.Close()
	kept := &album{}
	c := &Camera{Files: kept}
	take := func(asked int) image.Image {
		t.Helper()
		before, done := d.Calls("Tree"), make(chan error)
		go c.Take(t.Context(), d.Desktop(), func(_ string, _ int, err error) { done <- err })
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if n := d.Calls("Tree") - before; n != asked {
			t.Errorf("it was asked %d times where the fields are, want %d", n, asked)
		}
		p, err := png.Decode(bytes.NewReader(kept.files[len(kept.files)-1]))
		if err != nil {
			t.Fatal(err)
		}
		if at := p.At(150, 80); at != (color.RGBA{A: 255}) {
			t.Errorf("the password field is %v", at)
		}
		return p
	}
	first := take(1)
	take(0)
	take(0)
	if !bytes.Equal(kept.files[0], kept.files[2]) {
		t.Error("equal pictures are two files")
	}
	d.Set(d.Find("name:Save"), func(e *desktop.Element) { e.Name = "Saved" })
	if second := take(1); second.At(50, 140) == first.At(50, 140) {
		t.Error("a change does not show")
	}
	take(0)
}

// spoilt is a screen whose pictures cannot be developed.
type spoilt struct{ desktop.Screen }

func (s spoilt) Snap(ctx context.Context) (func() *image.RGBA, error) {
	_, err := s.Screen.Snap(ctx)
	return func() *image.RGBA { panic("no such pixel") }, err
}

// TestAPictureThatCannotBeMadeEndsNothing takes pictures in the background, where a panic
// would end the process with all its runs.
func TestAPictureThatCannotBeMadeEndsNothing(t *testing.T) {
	d := fake.New()
	defer d.Close()
	bad := d.Desktop()
	bad.Screen = spoilt{bad.Screen}
	c := &Camera{Files: &album{}}
	take := func(on *desktop.Desktop) error {
		done := make(chan error)
		go c.Take(t.Context(), on, func(_ string, _ int, err error) { done <- err })
		return <-done
	}
	for range underWay + 1 {
		if err := take(bad); err == nil || !strings.Contains(err.Error(), "no such pixel") {
			t.Errorf("got %v, want why there is no picture", err)
		}
	}
	for range 2 {
		if err := take(d.Desktop()); err != nil {
			t.Error(err)
		}
	}
}
