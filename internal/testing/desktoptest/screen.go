package desktoptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

func (k *kit) capture(area desktop.Rect) *image.RGBA {
	k.Helper()
	picture, err := k.Capture(k.Context(), area)
	k.must(err)
	return picture
}

func testCaptureSize(k *kit) {
	monitors, err := k.Monitors(k.Context())
	k.must(err)
	whole := desktop.ScreenOf(monitors).Image()
	develop, err := k.Snap(k.Context())
	k.must(err)
	size := func(m *image.RGBA) desktop.Size { return desktop.Size{W: m.Rect.Dx(), H: m.Rect.Dy()} }
	all := desktop.Size{W: whole.Dx(), H: whole.Dy()}
	check(k, "a snap", size(develop()), all)
	check(k, "the whole screen", size(k.capture(desktop.Rect{})), all)
	check(k, "an area", size(k.capture(desktop.Rect{X: 30, Y: 40, W: 51, H: 7})), desktop.Size{W: 51, H: 7})
	beyond := desktop.Rect{X: whole.Max.X - 10, Y: whole.Max.Y - 5, W: 100, H: 100}
	check(k, "an area that goes beyond the screen", size(k.capture(beyond)), desktop.Size{W: 10, H: 5})
}

// shows waits until a capture shows the canvas in one colour.
func (k *kit) shows(want color.RGBA) {
	k.Helper()
	box := k.box("Canvas")
	k.until("the canvas has its colour", func() error {
		m := k.capture(desktop.Rect{X: box.X + 2, Y: box.Y + 2, W: box.W - 4, H: box.H - 4})
		for y := range m.Rect.Dy() {
			for x := range m.Rect.Dx() {
				if got := m.RGBAAt(x, y); got != want {
					return fmt.Errorf("at %d,%d it is %v, want %v", x, y, got, want)
				}
			}
		}
		return nil
	})
}

func testColour(k *kit) {
	k.shows(Colour)
	k.must(k.App.Do("paint 20 90 220"))
	k.shows(color.RGBA{20, 90, 220, 255})
}

func testLastDrawn(k *kit) {
	id, box := k.window("Contract").ID, k.box("Canvas")
	k.shows(Colour)
	k.noticesDrawing(id, box, color.RGBA{20, 90, 220, 255})
	k.noticesDrawing(0, desktop.Rect{}, color.RGBA{220, 90, 20, 255})
}

// noticesDrawing paints the canvas, and waits until LastDrawn of an area reports it.
func (k *kit) noticesDrawing(id desktop.WindowID, box desktop.Rect, paint color.RGBA) {
	k.rests(id, box, 50*time.Millisecond)
	begin := time.Now()
	k.must(k.App.Do(fmt.Sprintf("paint %d %d %d", paint.R, paint.G, paint.B)))
	k.shows(paint)
	k.until("the drawing is noticed", func() error {
		at, err := k.LastDrawn(k.Context(), id, box)
		if err == nil && at.Before(begin) {
			err = fmt.Errorf("it was drawn last %v before", begin.Sub(at))
		}
		return err
	})
}

// rests waits until nothing was drawn in an area for a while.
func (k *kit) rests(id desktop.WindowID, box desktop.Rect, long time.Duration) {
	k.Helper()
	k.until("it rests", func() error {
		at, err := k.LastDrawn(k.Context(), id, box)
		if rests := time.Since(at); err == nil && rests < long {
			err = fmt.Errorf("it rests since %v", rests)
		}
		return err
	})
}

func testMark(k *kit) {
	k.shows(Colour)
	box := k.box("Canvas")
	around := desktop.Rect{X: box.X - 5, Y: box.Y - 5, W: box.W + 10, H: box.H + 10}
	k.do(desktop.MovePointer{To: k.middle("Name")}) // so that nothing in the area lights up
	k.must(k.App.Do("settle"))
	if k.Lacks["what is drawn anew is noticed"] == "" {
		k.rests(k.window("Contract").ID, around, 300*time.Millisecond) // what was lit up fades
	}
	before, listed := k.capture(around), len(k.windows())
	k.do(desktop.Mark{Area: box, Label: "here", For: time.Minute})
	k.until("the mark shows", func() error {
		if bytes.Equal(before.Pix, k.capture(around).Pix) {
			return errors.New("nothing changed on the screen")
		}
		return nil
	})
	check(k, "the number of windows", len(k.windows()), listed)
	k.click(k.middle("Canvas"))
	k.click(desktop.Point{X: box.X, Y: box.Y + box.H/2}) // where the frame is
	at := fmt.Sprintf("at 0,%d", box.H/2)
	k.hears("press release", append(k.around(desktop.Left, ""), `press "Canvas" left `+at, `release "Canvas" left `+at)...)
	k.do(desktop.Unmark{})
	k.do(desktop.MovePointer{To: k.middle("Name")})
	k.until("the mark is gone", func() error {
		if !bytes.Equal(before.Pix, k.capture(around).Pix) {
			return errors.New("the screen is not as it was")
		}
		return nil
	})
}

func testClipboard(k *kit) {
	for _, text := range []string{"plain", "two\nlines\tand ελληνικά, 日本語 🙂 ", strings.Repeat("long, ", 50_000)} {
		k.do(desktop.WriteClipboard{Text: text})
		got, err := k.ReadClipboard(k.Context())
		k.must(err)
		if got != text {
			k.Errorf("the clipboard gave %d bytes back, want the %d that were put in: %.40q", len(got), len(text), got)
		}
	}
}

func testCopyPaste(k *kit) {
	k.do(desktop.WriteClipboard{Text: "nothing"})
	k.writeIn("Name", "Łódź")
	k.press("ctrl+a ctrl+c")
	k.until("it is copied", func() error {
		text, err := k.ReadClipboard(k.Context())
		return errors.Join(err, same("the clipboard", text, "Łódź"))
	})
	k.do(desktop.WriteClipboard{Text: "pasted"})
	k.press("end ctrl+v")
	k.holds("Name", "Łódźpasted")
}

func testWatch(k *kit) {
	var mu sync.Mutex
	var seen []string
	began, person := make(chan struct{}), make(chan struct{})
	var keys bool // are heard
	var once sync.Once
	ctx, cancel := context.WithCancel(k.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- k.Watch(ctx, func(e desktop.InputEvent) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprintf("%s %s%s", e.Type, e.Key, e.Button))
			switch {
			case e.Type == desktop.WatchBegan:
				keys = !slices.Contains(e.Unreported, desktop.KeyPress)
				close(began)
			case e.Type == desktop.KeyRelease && e.Key == "f8", e.Type == desktop.ButtonRelease && e.Button == desktop.Middle:
				once.Do(func() { close(person) })
			}
		})
	}()
	k.await(began, "the watch begins")
	k.click(k.middle("Canvas"))
	k.writeIn("Name", "ours ж")
	k.press("ctrl+a")
	k.do(desktop.Scroll{DY: 1})
	k.must(k.App.Do("reset"))
	want := []string{"watch_began ", "key_press f8", "key_release f8"}
	if keys {
		k.must(k.Person("f8"))
		k.hears("key", `key "f8" down`, `key "f8" up`)
	} else {
		want = []string{"watch_began ", "button_press middle", "button_release middle"}
		k.clicksUntil(person)
	}
	k.await(person, "what the person does is seen")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		k.Errorf("the watch ended with %v", err)
	}
	check(k, "what was seen", seen[:min(len(want), len(seen))], want)
	for _, more := range seen[min(len(want), len(seen)):] {
		if keys || !slices.Contains(want, more) {
			k.Errorf("%s was seen too", more)
		}
	}
}

// clicksUntil has a person click until that is seen: a busy shell, which looks at the buttons
// from time to time, misses a click that is shorter than any of a person.
func (k *kit) clicksUntil(seen <-chan struct{}) {
	k.Helper()
	for end := scratch.Deadline(k); time.Now().Before(end); {
		k.must(k.PersonClicks(desktop.Middle))
		select {
		case <-seen:
			return
		case <-time.After(time.Second):
		}
	}
}

func testCancelled(k *kit) {
	at := k.middle("Canvas")
	k.click(k.middle("Name"))
	why := errors.New("stop here")
	ctx, cancel := context.WithCancelCause(k.Context())
	cancel(why)
	for what, err := range map[string]error{
		"a click": k.Do(ctx, desktop.Click{At: at, Button: desktop.Left}), "typing": k.Do(ctx, desktop.Type{Text: "x"}),
	} {
		if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
			k.Errorf("%s: %v, want the cause or that it was cancelled", what, err)
		}
	}
	k.click(k.middle("OK"))
	k.hears("press text click", `click "OK"`)
}

func testInfo(k *kit) {
	k.must(k.Ping(k.Context()))
	info, err := k.Info(k.Context())
	k.must(err)
	monitors, err := k.Monitors(k.Context())
	k.must(err)
	check(k, "the monitors", info.Monitors, monitors)
	if info.System == "" || len(monitors) == 0 || monitors[0].Bounds.Empty() {
		k.Errorf("it says %+v", info)
	}
}

// testPanel puts a panel over the canvas. Clicks on it are the panel's.
func testPanel(k *kit) {
	box := k.box("Canvas")
	area := desktop.Rect{X: box.X + 2, Y: box.Y + 2, W: box.W - 4, H: box.H - 4}
	panel, green := image.NewRGBA(image.Rect(0, 0, area.W, area.H)), color.RGBA{0, 160, 0, 255}
	draw.Draw(panel, panel.Rect, image.NewUniform(green), image.Point{}, draw.Src)
	listed := len(k.windows())
	k.do(desktop.Panel{At: desktop.Point{X: area.X, Y: area.Y}, Picture: panel})
	k.until("the panel shows", func() error {
		p := k.capture(area)
		return same("its last corner", p.RGBAAt(p.Rect.Max.X-1, p.Rect.Max.Y-1), green)
	})
	check(k, "the number of windows", len(k.windows()), listed)
	k.click(k.middle("Name"))
	k.click(k.middle("Canvas"))
	k.write("still here")
	k.holds("Name", "still here")
	k.hears("press release")
	k.do(desktop.Panel{})
	k.click(k.middle("Canvas"))
	k.hears("press release", k.around(desktop.Left, "")...)
}
