//go:build unix

package watch_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/recorder/compile"
	"understudy/steps/kinds"
)

// question is the command of a window whose program says nothing of what it
// shows.
func question(text string) []string {
	return []string{"xmessage", "-title", "Question", "-buttons", "Yes:3,No:4", "-print", text}
}

// TestAPlaceIsFoundByItsPictureOrItsWindow records a click on what no element is known of, and
// plays it where its place is another, where nothing looks like it, and without its picture.
func TestAPlaceIsFoundByItsPictureOrItsWindow(t *testing.T) {
	if !inChild(t) {
		return
	}
	const short, long = "Shall it go on?", "Shall it go on?\nIt stands in three lines,\nwhich moves the buttons."
	s := newScene(t, "xmessage")
	asked := s.start("Question", question(short)[0], question(short)[1:]...)
	p := s.watch()
	box := s.window("Question").Bounds
	p.pointsAt(desktop.Point{X: box.X + 60, Y: box.Y + box.H - 22}) // the second button
	p.does("click", "1")
	if said := s.ends(asked); said != "No" {
		t.Fatalf("the person clicked %q", said)
	}
	seen, err := p.session.Stop()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.root, "pictures")
	text, notes, err := compile.Events(seen, compile.Options{Kinds: kinds.All(), Name: "recorded", Pictures: folder})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the workflow:\n%s\nnotes: %v", text, notes)

	asks := func(text string) *program {
		asked := s.start("Question", question(text)[0], question(text)[1:]...)
		to := s.window("Question").Bounds
		to.X, to.Y = 700, 400
		if err := s.desk.Do(t.Context(), desktop.Manage{Window: s.window("Question").ID, Do: desktop.Place, Bounds: to}); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	says := func(why string, asked *program) {
		if said := s.ends(asked); said != "No" {
			t.Errorf("%s: %q was clicked", why, said)
		}
	}
	fails := func(why string, text string) {
		if status, said := s.plays(text); status != 3 || !strings.Contains(said, "does not show exactly once what was at the place") || s.window("Question") == nil {
			t.Errorf("%s: status %d", why, status)
		}
	}
	asked = asks(long)
	s.replay(string(text))
	says("by its picture, where its place is another", asked)

	pictures, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("pictures: %q, %v", pictures, err)
	}
	for _, file := range pictures {
		otherPicture(t, file)
	}
	asked = asks(short)
	fails("nothing looks like it", string(text))
	bare := regexp.MustCompile(`, picture: [^}]*`).ReplaceAllString(string(text), "")
	s.replay(bare)
	says("by its place, in a window of the same size", asked)

	asks(long)
	fails("in a window of another size, without a picture", bare)
}

// otherPicture puts one in the place of a picture that is nowhere to be seen.
func otherPicture(t *testing.T, file string) {
	t.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		p.Set(i%40, i/40, color.RGBA{R: uint8(i * 7), G: uint8(i * i), B: uint8(255 - i%200), A: 255})
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, p); err != nil {
		t.Fatal(err)
	}
}
