package watch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/words"
	"understudy/recorder"
)

// The bar, in pixels and lines.
const (
	charWidth, lineHeight = 8, 17 // of input.Face
	barPad                = 8
	buttonHeight          = 22
	barWidth              = 530
	barLines              = 5
	barHeight             = 2*barPad + lineHeight + buttonHeight + barPad + barLines*lineHeight
	// checkRest is how long the pointer must rest on an element to check it.
	checkRest = 1200 * time.Millisecond
)

var (
	barInk    = color.RGBA{240, 240, 240, 255}
	barPaper  = color.RGBA{32, 34, 38, 255}
	barButton = color.RGBA{70, 74, 82, 255}
	barLive   = color.RGBA{220, 60, 60, 255}
)

// bar shows the state of a recording above all windows, and takes commands by clicks.
// Input on it is not recorded. A nil bar is none.
type bar struct {
	at      desktop.Point
	held    *desktop.Point   // where on it a button is held
	check   recorder.Command // of the element on which the pointer will rest
	timer   *time.Timer
	shown   string // its text
	broken  bool   // this desktop cannot show it
	buttons []barButtonAt
}

type barButtonAt struct {
	recorder.Steering
	area image.Rectangle // on the bar
}

func newBar() *bar {
	b := &bar{at: desktop.Point{X: -1}, timer: stoppedTimer()}
	x := barPad
	for _, s := range recorder.Steerings() {
		w := len(s.Label)*charWidth + 2*barPad
		b.buttons = append(b.buttons, barButtonAt{s, image.Rect(x, barPad+lineHeight, x+w, barPad+lineHeight+buttonHeight)})
		x += w + 4
	}
	return b
}

// rested receives when the pointer has rested on an element to check.
func (b *bar) rested() <-chan time.Time {
	if b == nil {
		return nil
	}
	return b.timer.C
}

// chosen returns the requested check, and clears it.
func (b *bar) chosen() recorder.Command {
	c := b.check
	b.check = ""
	return c
}

func (b *bar) bounds() desktop.Rect {
	return desktop.Rect{X: b.at.X, Y: b.at.Y, W: barWidth, H: barHeight}
}

// covers reports whether the bar covers a part of an area.
func (b *bar) covers(area desktop.Rect) bool {
	return b != nil && b.shown != "" && !b.bounds().Intersect(area).Empty()
}

// takes reports whether input is for the bar, and handles it.
func (b *bar) takes(ctx context.Context, r *recording, ev desktop.InputEvent) bool {
	if b == nil || b.shown == "" {
		return false
	}
	if ev.Type == desktop.PointerMove {
		if b.check != "" && !b.bounds().Contains(ev.At) {
			b.timer.Reset(checkRest)
		}
		return b.held != nil
	}
	switch on := b.bounds().Contains(ev.At); {
	case ev.Type == desktop.ButtonPress && on:
		b.held = &ev.At
	case ev.Type == desktop.ButtonRelease && b.held != nil:
		from := *b.held
		b.held = nil
		b.letGo(ctx, r, from, ev.At)
	default:
		return on && ev.Type == desktop.WheelTurn
	}
	return true
}

// letGo presses a button of the bar, or moves the bar by the distance of a drag.
func (b *bar) letGo(ctx context.Context, r *recording, from, to desktop.Point) {
	if !recorder.Near(from, to) {
		b.at.X, b.at.Y = b.at.X+to.X-from.X, b.at.Y+to.Y-from.Y
		b.shown = " " // show it again at its new place
		return
	}
	on := image.Pt(to.X-b.at.X, to.Y-b.at.Y)
	i := slices.IndexFunc(b.buttons, func(c barButtonAt) bool { return on.In(c.area) })
	if i < 0 {
		return
	}
	if c := b.buttons[i].Command; c == recorder.Check || c == recorder.CheckText {
		b.check = c
		return
	}
	r.command(ctx, b.buttons[i].Command, to)
}

// show updates the bar.
func (b *bar) show(ctx context.Context, r *recording) {
	if b == nil || b.broken {
		return
	}
	title := "recording"
	switch {
	case b.check != "":
		title = "rest the pointer on the element to check"
	case r.paused:
		title = "paused"
	}
	lines := []string{title}
	for _, l := range r.reporter.lines[max(0, len(r.reporter.lines)-barLines):] {
		lines = append(lines, l.String())
	}
	said := strings.Join(lines, "\n")
	if said == b.shown {
		return
	}
	if b.at.X < 0 {
		b.at = b.corner(ctx, r)
	}
	err := r.desktop.Do(ctx, desktop.Panel{At: b.at, Picture: b.draw(lines, !r.paused)})
	if b.broken = err != nil; b.broken {
		r.reporter.say("the bar cannot be shown: " + err.Error())
		return
	}
	b.shown = said
}

// corner returns the first place of the bar: at the top right.
func (b *bar) corner(ctx context.Context, r *recording) desktop.Point {
	monitors, err := r.desktop.Monitors(ctx)
	if err != nil || len(monitors) == 0 {
		return desktop.Point{}
	}
	m := monitors[0].Bounds
	return desktop.Point{X: max(m.X, m.X+m.W-barWidth-barPad), Y: m.Y + barPad}
}

func (b *bar) close(ctx context.Context, r *recording) {
	if b != nil && b.shown != "" {
		_ = r.desktop.Do(ctx, desktop.Panel{}) // it vanishes with the connection, too
	}
}

func (b *bar) draw(lines []string, live bool) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, barWidth, barHeight))
	fill := func(area image.Rectangle, c color.Color) {
		draw.Draw(p, area, image.NewUniform(c), image.Point{}, draw.Src)
	}
	text := func(x, y int, text string) {
		d := font.Drawer{Dst: p, Src: image.NewUniform(barInk), Face: input.Face(), Dot: fixed.P(x, y+12)}
		d.DrawString(words.Shorten(text, (barWidth-x-barPad)/charWidth))
	}
	fill(p.Rect, barPaper)
	if live {
		fill(image.Rect(barPad, barPad+2, barPad+10, barPad+12), barLive)
	}
	text(barPad+16, barPad, lines[0])
	for _, c := range b.buttons {
		fill(c.area, barButton)
		text(c.area.Min.X+barPad, c.area.Min.Y+3, c.Label)
	}
	for i, line := range lines[1:] {
		text(barPad, 2*barPad+lineHeight+buttonHeight+i*lineHeight, line)
	}
	return p
}
