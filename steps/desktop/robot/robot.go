//go:build windows || darwin

package robot

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// kit is what robotgo does on this system.
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
	// pressTime is how long a button is down in a click.
	pressTime = 8 * time.Millisecond
	// handful is how many characters are typed between two looks at the context.
	handful = 64
)

// Robot is the desktop of this machine.
type Robot struct {
	o Options

	mu      sync.Mutex // input: one action at a time
	keys    map[desktop.Key]bool
	buttons map[desktop.Button]bool
	pressed input.Presses
}

// Open takes the desktop of this machine; there is only one.
func Open(_ context.Context, o Options) (*Robot, error) {
	if w, h := toolkit.size(); w <= 0 || h <= 0 {
		return nil, &desktop.MissingError{What: "no display: this process has no desktop session"}
	}
	return &Robot{o: o, keys: map[desktop.Key]bool{}, buttons: map[desktop.Button]bool{}}, nil
}

// Desktop is a desktop of which this robot is every part that it can be.
func (r *Robot) Desktop() *desktop.Desktop {
	d := desktop.Missing(&desktop.MissingError{What: "this does not work on " + runtime.GOOS + " yet, only on Linux"})
	d.Pointer, d.Keyboard, d.Screen, d.Session = r, r, r, r
	return d
}

// do runs f when it is our turn, unless the context has ended.
func (r *Robot) do(ctx context.Context, f func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return f()
}

// PointerPosition is where the pointer is.
func (r *Robot) PointerPosition(context.Context) (desktop.Point, error) {
	x, y := toolkit.location()
	return desktop.Point{X: x, Y: y}, nil
}

// MovePointer moves the pointer to a point of the screen.
func (r *Robot) MovePointer(ctx context.Context, to desktop.Point) error {
	return r.do(ctx, func() error {
		toolkit.move(to.X, to.Y)
		return nil
	})
}

// ButtonDown presses a mouse button, apart from the clicks before, and keeps it
// down until ButtonUp or ReleaseAll.
func (r *Robot) ButtonDown(ctx context.Context, b desktop.Button) error {
	return r.do(ctx, func() error {
		x, y := toolkit.location()
		c := input.Click{At: desktop.Point{X: x, Y: y}, Button: b}
		if err := desktop.Sleep(ctx, r.pressed.Rest(c, 1)); err != nil {
			return err
		}
		defer r.pressed.Add(c, 1)
		return r.button(b, true)
	})
}

// ButtonUp releases a mouse button.
func (r *Robot) ButtonUp(ctx context.Context, b desktop.Button) error {
	return r.do(ctx, func() error {
		defer r.pressed.LetGo(b)
		return r.button(b, false)
	})
}

func (r *Robot) button(b desktop.Button, down bool) error {
	name, ok := map[desktop.Button]string{desktop.Left: "left", desktop.Middle: "center", desktop.Right: "right"}[b]
	if !ok {
		return fmt.Errorf("there is no mouse button %q: wanted left, middle or right", b)
	}
	r.buttons[b] = down
	return toolkit.toggle(name, direction(down))
}

func direction(down bool) string {
	if down {
		return "down"
	}
	return "up"
}

// RestBeforeClick waits until a click is taken for one of its own.
func (r *Robot) RestBeforeClick(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return r.do(ctx, func() error { return desktop.Sleep(ctx, r.pressed.Rest(input.Click{At: at, Button: b}, count)) })
}

// ClickIn is Click: windows are not seen here.
func (r *Robot) ClickIn(ctx context.Context, _ desktop.Window, at desktop.Point, b desktop.Button, count int) error {
	return r.Click(ctx, at, b, count)
}

// Click moves to the point and clicks, apart from the clicks before. A button
// that is down goes up even when the context ends.
func (r *Robot) Click(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return r.do(ctx, func() error {
		if err := desktop.Sleep(ctx, r.pressed.Rest(input.Click{At: at, Button: b}, count)); err != nil {
			return err
		}
		defer r.pressed.Add(input.Click{At: at, Button: b}, count)
		toolkit.move(at.X, at.Y)
		for i := range max(count, 1) {
			if i > 0 {
				time.Sleep(clickGap)
			}
			if err := r.button(b, true); err != nil {
				return err
			}
			time.Sleep(pressTime)
			if err := r.button(b, false); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		return nil
	})
}

// Scroll turns the wheel where the pointer is: dx to the right, dy down.
func (r *Robot) Scroll(ctx context.Context, dx, dy int) error {
	return r.do(ctx, func() error {
		toolkit.scroll(-dx, -dy, 0) // robotgo counts up and left
		return nil
	})
}

// nameOf is robotgo's name for a key.
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

// KeyDown presses a key and keeps it down until KeyUp or ReleaseAll.
func (r *Robot) KeyDown(ctx context.Context, k desktop.Key) error { return r.key(ctx, k, true) }

// KeyUp releases a key.
func (r *Robot) KeyUp(ctx context.Context, k desktop.Key) error { return r.key(ctx, k, false) }

func (r *Robot) key(ctx context.Context, k desktop.Key, down bool) error {
	name, err := nameOf(k)
	if err != nil {
		return err
	}
	return r.do(ctx, func() error {
		r.keys[k] = down
		return toolkit.keyToggle(name, direction(down))
	})
}

// Press presses a chord. A letter pressed with a modifier names its key, so
// ctrl+S is ctrl+s; a character without modifiers is typed.
func (r *Robot) Press(ctx context.Context, c desktop.Chord) error {
	if text, ok := input.Types(c); ok {
		return r.Type(ctx, text)
	}
	c = input.Plain(c)
	var names []string
	for _, k := range append(slices.Clone(c.Mods), c.Key) {
		n, err := nameOf(k)
		if err != nil {
			return err
		}
		names = append(names, n)
	}
	last := len(names) - 1
	mods := make([]any, last)
	for i, m := range names[:last] {
		mods[i] = m
	}
	return r.do(ctx, func() error { return toolkit.keyTap(names[last], mods...) })
}

// Type enters text, a handful of characters at a time.
func (r *Robot) Type(ctx context.Context, text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for some := range slices.Chunk([]rune(text), handful) {
		err := r.do(ctx, func() error { return typeSome(string(some)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// typeSome presses the keys of line ends and tabs, which robotgo would send
// as characters that applications ignore.
func typeSome(text string) error {
	for text != "" {
		i := strings.IndexFunc(text, unicode.IsControl)
		if i < 0 {
			toolkit.typeText(text)
			return nil
		}
		toolkit.typeText(text[:i])
		key, ok := map[byte]string{'\n': "enter", '\r': "enter", '\t': "tab"}[text[i]]
		if !ok {
			return fmt.Errorf("the text to type holds the control character %U: press a key instead", text[i])
		}
		if err := toolkit.keyTap(key); err != nil {
			return err
		}
		text = text[i+1:]
	}
	return nil
}

// Monitors is the main screen: robotgo describes no other.
func (r *Robot) Monitors(context.Context) ([]desktop.Monitor, error) {
	w, h := toolkit.size()
	return []desktop.Monitor{{Name: "main", Bounds: desktop.Rect{W: w, H: h}, Primary: true, Scale: toolkit.scale()}}, nil
}

// Capture takes a picture of an area, clipped to the main screen. The zero
// Rect is that whole screen.
func (r *Robot) Capture(ctx context.Context, area desktop.Rect) (img *image.RGBA, err error) {
	w, h := toolkit.size()
	screen := desktop.Rect{W: w, H: h}
	if area == (desktop.Rect{}) {
		area = screen
	}
	part := area.Intersect(screen)
	if part.Empty() {
		return nil, fmt.Errorf("the area %s is not on the screen, which is %s", area, screen)
	}
	err = r.do(ctx, func() error {
		img, err = toolkit.capture(part.X, part.Y, part.W, part.H)
		return err
	})
	return img, err
}

// Snap is a Capture of the whole screen: these systems give no faster one.
func (r *Robot) Snap(ctx context.Context) (func() *image.RGBA, error) {
	p, err := r.Capture(ctx, desktop.Rect{})
	return func() *image.RGBA { return p }, err
}

// LastDrawn is now: these systems do not tell.
func (r *Robot) LastDrawn(context.Context, desktop.WindowID, desktop.Rect) (time.Time, error) {
	return time.Now(), nil
}

// Info describes the desktop.
func (r *Robot) Info(ctx context.Context) (desktop.Info, error) {
	ms, err := r.Monitors(ctx)
	return desktop.Info{System: runtime.GOOS, Monitors: ms, Env: r.o.Env}, err
}

// Extensions is empty: only X has them.
func (r *Robot) Extensions(context.Context) (map[string]bool, error) { return nil, nil }

// Ping fails when the desktop session has ended.
func (r *Robot) Ping(context.Context) error {
	if w, _ := toolkit.size(); w <= 0 {
		return &desktop.MissingError{What: "the desktop session has ended"}
	}
	return nil
}

// ReleaseAll lets go of every key and button that we hold down.
func (r *Robot) ReleaseAll(ctx context.Context) error {
	return r.do(ctx, func() error {
		var first error
		keep := func(err error) {
			if first == nil {
				first = err
			}
		}
		for b, down := range r.buttons {
			if down {
				keep(r.button(b, false))
			}
		}
		for k, down := range r.keys {
			if name, err := nameOf(k); down && err == nil {
				keep(toolkit.keyToggle(name, "up"))
				r.keys[k] = false
			}
		}
		return first
	})
}

// Close lets go of everything.
func (r *Robot) Close() error { return r.ReleaseAll(context.Background()) }
