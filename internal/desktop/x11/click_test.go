//go:build linux

package x11_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
)

func TestAClickGoesOnlyToWhereItsWindowWasSeen(t *testing.T) {
	b := open(t)
	e := b.events()
	ctx := t.Context()
	w := b.window("Event Tester")
	at := w.Bounds.Center()
	b.must(b.Do(ctx, desktop.Click{At: at, Button: desktop.Left, Count: 2, In: &w}))
	e.want("+1", "-1", "+1", "-1")

	refuses := func(why string) {
		t.Helper()
		if err := b.Do(ctx, desktop.Click{At: at, Button: desktop.Left, In: &w}); !errors.Is(err, desktop.ErrMoved) {
			t.Errorf("%s: got %v, wanted %v", why, err, desktop.ErrMoved)
		}
	}
	b.manage(w.ID, desktop.Place, desktop.Rect{X: w.Bounds.X + 5, Y: w.Bounds.Y})
	refuses("the window moved")
	b.manage(w.ID, desktop.Place, w.Bounds)
	w = b.look(w.ID)
	cover := b.terminal("Cover")
	b.manage(cover.ID, desktop.Place, w.Bounds)
	refuses("another window lies above it")
	b.manage(cover.ID, desktop.Close)
	b.must(b.Do(ctx, desktop.Click{At: at, Button: desktop.Right, In: &w}))
	e.want("+3", "-3") // and nothing of the refused clicks
	gone := w
	gone.ID = cover.ID
	w = gone
	refuses("the window is gone")
	if down := b.pressed(); down != "" {
		t.Errorf("still held: %s", down)
	}
}

// A modal dialog takes the clicks on its window, even where it does not cover that.
func TestAClickKeepsAwayFromAWindowThatADialogBlocks(t *testing.T) {
	virtualtest.Need(t, "mousepad")
	b := open(t)
	b.editor("mousepad")
	ctx := t.Context()
	b.manage(b.window("note.txt").ID, desktop.Place, desktop.Rect{X: 20, Y: 20, W: 400, H: 300})
	w := b.window("note.txt")
	at := w.Bounds.Center()
	b.must(b.Do(ctx, desktop.Click{At: at, Button: desktop.Left, In: &w}))
	b.must(b.Do(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "o"}}))
	dialog := b.window("Open")
	b.manage(dialog.ID, desktop.Place, desktop.Rect{X: 500, Y: 20, W: 400, H: 300})
	if err := b.Do(ctx, desktop.Click{At: at, Button: desktop.Left, In: &w}); !errors.Is(err, desktop.ErrMoved) || !strings.Contains(err.Error(), "Open") {
		t.Errorf("before the dialog %q: got %v", dialog.Title, err)
	}
	b.must(b.Do(ctx, desktop.Press{Chord: desktop.Chord{Key: "escape"}}))
	b.eventually("the window is clicked again", func() (bool, string) {
		err := b.Do(ctx, desktop.Click{At: at, Button: desktop.Left, In: &w})
		return err == nil, fmt.Sprint(err)
	})
}

var xevButton = regexp.MustCompile(`ButtonPress event.*\n.*, time \d+, \((\d+),(\d+)\)`)

// While a window is moved again and again, each click that is reported as done reaches it, at the
// right point.
func TestAtLengthClicksInAWindowThatMoves(t *testing.T) {
	b := open(t)
	e := b.events()
	w := b.window("Event Tester")
	inset := desktop.Point{X: 30, Y: 40}
	inner := b.inside(w.ID)
	from := desktop.Point{X: inner.X - w.Bounds.X + inset.X, Y: inner.Y - w.Bounds.Y + inset.Y}
	ctx, cancel := context.WithCancel(t.Context())
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		for i := 0; ctx.Err() == nil; i++ {
			_ = b.Do(ctx, desktop.Manage{Window: w.ID, Do: desktop.Place, Bounds: desktop.Rect{X: 100 + i%5*40, Y: 100}})
			select {
			case <-ctx.Done():
			case <-time.After(15 * time.Millisecond):
			}
		}
	}()
	done, unclear := 0, 0
	for tries := 0; done < 50 && tries < 2000; tries++ {
		now := b.look(w.ID)
		at := desktop.Point{X: now.Bounds.X + from.X, Y: now.Bounds.Y + from.Y}
		switch err := b.Do(t.Context(), desktop.Click{At: at, Button: desktop.Left, In: &now}); {
		case err == nil:
			done++
		case errors.Is(err, desktop.ErrUnclear):
			unclear++
		case !errors.Is(err, desktop.ErrMoved):
			t.Fatal(err)
		}
	}
	cancel()
	<-moved
	t.Logf("%d clicks were done, of %d it is not clear", done, unclear)
	if done == 0 {
		t.Fatal("no click was done")
	}
	here := fmt.Sprintf("%d,%d", inset.X, inset.Y)
	b.eventually(fmt.Sprintf("the window got the %d clicks that were done", done), func() (bool, string) {
		text, err := os.ReadFile(e.log)
		b.must(err)
		right, all := 0, xevButton.FindAllStringSubmatch(string(text), -1)
		for _, m := range all {
			if m[1]+","+m[2] == here {
				right++
			}
		}
		return right >= done && len(all) <= done+unclear, fmt.Sprintf("%d of %d at %s", right, len(all), here)
	})
}
