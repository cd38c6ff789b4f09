package win32

import (
	"cmp"
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// Options say what children need to reach the desktop.
type Options struct{ Env []string }

// Driver is the desktop of the person at this machine.
type Driver struct {
	o Options

	inputMu input.Mutex // held during each action
	keys    map[desktop.Key]bool
	buttons map[desktop.Button]bool
	presses input.Presses

	marks    input.Marks
	surfaces surfaces
}

// Open opens the desktop.
func Open(o Options) (*Driver, error) {
	countPixels()
	if virtualScreen().Empty() {
		return nil, &desktop.MissingError{What: "no display: this process has no desktop session"}
	}
	return &Driver{o: o, inputMu: input.NewMutex(), keys: map[desktop.Key]bool{}, buttons: map[desktop.Button]bool{}}, nil
}

// countPixels has Windows tell points and sizes in the pixels of each monitor: otherwise it
// tells a process of old times those of a smaller screen.
func countPixels() {
	const perMonitor2 = -4 // DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2
	if user("SetProcessDpiAwarenessContext", perMonitor2) == 0 {
		user("SetProcessDPIAware")
	}
}

func missing(what string) error {
	return &desktop.MissingError{What: what + " on Windows yet, only on Linux"}
}

// Desktop returns the parts that this driver has; all others fail.
func (d *Driver) Desktop() *desktop.Desktop {
	all := desktop.Missing(missing("this does not work"))
	all.Actor, all.Pointer, all.Screen, all.Session = d, d, d, d
	all.WindowLister, all.Clipboard, all.Input = d, d, d
	return all
}

// Do performs an action.
func (d *Driver) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Type:
		return d.enter(ctx, a)
	case desktop.Press:
		if a.Ask {
			return nil // it cannot tell
		}
		if text, ok := input.Types(a.Chord); ok {
			return d.enter(ctx, desktop.Type{Text: text, In: a.In})
		}
	case desktop.Manage:
		return d.manage(ctx, a)
	case desktop.WriteClipboard:
		return writeClipboard(ctx, a.Text)
	case desktop.Mark:
		return d.marks.Show(a, virtualScreen(), d.surfaces.showMark)
	case desktop.Unmark:
		return d.marks.RemoveAll(ctx)
	case desktop.Panel:
		return d.surfaces.showPanel(a)
	}
	return d.inputMu.Do(ctx, func() error { return d.act(ctx, a) })
}

// act performs an action of the pointer or the keyboard. The caller holds d.inputMu.
func (d *Driver) act(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.MovePointer:
		return d.move(a.To)
	case desktop.ButtonDown:
		return d.buttonDown(ctx, a)
	case desktop.ButtonUp:
		defer d.presses.LetGo(a.Button)
		return d.button(a.Button, false)
	case desktop.Click:
		return d.click(ctx, a)
	case desktop.Scroll:
		return scroll(a)
	case desktop.KeyDown:
		return d.key(a.Key, true, a.In)
	case desktop.KeyUp:
		return d.key(a.Key, false, nil)
	case desktop.Press:
		return d.press(a)
	}
	return missing(fmt.Sprintf("%T does not work", a))
}

func (d *Driver) Info(ctx context.Context) (desktop.Info, error) {
	ms, err := d.Monitors(ctx)
	return desktop.Info{System: "windows", Monitors: ms, Env: d.o.Env}, err
}

func (d *Driver) Extensions(context.Context) (map[string]bool, error) { return nil, nil }

// Ping fails when the screen is locked, or the question of the system for permission shows:
// then another desktop of Windows has the input.
func (d *Driver) Ping(context.Context) error {
	const readObjects = 0x1
	if h := user("OpenInputDesktop", 0, 0, readObjects); h != 0 {
		user("CloseDesktop", h)
		return nil
	}
	return &desktop.MissingError{What: "the screen is locked, or shows the question of the system for permission"}
}

// ReleaseAll releases all keys and buttons that are held.
func (d *Driver) ReleaseAll(ctx context.Context) error {
	return d.inputMu.Do(ctx, func() error {
		return cmp.Or(
			input.LetGo(d.buttons, func(b desktop.Button) error { return d.button(b, false) }),
			input.LetGo(d.keys, func(k desktop.Key) error { return d.key(k, false, nil) }),
		)
	})
}

func (d *Driver) Close() error {
	d.surfaces.close()
	return d.ReleaseAll(context.Background())
}
