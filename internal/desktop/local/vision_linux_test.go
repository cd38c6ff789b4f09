package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/testing/desktoptest"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/observe"
)

// sight is a desktop that is only looked at.
type sight struct {
	*desktop.Desktop
	t       testing.TB
	trees   *observe.ShownTrees
	stirred steps.LastAct
}

func look(t testing.TB, programs ...string) *sight {
	t.Helper()
	virtualtest.Need(t, programs...)
	return &sight{Desktop: open(t, desktop.Options{Display: "virtual", Screen: desktop.Size{W: 800, H: 600}, Dir: scratch.Dir(t)}), t: t, trees: &observe.ShownTrees{}}
}

func (s *sight) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *sight) eventually(what string, f func() (bool, string)) {
	s.t.Helper()
	var last string
	for end := scratch.Deadline(s.t); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		ok, now := f()
		if ok {
			return
		}
		last = now
	}
	s.t.Fatalf("waited in vain until %s; last: %s", what, last)
}

// launch starts an application and gives its window.
func (s *sight) launch(command, title string) (w desktop.Window) {
	s.t.Helper()
	home := scratch.Dir(s.t)
	var app desktop.App
	err := s.Do(s.t.Context(), desktop.Launch{App: fmt.Sprintf("env HOME=%s XDG_CONFIG_HOME=%s %s", home, home, command), Started: &app})
	s.must(err)
	s.t.Cleanup(func() { _ = syscall.Kill(app.PID, syscall.SIGKILL) })
	s.eventually("a window is called "+title, func() (bool, string) {
		ws, err := s.Windows(s.t.Context())
		s.must(err)
		for _, w = range ws {
			if strings.Contains(w.Title, title) {
				return true, ""
			}
		}
		return false, fmt.Sprint(ws)
	})
	return w
}

// read reads the screen until all the texts are on it, each once, and says
// where they are.
func (s *sight) read(texts ...string) map[string]desktop.Rect {
	s.t.Helper()
	at := map[string]desktop.Rect{}
	s.eventually("the screen shows "+strings.Join(texts, ", "), func() (bool, string) {
		img, err := s.Capture(s.t.Context(), desktop.Rect{})
		if err != nil {
			return false, err.Error()
		}
		words, err := vision.Words(s.t.Context(), img, "")
		s.must(err)
		for _, text := range texts {
			found := desktoptest.FindText(words, text)
			if len(found) != 1 {
				return false, fmt.Sprintf("%s in %d places among %v", text, len(found), words)
			}
			at[text] = found[0]
		}
		return true, ""
	})
	return at
}

// The words that are read in a text editor stand where they are said to: a
// double click there selects them. So does one where the picture of a word is
// found after the window has moved.
func TestAtLengthTheTextOfAnEditorIsReadAndFound(t *testing.T) {
	s := look(t, "mousepad", "tesseract", "xclip")
	file := filepath.Join(t.TempDir(), "letter.txt")
	s.must(os.WriteFile(file, []byte("Dear Madam,\n\nthe invoice number 48213 of Tuesday\nis still unpaid. Please transfer 1250 Euro.\n\nRegards\n"), 0o600))
	w := s.launch("mousepad "+file, "letter.txt")
	words, line := []string{"Madam", "invoice", "unpaid", "1250", "Regards"}, "please transfer 1250 euro"

	number := s.read("48213")["48213"]
	picture, err := s.Capture(t.Context(), number)
	s.must(err)
	s.must(s.Do(t.Context(), desktop.Manage{Window: w.ID, Do: desktop.Place, Bounds: desktop.Rect{X: 13, Y: 7, W: 700, H: 500}}))
	s.selects("48213", func() desktop.Rect {
		img, err := s.Capture(t.Context(), desktop.Rect{})
		s.must(err)
		at, err := desktoptest.FindPicture(img, picture)
		if err != nil {
			t.Log(err)
		}
		return at.Bounds
	})

	at := s.read(append(words, line)...)
	if l := at[line]; l.W < 3*l.H || l.Intersect(at["1250"]).Empty() {
		t.Errorf("a line of four words is said to be at %v", l)
	}
	for _, word := range words {
		s.selects(word, func() desktop.Rect { return at[word] })
	}
}

// selects waits until a double click at a place selects a word.
func (s *sight) selects(word string, at func() desktop.Rect) {
	s.t.Helper()
	s.eventually("the word "+word+" is copied", func() (bool, string) {
		err := errors.Join(
			s.Do(s.t.Context(), desktop.Click{At: at().Center(), Button: desktop.Left, Count: 2}),
			s.Do(s.t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "c"}}))
		if err != nil { // a busy machine may not answer in time
			return false, err.Error()
		}
		got, err := s.ReadClipboard(s.t.Context())
		return err == nil && got == word, fmt.Sprintf("%q %v", got, err)
	})
}
