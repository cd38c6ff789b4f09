//go:build linux

package x11_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/go-vgo/robotgo/x11"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
)

// robotgo pauses after each key by default.
func init() { x11.KeySleep = 0 }

// soakVar is the environment variable that enables the test that takes minutes.
const soakVar = "UNDERSTUDY_SOAK"

func BenchmarkCapture(b *testing.B) {
	o := open(b)
	o.must(o.Do(b.Context(), desktop.MovePointer{To: desktop.Point{X: 1, Y: 1}})) // robotgo is connected too
	for _, row := range []struct {
		name string
		area desktop.Rect
	}{{"screen", desktop.Rect{W: 1920, H: 1080}}, {"200x200", desktop.Rect{X: 50, Y: 50, W: 200, H: 200}}} {
		b.Run(row.name+"/understudy", func(b *testing.B) {
			for b.Loop() {
				if _, err := o.Capture(b.Context(), row.area); err != nil {
					b.Fatal(err)
				}
			}
		})
		if row.name == "screen" {
			b.Run("screen/taken", func(b *testing.B) {
				for b.Loop() {
					develop, err := o.Snap(b.Context())
					o.must(err)
					b.StopTimer()
					develop()
					b.StartTimer()
				}
			})
		}
		b.Run(row.name+"/robotgo", func(b *testing.B) {
			for b.Loop() {
				if _, err := x11.CaptureImg(row.area.X, row.area.Y, row.area.W, row.area.H); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkType types a hundred characters into an editor. Our driver returns when the editor has
// read them; the others do not wait, so each has an editor of its own.
func BenchmarkType(b *testing.B) {
	virtualtest.Need(b, "xdotool")
	ascii := strings.Repeat("Some words. ", 9)[:99] + "\n"
	unicode := string([]rune(strings.Repeat("naïve Привет 日本語 €5 🙂 ", 9))[:99]) + "\n"
	for _, row := range []struct {
		name string
		text string
		tool func(o *bench, text string)
	}{
		{"ascii/understudy", ascii, func(o *bench, text string) { o.must(o.Do(b.Context(), desktop.Type{Text: text})) }},
		{"ascii/xdotool", ascii, func(o *bench, text string) { o.run("xdotool", "type", "--delay", "0", text) }},
		{"ascii/robotgo", ascii, func(_ *bench, text string) { x11.TypeStr(text) }},
		{"unicode/understudy", unicode, func(o *bench, text string) { o.must(o.Do(b.Context(), desktop.Type{Text: text})) }},
		{"unicode/xdotool", unicode, func(o *bench, text string) { o.run("xdotool", "type", "--delay", "0", text) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			o := open(b)
			o.editor("mousepad")
			o.must(o.Do(b.Context(), desktop.MovePointer{To: desktop.Point{X: 1, Y: 1}})) // robotgo is connected too
			for b.Loop() {
				row.tool(o, row.text)
			}
		})
	}
}

func BenchmarkInput(b *testing.B) {
	o := open(b)
	ctx := b.Context()
	side := 0
	aside := func() desktop.Point { // so that no click forms a double click with the one before
		side = 100 - side
		return desktop.Point{X: 9 + side, Y: 9}
	}
	for _, row := range []struct {
		name string
		do   func() error
	}{
		{"move", func() error { return o.Do(ctx, desktop.MovePointer{To: desktop.Point{X: 9, Y: 9}}) }},
		{"click/understudy", func() error { return o.Do(ctx, desktop.Click{At: aside(), Button: desktop.Left}) }},
		{"click/robotgo", func() error { p := aside(); x11.Move(p.X, p.Y); return x11.Click("left") }},
		{"key/understudy", func() error { return o.Do(ctx, desktop.Press{Chord: desktop.Chord{Key: "f5"}}) }},
		{"key/robotgo", func() error { return x11.KeyTap("f5") }},
		{"windows", func() error { _, err := o.Windows(ctx); return err }},
		{"ping", func() error { return o.Ping(ctx) }},
	} {
		b.Run(row.name, func(b *testing.B) {
			for b.Loop() {
				if err := row.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestALongRunDoesNotGrow(t *testing.T) {
	if os.Getenv(soakVar) == "" {
		t.Skip("it takes minutes: set " + soakVar)
	}
	b := open(t)
	b.editor("mousepad")
	text := strings.Repeat("Keys by the hundred, naïve. ", 18)[:500]
	use := func(captures, keys int) {
		for range captures {
			_, err := b.Capture(t.Context(), desktop.Rect{})
			b.must(err)
			b.snap()
		}
		for range keys / 500 {
			b.must(b.Do(t.Context(), desktop.Type{Text: text}))
			b.must(b.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}}))
		}
	}
	state := func() (heap uint64, files, resources int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, openFiles(t), b.resources()
	}
	use(100, 5000)
	heap, files, resources := state()
	use(2000, 100_000)
	heap2, files2, resources2 := state()
	said := fmt.Sprintf("heap %d → %d KB, files %d → %d, X resources %d → %d", heap>>10, heap2>>10, files, files2, resources, resources2)
	t.Log(said)
	if heap2 > heap+4<<20 || files2 > files+2 || resources2 > resources+5 {
		t.Error(said)
	}
}
