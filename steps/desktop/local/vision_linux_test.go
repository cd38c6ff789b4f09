package local_test

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/vision"
)

// sight is a desktop that is only looked at.
type sight struct {
	*desktop.Desktop
	t testing.TB
}

func look(t testing.TB, programs ...string) *sight {
	t.Helper()
	virtualtest.Need(t, programs...)
	return &sight{open(t, desktop.Options{Display: "virtual", Screen: desktop.Size{W: 800, H: 600}, Dir: shortDir(t)}), t}
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
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
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
	home := s.t.TempDir()
	app, err := s.Launch(s.t.Context(), fmt.Sprintf("env HOME=%s XDG_CONFIG_HOME=%s %s", home, home, command))
	s.must(err)
	s.t.Cleanup(func() { _ = syscall.Kill(app.PID, syscall.SIGKILL) })
	s.eventually("a window is called "+title, func() (bool, string) {
		ws, err := s.Windows.Windows(s.t.Context())
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
		s.must(err)
		words, err := vision.Words(s.t.Context(), img, "")
		s.must(err)
		for _, text := range texts {
			found := vision.FindText(words, text)
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
// double click there selects them.
func TestTheTextOfAnEditorIsRead(t *testing.T) {
	s := look(t, "mousepad", "tesseract", "xclip")
	file := filepath.Join(t.TempDir(), "letter.txt")
	s.must(os.WriteFile(file, []byte("Dear Madam,\n\nthe invoice number 48213 of Tuesday\nis still unpaid. Please transfer 1250 Euro.\n\nRegards\n"), 0o600))
	s.launch("mousepad "+file, "letter.txt")
	words, line := []string{"Madam", "invoice", "48213", "unpaid", "1250", "Regards"}, "please transfer 1250 euro"
	at := s.read(append(words, line)...)
	if l := at[line]; l.W < 3*l.H || l.Intersect(at["1250"]).Empty() {
		t.Errorf("a line of four words is said to be at %v", l)
	}
	for _, word := range words {
		s.eventually("the word "+word+" is copied", func() (bool, string) {
			s.must(s.Click(t.Context(), at[word].Center(), desktop.Left, 2))
			s.must(s.Press(t.Context(), desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "c"}))
			got, err := s.ReadClipboard(t.Context())
			return err == nil && got == word, fmt.Sprintf("%q %v", got, err)
		})
	}
}

// The buttons of a calculator are found by their pictures, also after the
// window has moved: where they are says the accessibility bus, and what a click
// there did is read from the screen.
func TestTheButtonsOfACalculatorAreFound(t *testing.T) {
	s := look(t, "galculator", "tesseract")
	w := s.launch("galculator", "galculator")
	place := func(x, y int) {
		s.must(s.Manage(t.Context(), w.ID, desktop.WindowChange{Do: desktop.Place, Bounds: desktop.Rect{X: x, Y: y}}))
	}
	place(300, 100)
	buttons := map[string]image.Image{}
	for _, name := range []string{"7", "8", "+", "="} {
		s.eventually("there is a picture of "+name, func() (bool, string) {
			at, ok := s.named(name)
			if !ok {
				return false, "no such element"
			}
			img, err := s.Capture(t.Context(), at)
			s.must(err)
			buttons[name] = img
			return s.found(img, at)
		})
	}
	place(23, 57)
	for _, name := range []string{"7", "8", "+", "8", "="} {
		var at desktop.Rect
		s.eventually("the picture of "+name+" is where the button is", func() (bool, string) {
			at, _ = s.named(name)
			return s.found(buttons[name], at)
		})
		s.must(s.Click(t.Context(), at.Center(), desktop.Left, 1))
		s.must(s.MovePointer(t.Context(), desktop.Point{X: 5, Y: 5})) // off the button, which lights up
	}
	s.read("86")
}

// named is where the element of the calculator with a name is.
func (s *sight) named(name string) (at desktop.Rect, ok bool) {
	s.t.Helper()
	tree, err := s.Tree(s.t.Context(), desktop.Scope{Process: "galculator", Full: true})
	if err != nil {
		return at, false
	}
	tree.Walk(func(e *desktop.Element) bool {
		if e.Name == name && !e.Bounds.Empty() {
			at, ok = e.Bounds, true
		}
		return !ok
	})
	return at, ok
}

// found says whether a picture is found in one place, the wanted one.
func (s *sight) found(picture image.Image, wanted desktop.Rect) (bool, string) {
	s.t.Helper()
	img, err := s.Capture(s.t.Context(), desktop.Rect{})
	s.must(err)
	at, err := vision.Find(img, picture, vision.Options{})
	return err == nil && at.Bounds == wanted, fmt.Sprintf("%+v (%v), wanted %v", at, err, wanted)
}
