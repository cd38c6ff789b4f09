package robot_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/desktop"
	"understudy/steps/desktop/robot"
	"understudy/steps/desktop/virtual/virtualtest"
)

// seen is the screen as ImageMagick takes it.
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

func TestTheScreenIsCaptured(t *testing.T) {
	virtualtest.Need(t, "import", "xsetroot")
	for _, row := range []struct {
		sentence string
		plain    bool
	}{{"through shared memory", false}, {"without shared memory", true}} {
		t.Run(row.sentence, func(t *testing.T) {
			b := open(t)
			if row.plain {
				robot.WithoutSharedMemory(b.Robot)
			}
			b.run("xsetroot", "-solid", "#123456")
			b.terminal("a terminal")
			b.must(b.MovePointer(t.Context(), desktop.Point{X: 1900, Y: 1000}))
			want := b.seen()
			for _, area := range []desktop.Rect{{}, {X: 10, Y: 20, W: 200, H: 100}, {X: 1800, Y: 1000, W: 500, H: 500}, {X: -50, Y: -50, W: 60, H: 60}} {
				got, err := b.Capture(t.Context(), area)
				b.must(err)
				part := desktop.Rect{W: 1920, H: 1080}
				if area != (desktop.Rect{}) {
					part = part.Intersect(area)
				}
				if got.Rect != image.Rect(0, 0, part.W, part.H) {
					t.Fatalf("%v: got %v, wanted %dx%d", area, got.Rect, part.W, part.H)
				}
				for y := range part.H {
					for x := range part.W {
						g, w := got.RGBAAt(x, y), color.RGBAModel.Convert(want.At(part.X+x, part.Y+y))
						if g != w {
							t.Fatalf("%v: at %d,%d got %v, wanted %v", area, x, y, g, w)
						}
					}
				}
			}
			if _, err := b.Capture(t.Context(), desktop.Rect{X: 2000, Y: 10, W: 5, H: 5}); err == nil {
				t.Error("an area off the screen was captured")
			}
		})
	}
}

// Xvfb cannot be resized, so the memory is made too small instead of the
// screen larger.
func TestAScreenThatGrewIsCapturedWhole(t *testing.T) {
	b := open(t)
	want, err := b.Capture(t.Context(), desktop.Rect{})
	b.must(err)
	robot.ShrinkSharedMemory(b.Robot)
	got, err := b.Capture(t.Context(), desktop.Rect{})
	b.must(err)
	if !bytes.Equal(want.Pix, got.Pix) {
		t.Error("the picture differs")
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
		b.must(b.WriteClipboard(t.Context(), text))
		if got, err := b.ReadClipboard(t.Context()); err != nil || got != text {
			t.Errorf("got %.30q and %v, wanted %.30q", got, err, text)
		}
		if got := b.run("xclip", "-selection", "clipboard", "-o"); got != text {
			t.Errorf("xclip says %.30q, wanted %.30q", got, text)
		}
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
	b.must(b.Mark(t.Context(), area, "here", 0))
	if !marked() {
		t.Error("there is no frame")
	}
	ws, err := b.Windows(t.Context())
	b.must(err)
	if len(ws) != 1 {
		t.Errorf("our marks are listed as windows: %+v", ws)
	}
	b.must(b.Click(t.Context(), desktop.Point{X: area.X - 1, Y: e.at.Y}, desktop.Left, 1))
	e.want("+1", "-1")
	b.must(b.Unmark(t.Context()))
	b.eventually("the frame is gone", func() (bool, string) { return !marked(), "" })
	b.must(b.Mark(t.Context(), area, strings.Repeat("a very long label ", 30), 50*time.Millisecond))
	if !marked() {
		t.Error("there is no second frame")
	}
	b.eventually("the second frame has gone by itself", func() (bool, string) { return !marked(), "" })
	if err := b.Mark(t.Context(), desktop.Rect{}, "", 0); err == nil {
		t.Error("nothing was marked")
	}
}
