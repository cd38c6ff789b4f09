//go:build linux

package x11_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/x11"
	"understudy/internal/testing/virtualtest"
)

// events is a window that prints the input that reaches it.
type events struct {
	b      *bench
	log    string
	from   int
	window desktop.WindowID
	at     desktop.Point // a point in the window
}

func (b *bench) events() *events {
	b.t.Helper()
	e := &events{b: b, log: filepath.Join(b.t.TempDir(), "xev.log")}
	out, err := os.Create(e.log)
	b.must(err)
	cmd := virtualtest.Command(b.t, b.display, "stdbuf", "-oL", "xev", "-event", "button", "-event", "keyboard")
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	b.startCommand(cmd)
	w := b.window("Event Tester")
	e.window, e.at = w.ID, w.Bounds.Center()
	b.must(b.Do(b.t.Context(), desktop.MovePointer{To: e.at}))
	return e
}

var xevLine = regexp.MustCompile(`(?m)^(Key|Button)(Press|Release) event.*\n.*\n\s+state (0x[0-9a-f]+), (?:button (\d)|keycode \d+ \(keysym 0x[0-9a-f]+, (\w+)\))`)

// since returns the events since the last call: "+2" is a button that went down, "-a" a key that
// went up, "+s/4" a key with a state.
func (e *events) since() []string {
	e.b.t.Helper()
	text, err := os.ReadFile(e.log)
	e.b.must(err)
	var list []string
	for _, m := range xevLine.FindAllStringSubmatch(string(text[e.from:]), -1) {
		sign := map[string]string{"Press": "+", "Release": "-"}[m[2]]
		state := ""
		if m[1] == "Key" && m[3] != "0x0" {
			state = "/" + m[3][2:]
		}
		list = append(list, sign+m[4]+m[5]+state)
	}
	return list
}

func (e *events) forget() {
	text, err := os.ReadFile(e.log)
	e.b.must(err)
	e.from = len(text)
}

// want waits for exactly these events and consumes them.
func (e *events) want(want ...string) {
	e.b.t.Helper()
	e.b.eventually("the window got "+strings.Join(want, " "), func() (bool, string) {
		got := e.since()
		return cmp.Equal(got, want), strings.Join(got, " ")
	})
	e.forget()
}

func TestThePointerMoves(t *testing.T) {
	b := open(t)
	for _, to := range []desktop.Point{{X: 10, Y: 20}, {X: 1919, Y: 1079}, {X: 0, Y: 0}, {X: 960, Y: 540}} {
		b.must(b.Do(t.Context(), desktop.MovePointer{To: to}))
		if got, err := b.PointerPosition(t.Context()); err != nil || got != to {
			t.Errorf("got %v and %v, wanted %v", got, err, to)
		}
		where := b.run("xdotool", "getmouselocation", "--shell")
		if want := "X=" + strings.Replace(to.String(), ",", "\nY=", 1) + "\n"; !strings.HasPrefix(where, want) {
			t.Errorf("xdotool says %q, wanted %q", where, want)
		}
	}
	for _, to := range []desktop.Point{{X: 1920, Y: 0}, {X: -1, Y: 5}, {X: 5, Y: 70000}} {
		if err := b.Do(t.Context(), desktop.MovePointer{To: to}); err == nil {
			t.Errorf("the pointer moved to %v, which is off the screen", to)
		}
	}
}

func TestButtonsAndTheWheel(t *testing.T) {
	b := open(t)
	e := b.events()
	ctx := t.Context()
	b.must(b.Do(ctx, desktop.Click{At: e.at, Button: desktop.Left}))
	e.want("+1", "-1")
	b.must(b.Do(ctx, desktop.Click{At: e.at, Button: desktop.Right, Count: 2}))
	e.want("+3", "-3", "+3", "-3")
	b.must(b.Do(ctx, desktop.ButtonDown{Button: desktop.Middle}))
	e.want("+2")
	b.must(b.Do(ctx, desktop.ButtonUp{Button: desktop.Middle}))
	e.want("-2")
	began := time.Now()
	b.must(b.Do(ctx, desktop.Scroll{DX: 0, DY: 2}))
	e.want("+5", "-5", "+5", "-5")
	if took := time.Since(began); took < 10*time.Millisecond {
		t.Errorf("two notches took %v: Chromium takes only the first of those that come at once", took)
	}
	b.must(b.Do(ctx, desktop.Scroll{DX: -1, DY: -1}))
	e.want("+4", "-4", "+6", "-6")
	b.must(b.Do(ctx, desktop.Scroll{DX: 1, DY: 0}))
	e.want("+7", "-7")
	if err := b.Do(ctx, desktop.ButtonDown{Button: "fourth"}); err == nil {
		t.Error("there is a fourth button")
	}
}

func TestKeys(t *testing.T) {
	b := open(t)
	e := b.events()
	for _, row := range []struct {
		keys string
		want []string
	}{
		{"enter", []string{"+Return", "-Return"}},
		{"f5", []string{"+F5", "-F5"}},
		{"ctrl+s", []string{"+Control_L", "+s/4", "-s/4", "-Control_L/4"}},
		{"ctrl+S", []string{"+Control_L", "+s/4", "-s/4", "-Control_L/4"}},
		{"ctrl+shift+t", []string{"+Control_L", "+Shift_L/4", "+T/5", "-T/5", "-Shift_L/5", "-Control_L/4"}},
		{"alt+f9", []string{"+Alt_L", "+F9/8", "-F9/8", "-Alt_L/8"}},
		{"super+left", []string{"+Super_L", "+Left/40", "-Left/40", "-Super_L/40"}},
		{"ctrl++", []string{"+Control_L", "+Shift_L/4", "+plus/5", "-plus/5", "-Shift_L/5", "-Control_L/4"}},
		{"num7", []string{"+KP_7/10", "-KP_7/10"}},
		{"pause", []string{"+Pause", "-Pause"}},
		{"volumeup", []string{"+XF86AudioRaiseVolume", "-XF86AudioRaiseVolume"}},
		{"a", []string{"+a", "-a"}},
		{"Q", []string{"+Shift_L", "+Q/1", "-Q/1", "-Shift_L/1"}},
		{"ctrl+é", []string{"+Control_L", "+eacute/4", "-eacute/4", "-Control_L/4"}},
	} {
		t.Run(row.keys, func(t *testing.T) {
			chords, err := desktop.ParseKeys(row.keys)
			b.must(err)
			for _, c := range chords {
				b.must(b.Do(t.Context(), desktop.Press{Chord: c}))
			}
			e.want(row.want...)
		})
	}
}

func TestHeldKeysAndButtonsAreReleased(t *testing.T) {
	for _, row := range []struct {
		sentence string
		release  func(b *bench)
	}{
		{"by ReleaseAll", func(b *bench) { b.must(b.ReleaseAll(b.t.Context())) }},
		{"by Close", func(b *bench) { b.must(b.Close()) }},
		{"by Close, after the connection was lost", func(b *bench) {
			x11.Cut(b.driver)
			b.must(b.Close())
		}},
		{"by name", func(b *bench) {
			ctx := b.t.Context()
			b.must(b.Do(ctx, desktop.ButtonUp{Button: desktop.Left}))
			for _, k := range []desktop.Key{"é", "a", desktop.Ctrl} {
				b.must(b.Do(ctx, desktop.KeyUp{Key: k}))
			}
		}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			b := open(t)
			ctx := t.Context()
			for _, k := range []desktop.Key{desktop.Ctrl, "a", "é"} {
				b.must(b.Do(ctx, desktop.KeyDown{Key: k}))
			}
			b.must(b.Do(ctx, desktop.ButtonDown{Button: desktop.Left}))
			if down := b.pressed(); down == "" {
				t.Fatal("nothing is held")
			}
			row.release(b)
			if down := b.pressed(); down != "" {
				t.Errorf("still held: %s", down)
			}
		})
	}
}

// endingContext ends after it was looked at some times.
type endingContext struct {
	context.Context
	looks int
}

func (c *endingContext) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A key whose press was cancelled before it went down is pressed by the next.
func TestAKeyThatWasNotPressedIsNotHeld(t *testing.T) {
	b := open(t)
	cancelled := 0
	for looks := range 10 {
		if b.Do(&endingContext{t.Context(), looks}, desktop.KeyDown{Key: "a"}) == nil {
			break
		}
		cancelled++
		b.must(b.Do(t.Context(), desktop.KeyDown{Key: "a"}))
		if b.pressed() == "" {
			t.Errorf("cancelled at look %d of its context, the key is taken for one that is held", looks)
		}
		b.must(b.Do(t.Context(), desktop.KeyUp{Key: "a"}))
	}
	if cancelled == 0 {
		t.Error("no press was cancelled")
	}
}

// pressed lists the keys and buttons that are down, as seen by another program.
func (b *bench) pressed() string {
	b.t.Helper()
	other, err := x11.Open(b.t.Context(), x11.Options{Display: b.options.Display, Authority: b.options.Authority})
	b.must(err)
	defer other.Close()
	return x11.Down(b.t, other)
}

func TestUnknownKeysAreRefused(t *testing.T) {
	b := open(t)
	for _, k := range []desktop.Key{"", "foo", "ab", "\x07"} {
		var unknown *desktop.UnknownKeyError
		if err := b.Do(t.Context(), desktop.KeyDown{Key: k}); !errors.As(err, &unknown) {
			t.Errorf("KeyDown %q: got %v, wanted an UnknownKeyError", k, err)
		}
		if err := b.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{"hyperspace"}, Key: "a"}}); !errors.As(err, &unknown) {
			t.Errorf("got %v, wanted an UnknownKeyError", err)
		}
	}
}

func TestACancelledClickLeavesNoButtonDown(t *testing.T) {
	b := open(t)
	for d := range 12 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(d)*2*time.Millisecond)
		err := b.Do(ctx, desktop.Click{At: desktop.Point{X: 50, Y: 50}, Button: desktop.Left, Count: 3})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, wanted the context's end", err)
		}
		if down := b.pressed(); down != "" {
			t.Fatalf("after %d ms: still held: %s", 2*d, down)
		}
	}
}

func TestCancelledTypingLeavesNoKeyDown(t *testing.T) {
	b := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := b.Do(ctx, desktop.Type{Text: strings.Repeat(mixed, 1000)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, wanted the context's end", err)
	}
	if down := b.pressed(); down != "" {
		t.Errorf("still held: %s", down)
	}
}

func TestBindingsAreTakenBackAtTheEnd(t *testing.T) {
	b := open(t)
	keys := func() string { return b.run("xmodmap", "-pke") }
	before := keys()
	b.must(b.Do(t.Context(), desktop.Type{Text: "日本語 žluť 🙂"}))
	if bytes.Equal([]byte(keys()), []byte(before)) {
		t.Fatal("nothing was bound, so nothing can be taken back")
	}
	b.must(b.Close())
	if diff := cmp.Diff(before, keys()); diff != "" {
		t.Errorf("the keyboard's mapping is not what it was:\n%s", diff)
	}
}

func TestADoubleClickIsOneRightAfterAnother(t *testing.T) {
	virtualtest.Need(t, "mousepad", "xclip")
	t.Run("at a point", func(t *testing.T) {
		doubleClicks(t, func(b *bench, at desktop.Point, _ desktop.Window) error {
			return b.Do(t.Context(), desktop.Click{At: at, Button: desktop.Left, Count: 2})
		})
	})
	t.Run("in a window", func(t *testing.T) {
		doubleClicks(t, func(b *bench, at desktop.Point, w desktop.Window) error {
			return b.Do(t.Context(), desktop.Click{At: at, Button: desktop.Left, Count: 2, In: &w})
		})
	})
}

// doubleClicks selects one word right after another by double clicks, which must not become one
// quadruple click.
func doubleClicks(t *testing.T, click func(*bench, desktop.Point, desktop.Window) error) {
	b := open(t)
	b.editor("mousepad")
	above, below := strings.Repeat("a", 20), strings.Repeat("b", 20)
	b.must(b.Do(t.Context(), desktop.Type{Text: strings.Repeat(above+"\n", 8) + strings.Repeat(below+"\n", 8)}))
	w := b.window("note.txt")
	b.eventually("the second word is selected", func() (bool, string) { // once the editor has drawn both
		for _, y := range []int{140, 290} {
			b.must(click(b, desktop.Point{X: w.Bounds.X + 60, Y: w.Bounds.Y + y}, w))
		}
		b.must(b.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "c"}}))
		got, err := b.ReadClipboard(t.Context())
		b.must(err)
		return got == below, got
	})
}

// A chord that another program has grabbed is recognized, and asking for that presses nothing.
func TestGlobalChordsAreReported(t *testing.T) {
	b := open(t)
	other, err := x11.Open(t.Context(), x11.Options{Display: b.options.Display, Authority: b.options.Authority, Env: b.options.Env})
	b.must(err)
	defer other.Close()
	x11.Grab(t, other, "f9")
	alt := []desktop.Key{desktop.Alt}
	for _, row := range []struct {
		chord desktop.Chord
		want  bool
	}{
		{desktop.Chord{Mods: alt, Key: "f9"}, true},
		{desktop.Chord{Key: "f9"}, false},
		{desktop.Chord{Mods: alt, Key: "f10"}, false},
		{desktop.Chord{Mods: alt, Key: "f9"}, true},
	} {
		for _, ask := range []bool{true, false} {
			global := !row.want
			b.must(b.Do(t.Context(), desktop.Press{Chord: row.chord, Global: &global, Ask: ask}))
			if global != row.want {
				t.Errorf("%s, asked only: %v: global is %v", row.chord, ask, global)
			}
		}
	}
}
