package movie

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// screen returns a picture of a window that is filled up to a column.
func screen(filled int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 1101, 621))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{0x33, 0x55, 0x77, 0xff}), image.Point{}, draw.Src)
	draw.Draw(m, image.Rect(200, 200, 200+filled, 400), image.White, image.Point{}, draw.Src)
	return m
}

func story() iter.Seq2[Scene, error] {
	return func(yield func(Scene, error) bool) {
		for _, s := range []Scene{
			{Caption: "nothing is seen yet", For: time.Second},
			{Picture: screen(0), Caption: "1 · open", For: time.Second},
			{Picture: screen(300), Caption: "2 · type \u202e" + strings.Repeat("long ", 100), At: &desktop.Point{X: 300, Y: 300}, Box: &desktop.Rect{X: 200, Y: 200, W: 300, H: 200}, For: 2 * time.Second},
			{Picture: screen(300), Caption: "3 · press", At: &desktop.Point{X: 1100, Y: 620}, Bad: true, For: time.Second},
			{Caption: "3 · press", Bad: true, For: time.Second, At: &desktop.Point{X: 1100, Y: 620}},
		} {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// shown plays an animated PNG and returns the pictures that are shown for longer than
// between two parts, and how long.
func shown(t *testing.T, raw []byte) (pictures []*image.RGBA, lasts []int) {
	t.Helper()
	if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
		t.Fatalf("who knows no animation sees nothing: %v", err)
	}
	var head []byte
	var board *image.RGBA
	var at image.Point
	var size [2]uint32
	ms, next, data := 0, uint32(0), []byte(nil)
	flush := func() {
		if data == nil {
			return
		}
		var one bytes.Buffer
		w := chunks{out: &one}
		w.raw([]byte(signature))
		w.chunk("IHDR", append(numbers(size[0], size[1]), head[8:]...))
		w.chunk("IDAT", data)
		w.chunk("IEND", nil)
		m, err := png.Decode(&one)
		if err != nil {
			t.Fatal(err)
		}
		if board == nil {
			board = image.NewRGBA(m.Bounds())
		}
		draw.Draw(board, m.Bounds().Add(at), m, image.Point{}, draw.Src)
		if data = nil; ms > int(betweenParts.Milliseconds()) {
			still := image.NewRGBA(board.Rect)
			copy(still.Pix, board.Pix)
			pictures, lasts = append(pictures, still), append(lasts, ms)
		}
	}
	sequence := func(content []byte) {
		if n := binary.BigEndian.Uint32(content); n != next {
			t.Fatalf("chunk %d is numbered %d", next, n)
		}
		next++
	}
	for raw := raw[len(signature):]; len(raw) > 0; {
		n := int(binary.BigEndian.Uint32(raw))
		switch content := raw[8 : 8+n]; string(raw[4:8]) {
		case "IHDR":
			head = content
		case "fcTL":
			flush()
			sequence(content)
			size = [2]uint32{binary.BigEndian.Uint32(content[4:]), binary.BigEndian.Uint32(content[8:])}
			at = image.Pt(int(binary.BigEndian.Uint32(content[12:])), int(binary.BigEndian.Uint32(content[16:])))
			ms = int(binary.BigEndian.Uint16(content[20:]))
		case "IDAT":
			data = append(data, content...)
		case "fdAT":
			sequence(content)
			data = append(data, content[4:]...)
		}
		raw = raw[chunkAround+n:]
	}
	flush()
	return pictures, lasts
}

// TestWhatIsPlayedIsWhatWasDrawn plays an animation of parts, and compares it with whole
// frames.
func TestWhatIsPlayedIsWhatWasDrawn(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, story()); err != nil {
		t.Fatal(err)
	}
	got, lasts := shown(t, out.Bytes())
	var want []frame
	for f, err := range frames(story()) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, f)
	}
	if len(got) != 3 || len(want) != 4 || lasts[2] != 2000 { // the last two are one
		t.Fatalf("%d pictures of %d frames, for %v ms", len(got), len(want), lasts)
	}
	for i, m := range got {
		if !bytes.Equal(m.Pix, want[i].Pix) {
			t.Errorf("picture %d is not as it was drawn", i)
		}
	}
	if size := want[0].Rect; size.Dx()%2 != 0 || size.Dy()%2 != 0 || size.Dx() > side {
		t.Errorf("the film is %s", size)
	}
	if out.Len() > 200_000 {
		t.Errorf("three simple pictures take %d bytes", out.Len())
	}
}

func TestAFilmWithoutPictures(t *testing.T) {
	blind := func(yield func(Scene, error) bool) { yield(Scene{Caption: "x", For: time.Second}, nil) }
	if err := Write(new(bytes.Buffer), blind); steps.CodeOf(err) != steps.Invalid {
		t.Error(err)
	}
}

// TestFFmpegIsGivenEachFrameForItsTime has a script in the place of ffmpeg.
func TestFFmpegIsGivenEachFrameForItsTime(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "film.webp")
	t.Setenv("PATH", dir)
	if err := WriteVideo(t.Context(), file, story()); steps.CodeOf(err) != steps.Unavailable || !strings.Contains(err.Error(), "ffmpeg") {
		t.Errorf("without ffmpeg: %v", err)
	}
	script := "#!/bin/sh\necho \"$@\" >" + dir + "/args\nexec /bin/cat >" + file + "\n"
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteVideo(t.Context(), file, story()); err != nil {
		t.Skip("no script can be run here: ", err)
	}
	raw, err := os.ReadFile(file)
	if n := bytes.Count(raw, []byte(signature)); err != nil || n != 50 {
		t.Errorf("5 s have %d pictures, %v", n, err)
	}
	if args, err := os.ReadFile(filepath.Join(dir, "args")); err != nil || !strings.HasSuffix(strings.TrimSpace(string(args)), "-loop 0 file:"+file) {
		t.Errorf("%s, %v", args, err)
	}
}
