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

	"understudy/internal/desktop"
)

// The server records the damage of windows: the regions that were drawn. It does not tell
// when, only where since the last request, and notifies once that there is something to
// request. So the damage is requested soon after a notification, and gets the time of the
// answer.

const (
	// canvases is how many windows are tracked at most.
	canvases = 16
	// paints is how many regions are remembered of each.
	paints = 64
	// hearSoon is the delay before the damage of a window is requested that was queried
	// lately, and hearLate that of others, because some windows are drawn all the time.
	hearSoon, hearLate = 10 * time.Millisecond, time.Second
	lately             = time.Second
	// forgetAfter is how long a window is tracked after the last query.
	forgetAfter = time.Minute
)

// everywhere is as large as any screen.
var everywhere = desktop.Rect{W: 1 << 16, H: 1 << 16}

type drawings struct {
	*server
	alive  func() bool // reports whether the connection still stands
	mu     sync.Mutex
	region xfixes.Region    // that receives damage; guarded by mu
	of     []*damagedWindow // in the order of the last queries; guarded by mu
}

// A damagedWindow is a window that is tracked.
type damagedWindow struct {
	window xproto.Window
	damage damage.Damage
	wanted time.Time // of the last query
	since  time.Time // nothing is known about the time before
	drawn  []paint
	heard  time.Time // of the last damage
}

// A paint is an area of a window that was drawn before a time.
type paint struct {
	area  desktop.Rect // relative to the corner of the window
	heard time.Time
}

// useDamage enables the extensions for damage, if the server has them.
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

// LastDrawn returns a time after which nothing was drawn in an area of a window: the current
// time if nothing is known.
func (s screen) LastDrawn(ctx context.Context, id desktop.WindowID, area desktop.Rect) (time.Time, error) {
	return query(ctx, s.Driver, func(l *xConn) (time.Time, error) { return l.lastDrawn(xproto.Window(id), area) })
}

func (d *drawings) lastDrawn(w xproto.Window, area desktop.Rect) (time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.region == 0 { // there is no damage
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
	if err != nil { // another window may have its ID by now
		d.of = d.of[:len(d.of)-1]
		return time.Now(), nil
	}
	area.X, area.Y = area.X-corner.X, area.Y-corner.Y
	return c.lastIn(area), nil
}

// subscribeDamage begins to track a window, unless it is gone.
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

// forget stops tracking a window.
func (d *drawings) forget(c *damagedWindow) {
	damage.Destroy(d.x, c.damage)
	d.of = slices.DeleteFunc(d.of, func(o *damagedWindow) bool { return o == c })
}

// painted schedules the request for the damage of a window that the server notified about.
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

// hear requests what was drawn in a window since the last time, and returns the corner of the
// window.
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

// add adds a paint in place of those that it covers. If there are too many the oldest is
// dropped, and nothing is known about the time before it any more.
func (c *damagedWindow) add(s paint) {
	c.drawn = slices.DeleteFunc(c.drawn, func(old paint) bool { return old.area.Intersect(s.area) == old.area })
	if len(c.drawn) == paints {
		c.since = c.drawn[0].heard
		c.drawn = slices.Delete(c.drawn, 0, 1)
	}
	c.drawn = append(c.drawn, s)
}

// lastIn returns when an area was last heard to be drawn.
func (c *damagedWindow) lastIn(area desktop.Rect) time.Time {
	for _, s := range slices.Backward(c.drawn) {
		if !s.area.Intersect(area).Empty() {
			return s.heard
		}
	}
	return c.since
}
