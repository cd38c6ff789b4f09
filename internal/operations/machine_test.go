package operations

import (
	"context"
	"image/color"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/fake"
)

// inMemory is a machine with one desktop.
type inMemory struct {
	desktop.Machine

	desk *fake.Desktop
}

func (m inMemory) Open(context.Context, desktop.Options) (*desktop.Desktop, error) {
	return m.desk.Desktop(), nil
}

// TestAPictureOfADesktopHidesPasswords looks at the middle of a password field.
func TestAPictureOfADesktopHidesPasswords(t *testing.T) {
	desk := fake.New(fake.MustParse("- frame \"Login\":\n  - password \"PIN\": \"1234\"\n")...)
	at := desk.Get(desk.Find("role:password")).Bounds.Center()
	p, err := MachineDesktops{Machine: inMemory{desk: desk}}.Picture(t.Context(), virtual.Kept{Name: "main"})
	if err != nil {
		t.Fatal(err)
	}
	if got := color.RGBAModel.Convert(p.At(at.X, at.Y)); got != (color.RGBA{A: 255}) {
		t.Errorf("the field shows: %v", got)
	}
}
