package desktop

import (
	"errors"
	"slices"
	"testing"
)

func TestTheWindowAtAPoint(t *testing.T) {
	at, here, elsewhere := Point{5, 5}, Rect{0, 0, 10, 10}, Rect{50, 50, 10, 10}
	for what, c := range map[string]struct {
		windows        Windows
		meant, pressed WindowID
	}{
		"none is there":                                {Windows{{ID: 1, Bounds: elsewhere}}, 0, 0},
		"the upper of two":                             {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: here}}, 2, 2},
		"a minimized window shows nowhere":             {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: here, Minimized: true}}, 1, 1},
		"nor does one of another workspace":            {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: here, Hidden: true}}, 1, 1},
		"a menu is meant":                              {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: here, Popup: true}}, 2, 2},
		"a tooltip takes a press, and no one means it": {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: here, Popup: true, Tooltip: true}}, 1, 2},
		"a tooltip beside the point":                   {Windows{{ID: 1, Bounds: here}, {ID: 2, Bounds: elsewhere, Popup: true, Tooltip: true}}, 1, 1},
	} {
		if got := idOf(c.windows.At(at)); got != c.meant {
			t.Errorf("%s: %d is meant, want %d", what, got, c.meant)
		}
		if got := idOf(c.windows.PressedAt(at)); got != c.pressed {
			t.Errorf("%s: a press reaches %d, want %d", what, got, c.pressed)
		}
	}
}

func idOf(w *Window) WindowID {
	if w == nil {
		return 0
	}
	return w.ID
}

func TestWindowsAreFound(t *testing.T) {
	ws := Windows{
		{ID: 1, PID: 7, Process: "gedit", Title: "Notes"},
		{ID: 2, PID: 8, Process: "xterm", Title: "shell", Active: true},
		{ID: 3, PID: 7, Process: "gedit", Title: "Save?", Modal: true},
		{ID: 4, PID: 9, Process: "calc"},
	}
	ids := func(ws Windows) (all []WindowID) {
		for _, w := range ws {
			all = append(all, w.ID)
		}
		return all
	}
	for what, c := range map[string]struct{ got, want []WindowID }{
		"the one with an id":                   {[]WindowID{idOf(ws.ByID(3))}, []WindowID{3}},
		"an id that no window has":             {[]WindowID{idOf(ws.ByID(9))}, []WindowID{0}},
		"the active one":                       {[]WindowID{idOf(ws.Active())}, []WindowID{2}},
		"no window is active":                  {[]WindowID{idOf(ws[:1].Active())}, []WindowID{0}},
		"a program's, in their order":          {ids(ws.Of(Scope{Process: "Gedit.exe"})), []WindowID{1, 3}},
		"a program's with a title":             {ids(ws.Of(Scope{Process: "gedit", Title: "note"})), []WindowID{1}},
		"a title with other blanks":            {ids(Windows{{ID: 5, Title: "Notes\u00a0 -  Editor"}}.Of(Scope{Title: "notes - editor"})), []WindowID{5}},
		"a process's":                          {ids(ws.Of(Scope{PID: 9})), []WindowID{4}},
		"one window":                           {ids(ws.Of(Scope{Window: 4})), []WindowID{4}},
		"all":                                  {ids(ws.Of(Scope{})), []WindowID{1, 2, 3, 4}},
		"a dialog blocks its program's window": {[]WindowID{idOf(ws.Blocker(1))}, []WindowID{3}},
		"and none of another program":          {[]WindowID{idOf(ws.Blocker(2))}, []WindowID{0}},
		"nor itself":                           {[]WindowID{idOf(ws.Blocker(3))}, []WindowID{0}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
}

func TestWindowsThatCannotBeListed(t *testing.T) {
	d := &Desktop{WindowLister: Unavailable{Err: ErrUnavailable}}
	_, err := d.Windows(t.Context())
	if !errors.Is(err, ErrUnavailable) || err.Error() != "listing the windows: "+ErrUnavailable.Error() {
		t.Errorf("the error is %v", err)
	}
}
