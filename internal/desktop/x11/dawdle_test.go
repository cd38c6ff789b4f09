//go:build linux

package x11_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// A window manager that raises clicked windows freezes the pointer from the press until it has done
// so, which takes long on a busy machine. What the pointer does meanwhile must not change where the
// window sees the button released.
func TestAClickIsOverOnlyWhenItHasReachedItsWindow(t *testing.T) {
	at := func(e *events) desktop.Point { return e.at }
	away := func(e *events) desktop.Point { return desktop.Point{X: e.at.X + 20, Y: e.at.Y + 30} }
	for _, row := range []struct {
		name     string
		do       func(ctx context.Context, b *bench, e *events, w desktop.Window) error
		pressed  string
		down, up func(*events) desktop.Point
	}{
		{"a click", func(ctx context.Context, b *bench, e *events, _ desktop.Window) error {
			return b.Do(ctx, desktop.Click{At: e.at, Button: desktop.Left})
		}, "button 1", at, at},
		{"a click in a window", func(ctx context.Context, b *bench, e *events, w desktop.Window) error {
			return b.Do(ctx, desktop.Click{At: e.at, Button: desktop.Left, In: &w})
		}, "button 1", at, at},
		{"a double click in a window", func(ctx context.Context, b *bench, e *events, w desktop.Window) error {
			return b.Do(ctx, desktop.Click{At: e.at, Button: desktop.Right, Count: 2, In: &w})
		}, "button 3", at, at},
		{"a drag", func(ctx context.Context, b *bench, e *events, _ desktop.Window) error {
			return errors.Join(b.Do(ctx, desktop.MovePointer{To: e.at}), b.Do(ctx, desktop.ButtonDown{Button: desktop.Left}), b.Do(ctx, desktop.MovePointer{To: away(e)}), b.Do(ctx, desktop.ButtonUp{Button: desktop.Left}))
		}, "button 1", at, away},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t)
			e := b.events()
			manager, w := b.manager(), b.look(e.window)
			b.must(syscall.Kill(manager, syscall.SIGSTOP))
			done := make(chan error, 1)
			go func() {
				done <- errors.Join(row.do(t.Context(), b, e, w), b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 1, Y: 1}}))
			}()
			b.eventually("the button is down", func() (bool, string) { return b.pressed() == row.pressed, b.pressed() })
			select { // a driver that does not wait for the manager is far ahead of it by now
			case err := <-done:
				t.Errorf("it was over, with %v, while the window manager held it back", err)
				done <- nil
			case <-time.After(100 * time.Millisecond):
			}
			b.must(syscall.Kill(manager, syscall.SIGCONT))
			b.must(<-done)
			want := fmt.Sprintf("Press at %s, Release at %s", e.inside(row.down(e)), e.inside(row.up(e)))
			b.eventually("the window got "+want, func() (bool, string) {
				got := e.buttons()
				return len(got) > 0 && strings.Join(got, ", ") == strings.Repeat(", "+want, len(got)/2)[2:], strings.Join(got, ", ")
			})
		})
	}
}

// A window manager that has stopped for good lets no click through, and none is reported as done.
func TestAtLengthAClickThatReachesNoWindowIsNotDone(t *testing.T) {
	b := open(t)
	e := b.events()
	manager := b.manager()
	b.must(syscall.Kill(manager, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(manager, syscall.SIGCONT) })
	if err := b.Do(t.Context(), desktop.Click{At: e.at, Button: desktop.Left, In: new(b.look(e.window))}); !errors.Is(err, desktop.ErrUnclear) {
		t.Errorf("got %v, wanted %v", err, desktop.ErrUnclear)
	}
	if got := e.buttons(); len(got) > 0 {
		t.Errorf("the window got %s", got)
	}
	if err := b.Do(soon(t, 200*time.Millisecond), desktop.Click{At: e.at, Button: desktop.Left, In: new(b.look(e.window))}); err == nil {
		t.Error("a second click was done, although the context ended")
	}
}

var xevPlace = regexp.MustCompile(`Button(Press|Release) event.*\n.*, time \d+, \((-?\d+,-?\d+)\)`)

// buttons returns the button events, each with its point in the window.
func (e *events) buttons() (list []string) {
	e.b.t.Helper()
	text, err := os.ReadFile(e.log)
	e.b.must(err)
	for _, m := range xevPlace.FindAllStringSubmatch(string(text), -1) {
		list = append(list, m[1]+" at "+m[2])
	}
	return list
}

// inside converts a point of the screen to one of the window.
func (e *events) inside(at desktop.Point) desktop.Point {
	e.b.t.Helper()
	corner := e.b.inside(e.window)
	return desktop.Point{X: at.X - corner.X, Y: at.Y - corner.Y}
}
