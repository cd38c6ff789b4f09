//go:build linux

package wayland_test

import (
	"errors"
	"os"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
	"understudy/internal/testing/virtualtest"
)

// A session of KWin that does not allow this program to act is refused, with the command that allows
// it; the permission is read with the next connection.
func TestAtLengthKWinAllowsWhatIsConfigured(t *testing.T) {
	s := virtualtest.StartKWinThatForbids(t, desktop.Size{W: 640, H: 450}, 2)
	s.Enter(t)
	_, err := wayland.Open(t.Context(), wayland.Options{Display: s.Wayland})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || !missing.Wayland || !missing.Setup || missing.Mend != "understudy setup kwin" {
		t.Fatalf("got %v, want the command that allows it", err)
	}
	s.Allow(t)
	files := t.TempDir()
	t.Setenv("TMPDIR", files)
	d, err := wayland.Open(t.Context(), wayland.Options{Display: s.Wayland})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if left, err := os.ReadDir(files); err != nil || len(left) > 0 {
		t.Errorf("the files %v are left, %v", left, err)
	}
	all, err := d.Extensions(t.Context())
	if err != nil || len(all) == 0 {
		t.Errorf("its extensions are %v, %v", all, err)
	}
	for name, there := range all {
		if !there {
			t.Errorf("%s is missing", name)
		}
	}
	for _, to := range []desktop.Point{{X: 0, Y: 0}, {X: 321, Y: 177}, {X: 639, Y: 449}} {
		if err := d.Do(t.Context(), desktop.MovePointer{To: to}); err != nil {
			t.Fatal(err)
		}
		if at, err := d.Desktop().PointerPosition(t.Context()); err != nil || at != to {
			t.Errorf("the pointer is at %s, %v, want %s", at, err, to)
		}
	}
	monitors, err := d.Desktop().Monitors(t.Context())
	if err != nil || len(monitors) != 1 || monitors[0].Scale != 2 || monitors[0].Bounds != (desktop.Rect{W: 640, H: 450}) {
		t.Errorf("the monitors are %+v, %v", monitors, err)
	}
	picture, err := d.Desktop().Capture(t.Context(), desktop.Rect{X: 600, Y: 400, W: 100, H: 100})
	if err != nil || picture.Rect.Dx() != 40 || picture.Rect.Dy() != 50 {
		t.Errorf("a picture: %v, want one pixel for each point of the screen", err)
	}
}
