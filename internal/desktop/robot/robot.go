//go:build darwin

package robot

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// kit is the part of robotgo for this system.
type kit struct {
	move      func(x, y int, display ...int)
	location  func() (int, int)
	toggle    func(...any) error
	scroll    func(x, y int, delay ...int)
	keyTap    func(string, ...any) error
	keyToggle func(string, ...any) error
	typeText  func(string, ...int)
	size      func() (int, int)
	scale     func(...int) float64
	capture   func(...int) (*image.RGBA, error)
}

const (
	// clickGap is the pause between the clicks of a multiple click.
	clickGap = 30 * time.Millisecond
	// pressTime is how long a click holds the button.
	pressTime = 8 * time.Millisecond
	// charsPerCheck is how many characters are typed between two checks of the context.
	charsPerCheck = 64
)

// Driver is the desktop of this machine.
type Driver struct {
	o Options

	inputMu input.Mutex // held during each action
	keys    map[desktop.Key]bool
	buttons map[desktop.Button]bool
	presses input.Presses
}

// Open opens the desktop of this machine.
func Open(_ context.Context, o Options) (*Driver, error) {
	if w, h := toolkit.size(); w <= 0 || h <= 0 {
		return nil, &desktop.MissingError{What: "no display: this process has no desktop session"}
	}
	return &Driver{o: o, inputMu: input.NewMutex(), keys: map[desktop.Key]bool{}, buttons: map[desktop.Button]bool{}}, nil
}

func missing() error {
	return &desktop.MissingError{What: "this does not work on " + runtime.GOOS + " yet, only on Linux"}
}

// Desktop returns a desktop.Desktop backed by d; all other parts fail.
func (d *Driver) Desktop() *desktop.Desktop {
	all := desktop.Missing(missing())
	all.Actor, all.Pointer, all.Screen, all.Session = d, d, d, d
	return all
}

// Do performs an action of pointer or keyboard.
func (d *Driver) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Type:
		return d.enter(ctx, a.Text)
	case desktop.Press:
		if a.Ask {
			return nil // it cannot tell
		}
		if text, ok := input.Types(a.Chord); ok {
			return d.enter(ctx, text)
		}
	}
	return d.inputMu.Do(ctx, func() error { return d.act(ctx, a) })
}

// act performs an action. The caller holds d.inputMu.
func (d *Driver) act(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.MovePointer:
		toolkit.move(a.To.X, a.To.Y)
		return nil
	case desktop.ButtonDown:
		return d.buttonDown(ctx, a)
	case desktop.ButtonUp:
		defer d.presses.LetGo(a.Button)
		return d.button(a.Button, false)
	case desktop.Click:
		return d.click(ctx, a)
	case desktop.Scroll:
		toolkit.scroll(-a.DX, -a.DY, 0) // robotgo counts up and left
		return nil
	case desktop.KeyDown:
		return d.key(a.Key, true)
	case desktop.KeyUp:
		return d.key(a.Key, false)
	case desktop.Press:
		return d.press(a.Chord)
	}
	return missing()
}

func (d *Driver) PointerPosition(context.Context) (desktop.Point, error) {
	x, y := toolkit.location()
	return desktop.Point{X: x, Y: y}, nil
}

// buttonDown presses a mouse button, as a click of its own unless it follows one.
func (d *Driver) buttonDown(ctx context.Context, a desktop.ButtonDown) error {
	x, y := toolkit.location()
	return d.presses.Press(ctx, desktop.Point{X: x, Y: y}, a, func() error { return d.button(a.Button, true) })
}

func (d *Driver) button(b desktop.Button, down bool) error {
	name, ok := map[desktop.Button]string{desktop.Left: "left", desktop.Middle: "center", desktop.Right: "right"}[b]
	if !ok {
		return desktop.ErrNoButton(b)
	}
	d.buttons[b] = down
	return toolkit.toggle(name, direction(down))
}

func direction(down bool) string {
	if down {
		return "down"
	}
	return "up"
}

// ClickRest returns how long to wait before a click of its own.
func (d *Driver) ClickRest(ctx context.Context, c desktop.Click) (rest time.Duration, err error) {
	err = d.inputMu.Do(ctx, func() error {
		rest = d.presses.Rest(c)
		return nil
	})
	return rest, err
}

// click moves the pointer and clicks, as a click of its own. A button that is down goes
// up even if the context ends.
func (d *Driver) click(ctx context.Context, a desktop.Click) error {
	if err := d.presses.Wait(ctx, a); err != nil {
		return err
	}
	defer d.presses.Add(a)
	toolkit.move(a.At.X, a.At.Y)
	for i := range max(a.Count, 1) {
		if i > 0 {
			time.Sleep(clickGap)
		}
		if err := d.button(a.Button, true); err != nil {
			return err
		}
		time.Sleep(pressTime)
		if err := d.button(a.Button, false); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// nameOf returns robotgo's name for a key.
func nameOf(k desktop.Key) (string, error) {
	if k == desktop.AltGr {
		return "altr", nil
	}
	if err := input.Known(k); err != nil {
		return "", err
	}
	n, named := input.NamedKeys[k]
	if !named {
		return string(k), nil
	}
	if n.Robotgo == "" {
		return "", &desktop.MissingError{What: fmt.Sprintf("the key %q cannot be pressed on %s", k, runtime.GOOS)}
	}
	return n.Robotgo, nil
}

func (d *Driver) key(k desktop.Key, down bool) error {
	name, err := nameOf(k)
	if err != nil {
		return err
	}
	d.keys[k] = down
	return toolkit.keyToggle(name, direction(down))
}

// press presses a chord.
func (d *Driver) press(c desktop.Chord) error {
	var mods []any
	for _, m := range c.Mods {
		n, err := nameOf(m)
		if err != nil {
			return err
		}
		mods = append(mods, n)
	}
	key, err := nameOf(c.Key)
	if err != nil {
		return err
	}
	return toolkit.keyTap(key, mods...)
}

// enter types text, charsPerCheck characters at a time.
func (d *Driver) enter(ctx context.Context, text string) error {
	if _, err := input.Typeable(text); err != nil {
		return err // before any of it is typed
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for some := range slices.Chunk([]rune(text), charsPerCheck) {
		err := d.inputMu.Do(ctx, func() error { return typeSome(string(some)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// typeSome types text. It presses keys for line ends and tabs, which robotgo would send as
// characters that applications ignore.
func typeSome(text string) error {
	for text != "" {
		i := strings.IndexFunc(text, unicode.IsControl)
		if i < 0 {
			toolkit.typeText(text)
			return nil
		}
		toolkit.typeText(text[:i])
		key := "enter"
		if text[i] == '\t' {
			key = "tab"
		}
		if err := toolkit.keyTap(key); err != nil {
			return err
		}
		text = text[i+1:]
	}
	return nil
}

func (d *Driver) Monitors(context.Context) ([]desktop.Monitor, error) {
	w, h := toolkit.size()
	return []desktop.Monitor{{Name: "main", Bounds: desktop.Rect{W: w, H: h}, Primary: true, Scale: toolkit.scale()}}, nil
}

// Capture returns a picture of an area, clipped to the main screen. The zero Rect is the
// whole main screen.
func (d *Driver) Capture(ctx context.Context, area desktop.Rect) (img *image.RGBA, err error) {
	w, h := toolkit.size()
	part, err := desktop.Rect{W: w, H: h}.Clip(area)
	if err != nil {
		return nil, err
	}
	err = d.inputMu.Do(ctx, func() error {
		img, err = toolkit.capture(part.X, part.Y, part.W, part.H)
		return err
	})
	return img, err
}

// Snap captures the whole screen: these systems have no faster way.
func (d *Driver) Snap(ctx context.Context) (func() *image.RGBA, error) {
	p, err := d.Capture(ctx, desktop.Rect{})
	return func() *image.RGBA { return p }, err
}

// LastDrawn returns the current time: these systems do not tell.
func (d *Driver) LastDrawn(context.Context, desktop.WindowID, desktop.Rect) (time.Time, error) {
	return time.Now(), nil
}

func (d *Driver) Info(ctx context.Context) (desktop.Info, error) {
	ms, err := d.Monitors(ctx)
	return desktop.Info{System: runtime.GOOS, Monitors: ms, Env: d.o.Env}, err
}

func (d *Driver) Extensions(context.Context) (map[string]bool, error) { return nil, nil }

// Ping fails when the desktop session has ended.
func (d *Driver) Ping(context.Context) error {
	if w, _ := toolkit.size(); w <= 0 {
		return &desktop.MissingError{What: "the desktop session has ended"}
	}
	return nil
}

// ReleaseAll releases all keys and buttons that are held.
func (d *Driver) ReleaseAll(ctx context.Context) error {
	return d.inputMu.Do(ctx, func() error {
		return cmp.Or(
			input.LetGo(d.buttons, func(b desktop.Button) error { return d.button(b, false) }),
			input.LetGo(d.keys, func(k desktop.Key) error { return d.key(k, false) }),
		)
	})
}

func (d *Driver) Close() error { return d.ReleaseAll(context.Background()) }
