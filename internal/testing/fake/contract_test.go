package fake_test

import (
	"context"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/fake"
)

// The desktop in memory keeps the contract of every desktop.
func TestContract(t *testing.T) {
	desktoptest.Run(t, func(*testing.T) *desktoptest.System {
		f := fake.New()
		f.Install("another", func() *fake.Node { return fake.Window("Another", "another") })
		return &desktoptest.System{
			Desktop: f.Desktop(), App: &application{Desktop: f}, Launch: "another", Launched: "Another",
			Person: func(k desktop.Key) error {
				f.Emit(desktop.InputEvent{Type: desktop.KeyPress, Key: k}, desktop.InputEvent{Type: desktop.KeyRelease, Key: k})
				ctx := t.Context()
				if err := f.Do(ctx, desktop.KeyDown{Key: k}); err != nil {
					return err
				}
				return f.Do(ctx, desktop.KeyUp{Key: k})
			},
		}
	})
}

// application is the one of the contract, in memory.
type application struct {
	*fake.Desktop
	shown []*fake.Node // its windows
	heard int          // how much was received before the reset
}

const screen = `
- frame "Contract" [process=contract] [at=40,30,520,720]
  - menubar ""
    - menu "File"
      - menuitem "New"
      - menuitem "Save"
  - entry "Name" [focused]
  - password "Code"
  - text "Body"
  - button "OK"
  - button "Apply"
  - button "Disabled" [disabled]
  - button "Doomed"
  - checkbox "Urgent"
  - togglebutton "Bold"
  - radiobutton "Home" [checked]
  - radiobutton "Work"
  - combobox "Colour" [at=300,60,200,24]
    - menu "" [hidden]
      - menuitem "red" [hidden] [selected]
      - menuitem "green" [hidden]
      - menuitem "blue" [hidden]
  - slider "Volume" [value=0 in 0 to 100]
  - button "Apart" [hidden]
`

// Do does what the contract asks for.
func (a *application) Do(command string) error {
	words := strings.Fields(command)
	switch words[0] {
	case "reset":
		a.reset()
	case "open":
		a.open(words[1], "Canvas")
	case "cover":
		a.open("Cover", words[1])
	case "remove":
		a.Remove(a.Find("name:" + words[1]))
	case "disable":
		a.Set(a.Find("name:"+words[1]), func(e *desktop.Element) { e.States &^= desktop.Enabled })
	case "paint":
		var c color.RGBA
		if _, err := fmt.Sscanf(command, "paint %d %d %d", &c.R, &c.G, &c.B); err != nil {
			return err
		}
		c.A = 255
		canvas := a.Find("name:Canvas")
		a.Set(canvas, func(*desktop.Element) { canvas.Painted(c) })
	case "settle":
	default:
		return fmt.Errorf("no command %s", command)
	}
	return nil
}

func (a *application) reset() {
	for _, w := range a.shown {
		a.Remove(w)
	}
	w := fake.MustParse(screen)[0]
	var buttons []*fake.Node
	for i := range 40 {
		buttons = append(buttons, fake.Button(fmt.Sprint("Row ", i)))
	}
	rows := fake.El("filler", "Rows", buttons...).At(50, 550, 480, 90).Scrolling()
	canvas := fake.El("canvas", "Canvas").At(50, 650, 480, 90).Painted(desktoptest.Colour)
	a.shown = []*fake.Node{w}
	a.Open(w)
	a.Add(w, rows)
	a.Add(w, canvas)
	a.heard = len(a.Desktop.Received())
}

// open shows another window over an element.
func (a *application) open(title, over string) {
	at := a.Get(a.Find("name:" + over)).Bounds
	w := fake.Window(title, "contract", fake.El("entry", "In "+title).At(at.X+10, at.Y+30, 280, 150).With(desktop.Focused)).At(at.X, at.Y, 300, 200)
	a.shown = append(a.shown, w)
	a.Open(w)
}

// Boxes are where its elements are.
func (a *application) Boxes() (map[string]desktop.Rect, error) {
	boxes := map[string]desktop.Rect{}
	tree, err := a.Tree(context.Background(), desktop.Scope{Full: true, Hidden: true})
	if err != nil {
		return nil, err
	}
	tree.Walk(func(e *desktop.Element) bool {
		boxes[e.Name] = e.Bounds
		return true
	})
	return boxes, nil
}

// Received lists what reached it since the reset.
func (a *application) Received() []string { return a.Desktop.Received()[a.heard:] }
