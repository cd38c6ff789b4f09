package input

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
)

func TestMarksGoWithTheirTimeOrTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Marks
		removed := map[string]int{}
		show := func(name string, d time.Duration) {
			t.Helper()
			err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}, For: d}, desktop.Rect{W: 9, H: 9}, func(Frame) (func(context.Context) error, error) {
				return func(context.Context) error { removed[name]++; return nil }, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		show("short", time.Second)
		show("long", time.Minute)
		show("for good", 0)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if removed["short"] != 1 || len(removed) != 1 {
			t.Errorf("after the time of the first, these were removed: %v", removed)
		}
		if err := m.RemoveAll(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		for name, n := range removed {
			if n != 1 {
				t.Errorf("%q was removed %d times", name, n)
			}
		}
		if len(removed) != 3 {
			t.Errorf("in the end these were removed: %v", removed)
		}
	})
}

func TestAMarkThatIsNotDrawnIsNotRemoved(t *testing.T) {
	var m Marks
	failed := errors.New("nothing to draw on")
	draw := func(Frame) (func(context.Context) error, error) {
		return func(context.Context) error { t.Error("it was removed"); return nil }, failed
	}
	if err := m.Show(desktop.Mark{}, desktop.Rect{W: 9, H: 9}, draw); err == nil || errors.Is(err, failed) {
		t.Errorf("an empty area: %v", err)
	}
	if err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}}, desktop.Rect{W: 9, H: 9}, draw); !errors.Is(err, failed) {
		t.Errorf("got %v, want %v", err, failed)
	}
	if err := m.RemoveAll(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAMarkThatCannotBeRemovedLeavesNoOthers(t *testing.T) {
	var m Marks
	removed := 0
	for range 3 {
		err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}}, desktop.Rect{W: 9, H: 9}, func(Frame) (func(context.Context) error, error) {
			return func(context.Context) error { removed++; return desktop.ErrUnresponsive }, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := m.RemoveAll(t.Context()); !errors.Is(err, desktop.ErrUnresponsive) || removed != 3 {
		t.Errorf("%d of 3 were removed, %v", removed, err)
	}
}

// A label is as wide as its characters, whatever they are, and on the screen even if the element
// is at its top.
func TestALabelIsWhole(t *testing.T) {
	screen := desktop.Rect{X: -100, Y: -100, W: 900, H: 900}
	width := func(label string) int {
		return frameOf(desktop.Rect{X: 50, Y: 50, W: 9, H: 9}, screen, label).Around.Dx()
	}
	if plain, other := width(strings.Repeat("o", 20)), width(strings.Repeat("ö", 20)); plain != other {
		t.Errorf("a label of twenty ö is %d wide, and one of twenty o %d", other, plain)
	}
	f := frameOf(desktop.Rect{X: 50, Y: -95, W: 90, H: 40}, screen, "here")
	if at := f.Around.Min; at.Y < screen.Y {
		t.Errorf("the mark of an element at the top begins at %s, above the screen", at)
	}
}

// Of an element that is larger than the screen, such as a page, the part on the screen is framed.
func TestAnAreaThatIsLargerThanTheScreen(t *testing.T) {
	var m Marks
	screen := desktop.Rect{X: -100, W: 900, H: 700}
	err := m.Show(desktop.Mark{Area: desktop.Rect{X: 20, Y: -30_000, W: 300, H: 70_000}, Label: "page"}, screen, func(f Frame) (func(context.Context) error, error) {
		if want := (desktop.Rect{X: 20, W: 300, H: 700}); f.Area != want || !desktop.RectOf(f.Parts[4]).Image().In(screen.Image()) {
			t.Errorf("the frame is around %s, want %s, and the label at %s", f.Area, want, f.Parts[4])
		}
		return nil, nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := m.Show(desktop.Mark{Area: desktop.Rect{X: 2000, W: 9, H: 9}}, screen, nil); err == nil {
		t.Error("what is not on the screen was marked")
	}
}
