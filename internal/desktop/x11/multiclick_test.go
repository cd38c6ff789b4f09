//go:build linux

package x11_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/x11"
)

var xevPress = regexp.MustCompile(`ButtonPress event.*\n.*, time (\d+), .*root:\((\d+,\d+)\),\n.* button (\d),`)

// presses returns the server times of the presses of the left button at the point in the window.
func (e *events) presses() (at []time.Duration) {
	e.b.t.Helper()
	text, err := os.ReadFile(e.log)
	e.b.must(err)
	for _, m := range xevPress.FindAllStringSubmatch(string(text), -1) {
		if m[2] != e.at.String() || m[3] != "1" {
			continue
		}
		ms, err := strconv.Atoi(m[1])
		e.b.must(err)
		at = append(at, time.Duration(ms)*time.Millisecond)
	}
	return at
}

// doubleTime is at most the double-click time of xterm, GTK and Qt.
const doubleTime = 250 * time.Millisecond

// However long a window manager freezes the pointer, the clicks of a multiple click stay together.
func TestTheClicksOfAMultipleClickKeepTogether(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(b *bench, e *events, w desktop.Window) error
	}{
		{"at a point", func(b *bench, e *events, _ desktop.Window) error {
			return b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, Count: 3})
		}},
		{"in a window", func(b *bench, e *events, w desktop.Window) error {
			return b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, Count: 3, In: &w})
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t)
			e := b.events()
			manager, w := b.manager(), b.look(e.window)
			b.must(syscall.Kill(manager, syscall.SIGSTOP))
			done := make(chan error, 1)
			go func() { done <- row.do(b, e, w) }()
			b.eventually("the button is down", func() (bool, string) { return b.pressed() == "button 1", b.pressed() })
			time.Sleep(2 * doubleTime) // the manager takes longer than a double click
			b.must(syscall.Kill(manager, syscall.SIGCONT))
			b.must(<-done)
			b.eventually("three clicks came within a moment", func() (bool, string) {
				at := e.presses()
				return len(at) == 3 && at[2]-at[0] < doubleTime, strings.Join(e.buttons(), ", ")
			})
		})
	}
}

// Clicks that came apart, as when the server was not scheduled in between, are not reported as a
// double click.
func TestClicksThatCameApartAreInDoubt(t *testing.T) {
	b := open(t)
	e := b.events()
	x11.ClickSlowly(b.driver, doubleTime)
	err := b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, Count: 2, In: new(b.look(e.window))})
	if !errors.Is(err, desktop.ErrUnclear) || !strings.Contains(err.Error(), "were too far apart") {
		t.Errorf("got %v, wanted that they came apart", err)
	}
	e.want("+1", "-1", "+1", "-1")
	if down := b.pressed(); down != "" {
		t.Errorf("still held: %s", down)
	}
}

// The clicks of two steps form no double click, however soon one follows the other, even if
// something else was clicked in between, and whether they are clicks or a button that is pressed
// and released.
func TestClicksOfTheirOwnKeepApart(t *testing.T) {
	b := open(t)
	e := b.events()
	w := b.look(e.window)
	away := desktop.Point{X: e.at.X + 40, Y: e.at.Y + 50}
	hold := func() error {
		return errors.Join(b.Do(t.Context(), desktop.MovePointer{To: e.at}), b.Do(t.Context(), desktop.ButtonDown{Button: desktop.Left}), b.Do(t.Context(), desktop.ButtonUp{Button: desktop.Left}))
	}
	drag := func() error {
		return errors.Join(b.Do(t.Context(), desktop.MovePointer{To: e.at}), b.Do(t.Context(), desktop.ButtonDown{Button: desktop.Left}), b.Do(t.Context(), desktop.MovePointer{To: away}), b.Do(t.Context(), desktop.ButtonUp{Button: desktop.Left}))
	}
	after := func(at desktop.Point, button desktop.Button) func() error {
		return func() error {
			return errors.Join(b.Do(t.Context(), desktop.Click{At: at, Button: button}), b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left}))
		}
	}
	for n, row := range []struct {
		name string
		do   func() error
	}{
		{"in a window", func() error { return b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, In: &w}) }},
		{"at a point", func() error { return b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left}) }},
		{"after one elsewhere", after(away, desktop.Left)},
		{"after another button", after(e.at, desktop.Right)},
		{"held", hold},
		{"held again", hold},
		{"dragged", drag},
		{"after the drag", func() error { return b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left}) }},
	} {
		b.must(row.do())
		b.eventually("it came by itself, "+row.name, func() (bool, string) {
			at := e.presses()
			for i := 1; i < len(at); i++ {
				if at[i]-at[i-1] < 450*time.Millisecond {
					t.Fatalf("%s: only %s between two clicks: %v", row.name, at[i]-at[i-1], at)
				}
			}
			return len(at) == n+1, strings.Join(e.buttons(), ", ")
		})
	}
}

var xevClick = regexp.MustCompile(`Button(Press|Release) event.*\n.*, time (\d+),`)

// held returns how long the button was down in each click, by the times of the server.
func (e *events) held() (long []time.Duration) {
	e.b.t.Helper()
	text, err := os.ReadFile(e.log)
	e.b.must(err)
	down := 0
	for _, m := range xevClick.FindAllStringSubmatch(string(text), -1) {
		ms, err := strconv.Atoi(m[2])
		e.b.must(err)
		if m[1] == "Press" {
			down = ms
			continue
		}
		long = append(long, time.Duration(ms-down)*time.Millisecond)
	}
	return long
}

// GTK 4 ignores a click if it lays out its window after reading the press and the button is up by
// then. So it must get press and release at once. One click of a few is enough to show that: a
// machine that is busy at that very moment may make the server late.
func TestAButtonGoesUpInTheMomentItWentDown(t *testing.T) {
	b := open(t)
	e := b.events()
	w := b.look(e.window)
	b.must(b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, Count: 2, In: &w}))
	for i := range 20 {
		at := desktop.Point{X: e.at.X - 30 + i%2*60, Y: e.at.Y + 20 + i/2%2*60}
		b.must(b.Do(t.Context(), desktop.Click{At: at, Button: desktop.Left, In: &w}))
		b.must(b.Do(t.Context(), desktop.Click{At: at, Button: desktop.Right}))
	}
	b.eventually("a button went up in the moment it went down", func() (bool, string) {
		long := e.held()
		return len(long) == 42 && slices.Min(long) == 0, fmt.Sprint(long)
	})
}
