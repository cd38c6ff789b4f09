//go:build linux

package x11_test

import (
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/x11"
)

// lastDrawn returns when an area of a window was last drawn, as the driver knows it.
func (b *bench) lastDrawn(c *x11.Canvas, area desktop.Rect) time.Time {
	b.t.Helper()
	at, err := b.LastDrawn(b.t.Context(), c.ID, area)
	b.must(err)
	return at
}

// rests waits until an area of a window has not been drawn for some time.
func (b *bench) rests(c *x11.Canvas, area desktop.Rect) {
	b.t.Helper()
	b.eventually("nothing is drawn at "+area.String(), func() (bool, string) {
		since := time.Since(b.lastDrawn(c, area))
		return since > 50*time.Millisecond, since.String()
	})
}

// drawnAfter fails the test unless the driver knows that an area was drawn after a time.
func (b *bench) drawnAfter(c *x11.Canvas, area desktop.Rect, before time.Time) {
	b.t.Helper()
	if at := b.lastDrawn(c, area); at.Before(before) {
		b.t.Errorf("%s was drawn %v before it was", area, before.Sub(at))
	}
}

func TestLastDrawn(t *testing.T) {
	b := open(t)
	c := x11.NewCanvas(t, b.driver, desktop.Rect{X: 300, Y: 200, W: 400, H: 100})
	left, right := desktop.Rect{X: 310, Y: 210, W: 50, H: 20}, desktop.Rect{X: 600, Y: 210, W: 50, H: 20}

	t.Run("of a window that is asked for first nothing is known", func(t *testing.T) {
		b, before := b.with(t), time.Now()
		b.drawnAfter(c, left, before)
	})
	t.Run("what nobody draws in rests", func(t *testing.T) {
		b := b.with(t)
		b.rests(c, left)
		b.rests(c, right)
	})
	t.Run("what is drawn is heard of, and of what lies beside it nothing", func(t *testing.T) {
		b, before := b.with(t), time.Now()
		c.Draw(t, left)
		b.drawnAfter(c, left, before)
		if at := b.lastDrawn(c, right); !at.Before(before) {
			t.Error("what was not drawn counts as drawn")
		}
	})
	t.Run("what is drawn is heard of without asking", func(t *testing.T) {
		b, began := b.with(t), time.Now()
		c.Draw(t, right)
		b.eventually("it is heard of", func() (bool, string) { return c.Heard().After(began), c.Heard().String() })
		before := time.Now()
		if at := b.lastDrawn(c, right); at.After(before) {
			t.Error("it is only heard of when it is asked for")
		}
	})
	t.Run("what moves never rests", func(t *testing.T) {
		b := b.with(t)
		for i := range 40 {
			before := time.Now()
			c.Draw(t, desktop.Rect{X: 310 + i, Y: 210, W: 50, H: 20})
			b.drawnAfter(c, left, before)
		}
	})
	t.Run("a window that moved is asked for where it is", func(t *testing.T) {
		b := b.with(t)
		c.Move(t, 20, 30)
		left := desktop.Rect{X: left.X - 280, Y: left.Y - 170, W: left.W, H: left.H}
		b.rests(c, left)
		before := time.Now()
		c.Draw(t, left)
		b.drawnAfter(c, left, before)
	})
	t.Run("of many small strokes none is forgotten for nothing", func(t *testing.T) {
		b, before := b.with(t), time.Now()
		for i := range 200 {
			c.Draw(t, desktop.Rect{X: 21 + 2*(i%180), Y: 31 + 2*(i/180), W: 1, H: 1})
			b.lastDrawn(c, left)
		}
		b.drawnAfter(c, desktop.Rect{X: 21, Y: 31, W: 1, H: 1}, before)
	})
	t.Run("of a window that is gone nothing is known", func(t *testing.T) {
		b := b.with(t)
		c.Close(t)
		for range 3 {
			before := time.Now()
			b.drawnAfter(c, left, before)
		}
	})
	t.Run("of many windows the last ones count", func(t *testing.T) {
		b := b.with(t)
		var all []*x11.Canvas
		area := desktop.Rect{X: 5, Y: 5, W: 20, H: 20}
		for range 20 {
			c := x11.NewCanvas(t, b.driver, desktop.Rect{W: 40, H: 40})
			b.lastDrawn(c, area)
			all = append(all, c)
		}
		b.rests(all[19], area)
		before := time.Now()
		b.drawnAfter(all[0], area, before)
	})
}
