package input

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps/desktop"
)

func TestMarksGoWithTheirTimeOrTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Marks
		removed := map[string]int{}
		show := func(name string, d time.Duration) {
			t.Helper()
			err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}, For: d}, func() (func(context.Context) error, error) {
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
	draw := func() (func(context.Context) error, error) {
		return func(context.Context) error { t.Error("it was removed"); return nil }, failed
	}
	if err := m.Show(desktop.Mark{}, draw); err == nil || errors.Is(err, failed) {
		t.Errorf("an empty area: %v", err)
	}
	if err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}}, draw); !errors.Is(err, failed) {
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
		err := m.Show(desktop.Mark{Area: desktop.Rect{W: 1, H: 1}}, func() (func(context.Context) error, error) {
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
