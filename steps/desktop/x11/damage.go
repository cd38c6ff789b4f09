//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// The server keeps account of where windows are drawn anew. It does not say
// when, only where since it was asked last, and once that there is something to
// ask for; so it is asked soon after that, and the time is kept when it answered.

const (
	// canvases is how many windows the server keeps account of for us.
	canvases = 16
	// paints is how much is remembered of each.
	paints = 64
	// hearSoon is how soon it is asked what was drawn in a window of which
	// somebody wanted to know lately, and hearLate how soon in any other: some are
	// drawn all the time.
	hearSoon, hearLate = 10 * time.Millisecond, time.Second
	lately             = time.Second
	// forgetAfter is when a window is forgotten of which nobody wants to know.
	forgetAfter = time.Minute
)

// everywhere is as large as a screen can be.
var everywhere = desktop.Rect{W: 1 << 16, H: 1 << 16}

type drawings struct {
	*server
	alive  func() bool // whether the connection still stands
	mu     sync.Mutex
	region xfixes.Region    // which the server answers in; guarded by mu
	of     []*damagedWindow // guarded by mu; the one that was wanted last is last
}

// A damagedWindow is a window that the server keeps account of.
type damagedWindow struct {
	window xproto.Window
	damage damage.Damage
	wanted time.Time // the last time
	since  time.Time // what came before is not known
	drawn  []paint
	heard  time.Time
}

// A paint is an area of a window that was drawn anew, some time before it was
// heard of.
type paint struct {
	area  desktop.Rect // from the corner of the window
	heard time.Time
}

// useDamage turns to the extensions that keep account, if the server has them.
func (d *drawings) useDamage() {
	if !d.has["XFIXES"] || !d.has["DAMAGE"] {
		return
	}
	fixes := xfixes.QueryVersion(d.x, 2, 0) // the first with regions
	_, err := damage.QueryVersion(d.x, 1, 1).Reply()
	_, err2 := fixes.Reply()
	region, err3 := xfixes.NewRegionId(d.x)
	if errors.Join(err, err2, err3) == nil && xfixes.CreateRegionChecked(d.x, region, nil).Check() == nil {
		d.region = region
	}
}

// LastDrawn is a time after which nothing was drawn in an area of a window: now,
// where nothing is known.
func (s screen) LastDrawn(ctx context.Context, id desktop.WindowID, area desktop.Rect) (time.Time, error) {
	return look(ctx, s.Driver, func(l *xConn) (time.Time, error) {
		return ask(ctx, l, func() (time.Time, error) { return l.lastDrawn(xproto.Window(id), area) })
	})
}

func (d *drawings) lastDrawn(w xproto.Window, area desktop.Rect) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.region == 0 { // the server keeps no account
		return time.Now(), nil
	}
	if w == 0 {
		w, area = d.root, everywhere
	}
	i := slices.IndexFunc(d.of, func(c *damagedWindow) bool { return c.window == w })
	if i < 0 {
		d.subscribeDamage(w)
		return time.Now(), nil
	}
	c := d.of[i]
	d.of = append(slices.Delete(d.of, i, i+1), c)
	c.wanted = time.Now()
	corner, err := d.hear(c)
	if err != nil { // another window may have its number by now
		d.of = d.of[:len(d.of)-1]
		return time.Now(), nil
	}
	area.X, area.Y = area.X-corner.X, area.Y-corner.Y
	return c.lastIn(area), nil
}

// subscribeDamage lets the server keep account of a window, unless it is gone.
func (d *drawings) subscribeDamage(w xproto.Window) {
	if len(d.of) == canvases {
		d.forget(d.of[0])
	}
	id, err := damage.NewDamageId(d.x)
	if err == nil {
		err = damage.CreateChecked(d.x, id, xproto.Drawable(w), damage.ReportLevelNonEmpty).Check()
	}
	if err == nil {
		now := time.Now()
		d.of = append(d.of, &damagedWindow{window: w, damage: id, wanted: now, since: now})
	}
}

// forget lets the server keep account of a window no more.
func (d *drawings) forget(c *damagedWindow) {
	damage.Destroy(d.x, c.damage)
	d.of = slices.DeleteFunc(d.of, func(o *damagedWindow) bool { return o == c })
}

// painted hears soon what was drawn in a window, after the server said that
// something was.
func (d *drawings) painted(id damage.Damage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.of, func(c *damagedWindow) bool { return c.damage == id })
	if i < 0 {
		return
	}
	c := d.of[i]
	pause := hearLate
	if time.Since(c.wanted) < lately {
		pause = hearSoon
	}
	time.AfterFunc(pause, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if !slices.Contains(d.of, c) || !d.alive() {
			return
		}
		_, err := d.hear(c)
		if err != nil || time.Since(c.wanted) > forgetAfter {
			d.forget(c)
		}
	})
}

// hear takes what was drawn in a window since it was heard last, and gives the
// place of its corner.
func (d *drawings) hear(c *damagedWindow) (desktop.Point, error) {
	place := xproto.TranslateCoordinates(d.x, c.window, d.root, 0, 0)
	taken := damage.SubtractChecked(d.x, c.damage, xfixes.RegionNone, d.region)
	told, err := xfixes.FetchRegion(d.x, d.region).Reply()
	if err == nil {
		err = taken.Check()
	}
	at, lost := place.Reply()
	if err != nil || lost != nil {
		return desktop.Point{}, fmt.Errorf("asking what was drawn in a window: %w", errors.Join(err, lost))
	}
	now := time.Now()
	c.heard = now
	for _, r := range told.Rectangles {
		c.add(paint{desktop.Rect{X: int(r.X), Y: int(r.Y), W: int(r.Width), H: int(r.Height)}, now})
	}
	return desktop.Point{X: int(at.DstX), Y: int(at.DstY)}, nil
}

// add remembers a paint instead of those that it covers. Of more than can be
// remembered the oldest is forgotten, and with it all that came before.
func (c *damagedWindow) add(s paint) {
	c.drawn = slices.DeleteFunc(c.drawn, func(old paint) bool { return old.area.Intersect(s.area) == old.area })
	if len(c.drawn) == paints {
		c.since = c.drawn[0].heard
		c.drawn = slices.Delete(c.drawn, 0, 1)
	}
	c.drawn = append(c.drawn, s)
}

// lastIn is when an area was last heard to be drawn.
func (c *damagedWindow) lastIn(area desktop.Rect) time.Time {
	for _, s := range slices.Backward(c.drawn) {
		if !s.area.Intersect(area).Empty() {
			return s.heard
		}
	}
	return c.since
}
