//go:build linux

package x11_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/x11"
	"understudy/internal/testing/virtualtest"
)

// seen returns the screen as captured by ImageMagick.
func (b *bench) seen() image.Image {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "screen.png")
	b.run("import", "-window", "root", file)
	raw, err := os.ReadFile(file)
	b.must(err)
	img, err := png.Decode(bytes.NewReader(raw))
	b.must(err)
	return img
}

// byAllWays runs a test with and without shared memory.
func byAllWays(t *testing.T, do func(b *bench)) {
	t.Run("through shared memory", func(t *testing.T) { do(open(t)) })
	t.Run("without shared memory", func(t *testing.T) {
		b := open(t)
		x11.WithoutSharedMemory(b.driver)
		do(b)
	})
}

func TestTheScreenIsCaptured(t *testing.T) {
	virtualtest.Need(t, "import", "xsetroot")
	byAllWays(t, func(b *bench) {
		b.run("xsetroot", "-solid", "#123456")
		b.terminal("a terminal")
		b.must(b.Do(b.t.Context(), desktop.MovePointer{To: desktop.Point{X: 1900, Y: 1000}}))
		for _, area := range []desktop.Rect{{}, {X: 10, Y: 20, W: 200, H: 100}, {X: 1800, Y: 1000, W: 500, H: 500}, {X: -50, Y: -50, W: 60, H: 60}} {
			part := desktop.Rect{W: 1920, H: 1080}
			if area != (desktop.Rect{}) {
				part = part.Intersect(area)
			}
			b.shows(area, part)
		}
		if _, err := b.Capture(b.t.Context(), desktop.Rect{X: 2000, Y: 10, W: 5, H: 5}); err == nil {
			b.t.Error("an area off the screen was captured")
		}
	})
}

// TestASnapIsOfItsTime decodes a picture long after the screen has changed.
func TestASnapIsOfItsTime(t *testing.T) {
	virtualtest.Need(t, "xsetroot")
	byAllWays(t, func(b *bench) {
		paint := func(colour string) *image.RGBA {
			b.run("xsetroot", "-solid", colour)
			p, err := b.Capture(b.t.Context(), desktop.Rect{})
			b.must(err)
			return p
		}
		want := paint("#123456")
		develop, err := b.Snap(b.t.Context())
		b.must(err)
		if other := paint("#654321"); bytes.Equal(other.Pix, want.Pix) {
			b.t.Fatal("the screen did not change")
		}
		if got := develop(); got.Rect != want.Rect || !bytes.Equal(got.Pix, want.Pix) {
			b.t.Error("the picture is not of the time when it was taken")
		}
	})
}

// snap returns a picture of the screen.
func (b *bench) snap() *image.RGBA {
	b.t.Helper()
	develop, err := b.Snap(b.t.Context())
	b.must(err)
	return develop()
}

// elastic makes the size of the screen changeable by xrandr, up to its current size. Xvfb removes
// the monitor although it reports a failure.
func (b *bench) elastic() {
	b.t.Helper()
	_ = b.command("xrandr", "--output", "screen", "--off").Run()
	b.run("xrandr", "--fb", "1000x1000")
}

// shows fails the test unless a picture of an area becomes equal to a part of the screen as captured
// by ImageMagick. Applications may still be drawing.
func (b *bench) shows(area, part desktop.Rect) {
	b.t.Helper()
	b.eventually("a picture shows the screen", func() (bool, string) {
		got, err := b.Capture(b.t.Context(), area)
		if errors.Is(err, desktop.ErrUnresponsive) { // a busy machine
			return false, err.Error()
		}
		b.must(err)
		want := b.seen()
		if size := image.Rect(0, 0, part.W, part.H); got.Rect != size {
			b.t.Fatalf("%v: the picture has %v, wanted %v", area, got.Rect, size)
		}
		cut := image.NewRGBA(got.Rect)
		draw.Draw(cut, cut.Rect, want, image.Pt(part.X, part.Y), draw.Src)
		return bytes.Equal(got.Pix, cut.Pix), fmt.Sprintf("the picture of %v differs", area)
	})
}

func TestTheScreenMayChangeItsSize(t *testing.T) {
	virtualtest.Need(t, "import", "xrandr", "xsetroot")
	b := open(t)
	b.run("xsetroot", "-mod", "16", "16", "-fg", "#123456", "-bg", "#fedcba")
	b.terminal("a terminal")
	b.elastic()
	for _, size := range []desktop.Size{{W: 1001, H: 700}, {W: 1920, H: 1080}, {W: 640, H: 480}, {W: 1600, H: 900}} {
		b.run("xrandr", "--fb", size.String())
		screen := desktop.Rect{W: size.W, H: size.H}
		b.shows(desktop.Rect{}, screen)
		corner := desktop.Point{X: size.W - 1, Y: size.H - 1}
		b.must(b.Do(t.Context(), desktop.MovePointer{To: corner}))
		if at, err := b.PointerPosition(t.Context()); err != nil || at != corner {
			t.Errorf("%v: the pointer is at %v (%v), wanted %v", size, at, err, corner)
		}
		if err := b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: size.W, Y: 5}}); err == nil {
			t.Errorf("%v: the pointer was moved off the screen", size)
		}
		if ms, err := b.Monitors(t.Context()); err != nil || ms[0].Bounds.Intersect(screen) != ms[0].Bounds {
			t.Errorf("%v: the monitors are %v (%v)", size, ms, err)
		}
	}
}

func TestPicturesAreTakenWhileTheScreenChangesItsSize(t *testing.T) {
	virtualtest.Need(t, "xrandr")
	b := open(t)
	b.elastic()
	script := b.command("sh", "-c", "for i in $(seq 40); do xrandr --fb 800x600; xrandr --fb 1920x1080; done")
	b.must(script.Start())
	done := make(chan error, 1)
	go func() { done <- script.Wait() }()
	for sizes := map[image.Point]bool{}; ; {
		img, err := b.Capture(t.Context(), desktop.Rect{})
		b.must(err)
		sizes[img.Rect.Max] = true
		sizes[b.snap().Rect.Max] = true
		select {
		case err := <-done:
			b.must(err)
			if len(sizes) < 2 {
				t.Errorf("pictures of %v were taken, wanted several sizes", sizes)
			}
			return
		default:
		}
	}
}

func TestSeveralMonitors(t *testing.T) {
	virtualtest.Need(t, "import", "xrandr", "xsetroot")
	b := open(t)
	b.run("xsetroot", "-mod", "16", "16", "-fg", "#123456", "-bg", "#fedcba")
	b.run("xrandr", "--setmonitor", "*main", "1280/300x1024/250+0+56", "screen")
	b.run("xrandr", "--setmonitor", "side", "640/150x480/120+1280+0", "none")
	ms, err := b.Monitors(t.Context())
	b.must(err)
	if len(ms) != 2 {
		t.Fatalf("the monitors are %v, wanted 2", ms)
	}
	e := b.events()
	w := b.window("Event Tester")
	for _, m := range ms {
		b.shows(m.Bounds, m.Bounds)
		b.manage(w.ID, desktop.Place, desktop.Rect{X: m.Bounds.X + 50, Y: m.Bounds.Y + 60, W: 300, H: 200})
		b.must(b.Do(t.Context(), desktop.Click{At: desktop.Point{X: m.Bounds.X + 150, Y: m.Bounds.Y + 200}, Button: desktop.Left}))
		e.want("+1", "-1")
		for _, to := range []desktop.Point{m.Bounds.Center(), {X: m.Bounds.X, Y: m.Bounds.Y}, {X: m.Bounds.X + m.Bounds.W - 1, Y: m.Bounds.Y + m.Bounds.H - 1}} {
			b.must(b.Do(t.Context(), desktop.MovePointer{To: to}))
			if at, err := b.PointerPosition(t.Context()); err != nil || at != to {
				t.Errorf("%s: the pointer is at %v (%v), wanted %v", m.Name, at, err, to)
			}
		}
		b.manage(w.ID, desktop.Maximize)
		if got := b.look(w.ID).Bounds; got != m.Bounds {
			t.Errorf("%s: maximized, a window has %v, wanted %v", m.Name, got, m.Bounds)
		}
		b.manage(w.ID, desktop.Restore)
	}
}

// A screen with ten bits for each colour is not taken for one with eight.
func TestAScreenOfAnotherDepth(t *testing.T) {
	virtualtest.Need(t, "Xvfb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "400x300x30", "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{w}
	err = server.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
	}()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	d, err := x11.Open(t.Context(), x11.Options{Display: ":" + strings.TrimSpace(number)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var missing *desktop.MissingError
	if _, err := d.Desktop().Capture(t.Context(), desktop.Rect{}); !errors.As(err, &missing) || !strings.Contains(missing.What, "30 bits") {
		t.Errorf("got %v", err)
	}
}

func TestMonitors(t *testing.T) {
	virtualtest.Need(t, "xrandr")
	b := open(t)
	got, err := b.Monitors(t.Context())
	b.must(err)
	want := []desktop.Monitor{{Name: "screen", Bounds: desktop.Rect{W: 1920, H: 1080}, Primary: true, Scale: 1}}
	if len(got) == 1 {
		want[0].Name, want[0].Primary = got[0].Name, got[0].Primary
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.run("xrandr", "--setmonitor", "left", "960/250x1080/280+0+0", "screen")
	b.run("xrandr", "--setmonitor", "*right", "960/250x1080/280+960+0", "none")
	got, err = b.Monitors(t.Context())
	b.must(err)
	want = []desktop.Monitor{
		{Name: "right", Bounds: desktop.Rect{X: 960, W: 960, H: 1080}, Primary: true, Scale: 1},
		{Name: "left", Bounds: desktop.Rect{W: 960, H: 1080}, Scale: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheScaleIsThatOfTheDesktop(t *testing.T) {
	b := open(t)
	cmd := virtualtest.Command(t, b.display, "xrdb", "-merge", "-")
	cmd.Stdin = strings.NewReader("Xft.dpi: 144\n")
	b.must(cmd.Run())
	ms, err := b.Monitors(t.Context())
	b.must(err)
	if ms[0].Scale != 1.5 {
		t.Errorf("got %v, wanted 1.5", ms[0].Scale)
	}
}

func TestTheClipboard(t *testing.T) {
	virtualtest.Need(t, "xclip")
	b := open(t)
	if got, err := b.ReadClipboard(t.Context()); err != nil || got != "" {
		t.Errorf("an empty clipboard: got %q and %v", got, err)
	}
	for _, text := range []string{"plain", "žluťoučký 日本語 🙂\n\twith lines\n", strings.Repeat("long ", 200_000), ""} {
		b.must(b.Do(t.Context(), desktop.WriteClipboard{Text: text}))
		if got, err := b.ReadClipboard(t.Context()); err != nil || got != text {
			t.Errorf("got %.30q and %v, wanted %.30q", got, err, text)
		}
		if got := b.run("xclip", "-selection", "clipboard", "-o"); got != text {
			t.Errorf("xclip says %.30q, wanted %.30q", got, text)
		}
	}
}

// An old program has its text in Latin-1 only.
func TestTheClipboardOfAnOldProgram(t *testing.T) {
	virtualtest.Need(t, "xclip")
	b := open(t)
	owner := b.command("xclip", "-selection", "clipboard", "-target", "STRING", "-i")
	owner.Stdin = strings.NewReader("Gr\xfc\xdfe")
	b.must(owner.Run())
	b.eventually("the clipboard is owned", func() (bool, string) {
		got, err := b.ReadClipboard(t.Context())
		b.must(err)
		return got == "Grüße", fmt.Sprintf("%q", got)
	})
}

// An application may take the clipboard between the moment when it is read, and has no text, and the
// moment when its owner is looked up.
func TestTheClipboardIsTakenWhileItIsRead(t *testing.T) {
	virtualtest.Need(t, "xclip")
	b := open(t)
	path, err := exec.LookPath("xclip")
	b.must(err)
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\n%[1]s \"$@\" && exit\nprintf late | %[1]s -selection clipboard -i >/dev/null 2>&1\nuntil %[1]s -selection clipboard -o >/dev/null 2>&1; do :; done\nexit 1\n", path)
	b.must(os.WriteFile(filepath.Join(dir, "xclip"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	if got, err := b.ReadClipboard(t.Context()); err != nil || got != "late" {
		t.Errorf("got %q and %v, wanted what it holds by then", got, err)
	}
}

func TestMarks(t *testing.T) {
	b := open(t)
	e := b.events()
	red := color.RGBA{0xe5, 0x39, 0x35, 0xff}
	area := desktop.Rect{X: e.at.X - 20, Y: e.at.Y - 20, W: 40, H: 40}
	marked := func() (all bool) {
		img, err := b.Capture(t.Context(), desktop.Rect{})
		b.must(err)
		for _, p := range []desktop.Point{{X: area.X - 1, Y: e.at.Y}, {X: area.X + area.W, Y: e.at.Y}, {X: e.at.X, Y: area.Y - 1}, {X: e.at.X, Y: area.Y + area.H}} {
			if img.RGBAAt(p.X, p.Y) != red {
				return false
			}
		}
		return true
	}
	mark := desktop.Mark{Area: area, Label: "here"}
	b.must(b.Do(t.Context(), mark))
	if !marked() {
		t.Error("there is no frame")
	}
	var frame input.Frame
	b.must(new(input.Marks).Show(mark, desktop.Rect{W: 1920, H: 1080}, func(f input.Frame) (func(context.Context) error, error) {
		frame = f
		return nil, nil
	}))
	shown, err := b.Capture(t.Context(), desktop.RectOf(frame.Parts[4]))
	b.must(err)
	if !bytes.Equal(shown.Pix, frame.Label.Pix) {
		t.Error("there is no label")
	}
	ws, err := b.Windows(t.Context())
	b.must(err)
	if len(ws) != 1 {
		t.Errorf("our marks are listed as windows: %+v", ws)
	}
	b.must(b.Do(t.Context(), desktop.Click{At: desktop.Point{X: area.X - 1, Y: e.at.Y}, Button: desktop.Left}))
	e.want("+1", "-1")
	b.must(b.Do(t.Context(), desktop.Unmark{}))
	b.eventually("the frame is gone", func() (bool, string) { return !marked(), "" })
	b.must(b.Do(t.Context(), desktop.Mark{Area: area, Label: strings.Repeat("a very long label ", 30), For: 50 * time.Millisecond}))
	if !marked() {
		t.Error("there is no second frame")
	}
	b.eventually("the second frame has gone by itself", func() (bool, string) { return !marked(), "" })
	b.must(b.Do(t.Context(), desktop.Mark{Area: desktop.Rect{X: 600, Y: 100, W: 200, H: 1<<16 + 100}})) // of a page, most of which is below
	tall, err := b.Capture(t.Context(), desktop.Rect{X: 599, Y: 500, W: 2, H: 1})
	b.must(err)
	if tall.RGBAAt(0, 0) != red || tall.RGBAAt(1, 0) == red {
		t.Errorf("the pixels at the left edge of a tall area are %v", tall.Pix)
	}
	if err := b.Do(t.Context(), desktop.Mark{Area: desktop.Rect{}, Label: "", For: 0}); err == nil {
		t.Error("nothing was marked")
	}
}
