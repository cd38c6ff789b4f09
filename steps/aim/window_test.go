package aim

import (
	"context"
	"testing"

	"understudy/internal/desktop"
)

type windowList []desktop.Window

func (l windowList) Windows(context.Context) ([]desktop.Window, error) { return l, nil }

func TestAPointIsInTheWindowThatAPersonWorksWith(t *testing.T) {
	box := desktop.Rect{W: 300, H: 200}
	window := func(id desktop.WindowID) desktop.Window {
		return desktop.Window{ID: id, Process: "soffice.bin", Bounds: box}
	}
	active, splash, empty, popup := window(2), window(3), window(4), window(5)
	active.Active, splash.Splash, empty.Bounds, popup.Popup = true, true, desktop.Rect{}, true
	for _, row := range []struct {
		sentence string
		windows  windowList // from the bottom to the top
		process  string
		want     desktop.WindowID
	}{
		{"the topmost", windowList{window(1), window(6)}, "soffice", 6},
		{"the active one goes before what is kept above it", windowList{active, window(6)}, "soffice", 2},
		{"what shows nothing to work with is passed by", windowList{window(1), splash, empty, popup}, "soffice", 1},
		{"the active one, when no process is named", windowList{window(1), active, window(6)}, "", 2},
		{"none", windowList{splash}, "soffice", 0},
	} {
		w, err := topmostWindow(t.Context(), &desktop.Desktop{WindowLister: row.windows}, row.process)
		if w.ID != row.want || (err == nil) != (row.want != 0) {
			t.Errorf("%s: got %d (%v), want %d", row.sentence, w.ID, err, row.want)
		}
	}
}
