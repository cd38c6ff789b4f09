package local_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// A placer is a compositor that is asked, past all that is tested, to do with windows
// what an application of Wayland cannot do with its own.
type placer interface {
	// placed are where each window is, and what is drawn in it, by title.
	placed() (map[string][2]desktop.Rect, error)
	// reset gives the window of the contract its place, and raises it.
	reset() error
	// raise puts a window to the corner of an area, above all others, as soon as it is there.
	raise(title string, at desktop.Rect) error
}

// placedApp is the application of the contract in a session of Wayland. It does not
// know there where its windows are, nor can it place or raise them: its placer does.
type placedApp struct {
	*desktoptest.Program
	placer
}

// Do has the application do something, and its windows placed as it would itself.
func (a placedApp) Do(command string) error {
	name, arg, _ := strings.Cut(command, " ")
	var at desktop.Rect
	switch name {
	case "open", "cover":
		under := arg
		if name == "open" {
			under = "Canvas"
		} else {
			arg = "Cover"
		}
		boxes, err := a.Boxes()
		if err != nil {
			return err
		}
		at = boxes[under]
	case "reset":
		if err := a.reset(); err != nil {
			return err
		}
	}
	if err := a.Program.Do(command); err != nil || at.Empty() {
		return err
	}
	return a.raise(arg, at)
}

// Boxes are where the application draws, in the windows where they are placed.
func (a placedApp) Boxes() (map[string]desktop.Rect, error) {
	boxes, err := a.Program.Boxes()
	if err != nil {
		return nil, err
	}
	windows, err := a.placed()
	if err != nil {
		return nil, err
	}
	for name, b := range boxes {
		in := "Contract"
		if title, found := strings.CutPrefix(name, "In "); found {
			in = title
		}
		w, isWindow := windows[name]
		if isWindow {
			boxes[name] = w[0]
			continue
		}
		b.X, b.Y = b.X+windows[in][1].X, b.Y+windows[in][1].Y
		boxes[name] = b
	}
	return boxes, nil
}

// keepsTheContract holds a session to the contract, but for the sentences that it lacks,
// which the page on Wayland names.
func keepsTheContract(t *testing.T, s *virtualtest.Session, p placer, lacks map[string]string) {
	s.Enter(t)
	keepsTheContractAs(t, s, p, lacks, desktop.Options{Display: s.Wayland, Dir: scratch.Dir(t)})
}

// keepsTheContractAs is keepsTheContract in a session that was entered and is opened
// in a certain way.
func keepsTheContractAs(t *testing.T, s *virtualtest.Session, p placer, lacks map[string]string, o desktop.Options) {
	virtualtest.Need(t, "/usr/bin/python3")
	for sentence := range lacks {
		if page, err := os.ReadFile("../../../docs/wayland.md"); err != nil || !strings.Contains(string(page), "\n| "+sentence+" | ") {
			t.Errorf("the page on Wayland does not say that this is not held: %s (%v)", sentence, err)
		}
	}
	desktoptest.Run(t, func(t *testing.T) *desktoptest.System {
		d := open(t, o)
		app := desktoptest.Start(t, s.Env())
		person := sync.OnceValue(func() *desktop.Desktop { return open(t, o) })
		return &desktoptest.System{
			Desktop: d, App: placedApp{app, p}, Launch: app.Another("Launched"), Launched: "Launched", Lacks: lacks,
			Person: func(k desktop.Key) error {
				return person().Do(t.Context(), desktop.Press{Chord: desktop.Chord{Key: k}})
			},
			PersonClicks: func(b desktop.Button) error {
				return errors.Join(person().Do(t.Context(), desktop.ButtonDown{Button: b}), person().Do(t.Context(), desktop.ButtonUp{Button: b}))
			},
		}
	})
}
