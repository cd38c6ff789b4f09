package local

import (
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// TestSeatNeedsADisplay opens the display of the environment, and none where there
// is none.
func TestSeatNeedsADisplay(t *testing.T) {
	x := virtualtest.Start(t)
	t.Setenv("DISPLAY", x.Name())
	t.Setenv("XAUTHORITY", x.Authority())
	d, err := Machine{}.Open(t.Context(), desktop.Options{Display: desktop.Seat, Dir: scratch.Dir(t)})
	if err != nil {
		t.Fatal(err)
	}
	if i, err := d.Info(t.Context()); err != nil || i.Virtual || i.Name != "" {
		t.Errorf("the seat is %+v, %v", i, err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	select {
	case <-x.Done():
		t.Error("the seat was ended")
	default:
	}
	t.Setenv("DISPLAY", "")
	if _, err := (Machine{}).Open(t.Context(), desktop.Options{Display: desktop.Seat}); err == nil || !strings.Contains(err.Error(), "DISPLAY is not set") {
		t.Errorf("without a display: %v", err)
	}
}
