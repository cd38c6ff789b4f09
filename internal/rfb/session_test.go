package rfb

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
)

const notes = `
- frame "Notes" [process=notes]
  - entry "Title": "Monday"
  - button "Save"
`

// always lets a viewer act until the view ends.
func always(ctx context.Context, act func(context.Context)) error {
	act(ctx)
	return nil
}

// watch connects a viewer to a desktop, until the test ends or end is called.
func watch(t *testing.T, s *Session, encodings ...int32) (c *byhand.Viewer, end func()) {
	t.Helper()
	ours, theirs := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, ours) }()
	ended := false
	end = func() {
		if !ended {
			ended = true
			cancel()
			if err := <-served; !errors.Is(err, context.Canceled) {
				t.Errorf("it was served until: %v", err)
			}
		}
	}
	t.Cleanup(end)
	c, err := byhand.View(theirs, encodings...)
	if err != nil {
		t.Fatal(err)
	}
	return c, end
}

func update(t *testing.T, c *byhand.Viewer, everything bool) {
	t.Helper()
	if _, err := c.Update(everything); err != nil {
		t.Fatal(err)
	}
}

// equal reports whether a viewer sees what the desktop shows.
func equal(t *testing.T, d *desktop.Desktop, c *byhand.Viewer) {
	t.Helper()
	want, err := d.Capture(t.Context(), desktop.Rect{})
	if err != nil {
		t.Fatal(err)
	}
	if want.Rect != c.Screen.Rect || !bytes.Equal(want.Pix, c.Screen.Pix) {
		t.Error("the viewer sees another picture than there is")
	}
}

func TestAViewerSeesWhatChanges(t *testing.T) {
	for name, encodings := range map[string][]int32{"raw": {byhand.Raw}, "ZRLE": {byhand.ZRLE}, "neither named": nil} {
		t.Run(name, func(t *testing.T) {
			f := fake.New(fake.MustParse(notes)...)
			d := f.Desktop()
			c, _ := watch(t, &Session{Name: "the desktop", Desktop: d}, encodings...)
			if c.Name != "the desktop" {
				t.Errorf("it is called %q", c.Name)
			}
			update(t, c, true)
			equal(t, d, c)
			if err := d.Do(t.Context(), desktop.Mark{Area: desktop.Rect{X: 300, Y: 200, W: 90, H: 50}}); err != nil {
				t.Fatal(err)
			}
			update(t, c, false)
			equal(t, d, c)
			c.Screen = image.NewRGBA(c.Screen.Rect) // a viewer that has lost its picture
			update(t, c, true)
			equal(t, d, c)
		})
	}
}

// until waits until an action on the desktop has had its effect.
func until(t *testing.T, f *fake.Desktop, done string) {
	t.Helper()
	for deadline := scratch.Deadline(t); !slices.Contains(f.Journal(), done); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("wanted %q in %q", done, f.Journal())
		}
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

const (
	symCtrl  = 0xffe3
	symShift = 0xffe1
	symEnter = 0xff0d
)

func TestInputIsPerformedInItsOrder(t *testing.T) {
	f := fake.New(fake.MustParse(notes)...)
	c, end := watch(t, &Session{Desktop: f.Desktop(), While: always})
	press := func(sym uint32) { must(t, c.Key(sym, true), c.Key(sym, false)) }
	must(t, c.Pointer(0, 10, 20), c.Pointer(1, 10, 20), c.Pointer(0, 10, 20))
	until(t, f, "button up left")
	must(t, c.Pointer(16, 10, 20), c.Pointer(0, 10, 20))
	until(t, f, "scroll 0,1")
	must(t, c.Key(symShift, true))
	press('A')
	must(t, c.Key(symShift, false))
	press(0x01000416) // a letter of another alphabet, by its Unicode keysym
	press(0x20ac)     // a character by its legacy keysym
	must(t, c.Key(symCtrl, true))
	press('s')
	must(t, c.Key(symCtrl, false))
	press(symEnter)
	press(0xffe5) // CapsLock, which the viewer has applied
	must(t, c.Key(symCtrl, true), c.Pointer(4, 30, 20))
	until(t, f, "button down right")
	end()
	want := []string{
		"move 10,20", "button down left", "button up left", "scroll 0,1",
		"key down shift", `type "A"`, "key up shift", `type "Ж€"`,
		"key down ctrl", "key down s", "key up s", "key up ctrl", "key down enter", "key up enter",
		"key down ctrl", "move 30,20", "button down right",
	}
	// Waiting actions may be joined; how many wait depends on timing.
	got := slices.Compact(strings.Split(strings.ReplaceAll(strings.Join(f.Journal(), "\n"), "\"\ntype \"", ""), "\n"))
	got = slices.DeleteFunc(got, func(line string) bool { return line == "move 10,20" })
	got = append([]string{"move 10,20"}, got...)
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if held := f.Held(); len(held) > 0 {
		t.Errorf("the viewer is gone, and %v are held", held)
	}
}

func TestWatchingViewersCannotAct(t *testing.T) {
	f := fake.New(fake.MustParse(notes)...)
	before := f.Journal()
	c, end := watch(t, &Session{Desktop: f.Desktop()})
	must(t, c.Pointer(1, 10, 20), c.Pointer(0, 10, 20), c.Key('a', true), c.Key('a', false))
	update(t, c, true)
	end()
	if diff := cmp.Diff(before, f.Journal()); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
}

func TestHiddenAreasAreNotSent(t *testing.T) {
	f := fake.New(fake.MustParse(notes)...)
	hidden := image.Rect(100, 100, 300, 140)
	hide := func(_ context.Context, p *image.RGBA) *image.RGBA {
		draw.Draw(p, hidden, image.Black, image.Point{}, draw.Src)
		return p
	}
	c, _ := watch(t, &Session{Desktop: f.Desktop(), Hide: hide}, byhand.ZRLE)
	update(t, c, true)
	if got := c.Screen.RGBAAt(200, 120); got != (color.RGBA{A: 255}) {
		t.Errorf("a hidden pixel is %v", got)
	}
}

// TestEachFormOfATileIsRead encodes areas in each form of a tile, and decodes them with
// an independent implementation.
func TestEachFormOfATileIsRead(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	p := image.NewRGBA(image.Rect(0, 0, 200, 150))
	sorts := map[byte]bool{}
	for _, colours := range []int{1, 2, 3, 5, 16, 17, 100, 127, 128, 5000} {
		for _, stays := range []int{1, 3, 40, 1000} {
			var now color.RGBA
			for y := range p.Rect.Dy() {
				for x := range p.Rect.Dx() {
					if random.IntN(stays) == 0 {
						n := random.IntN(colours)
						now = color.RGBA{uint8(n), uint8(n >> 8), uint8(n * 7), 255}
					}
					now.A = 255
					p.SetRGBA(x, y, now)
				}
			}
			v := &viewer{encodings: []int32{encodingZRLE}, format: serverFormat, size: desktop.Size{W: 200, H: 150}}
			areas := []image.Rectangle{image.Rect(3, 5, 131, 70), image.Rect(64, 64, 200, 150), image.Rect(199, 149, 200, 150)}
			m, err := v.update(p, areas)
			must(t, err)
			c, want := byhand.DecodeUpdate(t, p.Rect, m), image.NewRGBA(p.Rect)
			for _, a := range areas {
				draw.Draw(want, a, p, a.Min, draw.Src)
			}
			if !bytes.Equal(c.Pix, want.Pix) {
				t.Errorf("%d colours, in runs of about %d: another picture", colours, stays)
			}
			z := &zrle{}
			z.tile(serverFormat, p, image.Rect(0, 0, 64, 64))
			sorts[z.plain[0]&128|min(z.plain[0]&127, 2)] = true
		}
	}
	if diff := cmp.Diff(map[byte]bool{0: true, 1: true, 2: true, 128: true, 130: true}, sorts); diff != "" {
		t.Errorf("not every form was made: -want +got\n%s", diff)
	}
}

// TestAPixelIsSentAsTheViewerWantsIt is about viewers with other pixel formats.
func TestAPixelIsSentAsTheViewerWantsIt(t *testing.T) {
	format := func(big byte, r, g, b byte) []byte {
		return []byte{32, 24, big, 1, 0, 255, 0, 255, 0, 255, r, g, b, 0, 0, 0}
	}
	const red, green, blue = 1, 2, 3
	for _, row := range []struct {
		sentence string
		raw      []byte
		packed   []byte // nil: the format is refused
	}{
		{"red first", format(0, 0, 8, 16), []byte{red, green, blue}},
		{"blue first", format(0, 16, 8, 0), []byte{blue, green, red}},
		{"the largest first", format(1, 16, 8, 0), []byte{red, green, blue}},
		{"the unused byte first", format(0, 8, 16, 24), []byte{red, green, blue}},
		{"two colours in one byte", format(0, 8, 8, 0), nil},
		{"colours across bytes", format(0, 11, 5, 0), nil},
		{"sixteen bits", append([]byte{16}, format(0, 0, 8, 16)[1:]...), nil},
	} {
		f, err := readFormat(row.raw)
		if (err == nil) != (row.packed != nil) {
			t.Errorf("%s: %v", row.sentence, err)
			continue
		}
		if got := f.appendColour(nil, red|green<<8|blue<<16); err == nil && !bytes.Equal(got, row.packed) {
			t.Errorf("%s: %v, want %v", row.sentence, got, row.packed)
		}
	}
}

// FuzzViewer sends arbitrary input to a server, which may only end the connection.
func FuzzViewer(f *testing.F) {
	greeting := "RFB 003.008\n\x01\x01"
	f.Add([]byte(greeting + "\x03\x01\x00\x00\x00\x00\x05\x00\x03\x20"))
	f.Add([]byte(greeting + "\x02\x00\xff\xff\x00\x00\x00\x10"))
	f.Add([]byte(greeting + "\x06\x00\x00\x00\xff\xff\xff\xff"))
	f.Add([]byte("RFB 003.003\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		conn := &recording{Reader: bytes.NewReader(sent)}
		s := &Session{Desktop: fake.New(fake.MustParse(notes)...).Desktop(), While: always}
		if err := s.Serve(t.Context(), conn); err == nil {
			t.Error("the viewer hung up, and nothing is said of it")
		}
	})
}

// recording is a connection whose input is given in advance.
type recording struct {
	*bytes.Reader
}

func (*recording) Write(b []byte) (int, error) { return len(b), nil }
func (*recording) Close() error                { return nil }
