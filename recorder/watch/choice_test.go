package watch

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
)

const trip = `
- frame "Trip" [process=trip] [at=0,0,400,400]
  - combobox "" [at=100,40,200,24]
    - menu "" [hidden]
      - menuitem "Chile" [hidden] [at=100,70,200,24]
      - menuitem "Iceland" [hidden] [at=100,100,200,24]
  - slider "Seats" [value=2 in 1 to 9] [at=100,200,160,24]
  - button "Book" [at=10,300,80,24]
`

// list is the open list of the combo box, which a window shows.
type list struct {
	*stand
	window *fake.Node
}

// opens opens the list, in which an option is highlighted.
func (s *stand) opens(option string) *list {
	l := &list{s, fake.MustParse(`- frame "list" [process=trip] [at=100,70,200,60]`)[0].Popup(true)}
	s.Open(l.window)
	for _, sel := range []string{"role:menu", "name:Chile", "name:Iceland"} {
		s.Set(s.Find(sel), func(e *desktop.Element) { e.States |= desktop.Showing })
	}
	s.Set(s.Find("name:"+option), func(e *desktop.Element) { e.States |= desktop.Selected })
	return l
}

// closes closes the list, and has the combo box show what was chosen, as GTK does.
func (l *list) closes(chosen string) {
	for _, sel := range []string{"role:menu", "name:Chile", "name:Iceland"} {
		l.Set(l.Find(sel), func(e *desktop.Element) { e.States &^= desktop.Showing | desktop.Selected })
	}
	l.Set(l.Find("role:combobox"), func(e *desktop.Element) { e.Name = chosen })
	l.Remove(l.window)
}

func (s *stand) setsSlider(to float64) {
	s.Set(s.Find("role:slider"), func(e *desktop.Element) { e.Value.Now = to })
}

// TestAChoiceIsReadWhenItsListIsClosed opens the list of a combo box, in which the
// first option is highlighted, and clicks another.
func TestAChoiceIsReadWhenItsListIsClosed(t *testing.T) {
	for _, c := range []struct {
		say  string
		late time.Duration // how long after the click the list closes
		deaf bool          // the program reports no changes
	}{
		{"at once", 0, false},
		{"after the last read", 2 * time.Second, false},
		{"after the last read, and the program reports no changes", 2 * time.Second, true},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, _, told := recordOn(t, func(s *stand) { s.Open(fake.MustParse(trip)[0]) }, func(s *stand) {
				if c.deaf {
					s.Fail("WatchElement", desktop.ErrUnavailable, -1)
				}
				s.quickly(s.Get(s.Find("role:combobox")).Bounds.Center())
				time.Sleep(20 * time.Millisecond)
				l := s.opens("Chile")
				time.Sleep(2 * time.Second)
				at := s.Get(s.Find("name:Iceland")).Bounds.Center()
				s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
				time.Sleep(200 * time.Millisecond)
				s.quickly(at)
				time.Sleep(c.late)
				l.closes("Iceland")
				time.Sleep(2 * time.Second)
			})
			if diff := cmp.Diff([]string{"Iceland"}, chosenIn(seen)); diff != "" {
				t.Errorf("the choices (-want +got):\n%s\nit was told so: %v", diff, told)
			}
			if want, got := `  2  choose "Iceland" in combobox`, told[len(told)-1]; want != got {
				t.Errorf("it was told %q last, want %q", got, want)
			}
		})
	}
}

// TestAChoiceByKeysOnAPartOfTheComboBox reaches a combo box by Tab, where its button has the
// keyboard, which stands in it or is left out of the tree. The key comes when the program
// has told of the keyboard, or not.
func TestAChoiceByKeysOnAPartOfTheComboBox(t *testing.T) {
	for name, window := range map[string]string{
		"in the tree": `
- frame "Trip" [process=trip] [at=0,0,400,400]
  - label "Country" [at=10,40,80,24]
  - combobox "Chile" [at=100,40,200,24]
    - togglebutton "" [focusable] [at=100,40,200,24]
  - button "Book" [at=10,300,80,24]
`,
		"not in the tree": `
- frame "Trip" [process=trip] [at=0,0,400,400]
  - label "Country" [at=10,40,80,24]
  - combobox "Chile" [at=100,40,200,24]
  - togglebutton "" [hidden] [focusable] [at=100,40,200,24]
  - button "Book" [at=10,300,80,24]
`,
	} {
		for _, rest := range []time.Duration{0, time.Second} {
			t.Run(name, func(t *testing.T) {
				seen, _, told := recordOn(t, func(s *stand) { s.Open(fake.MustParse(window)[0]) }, func(s *stand) {
					time.Sleep(time.Second)
					s.moves("role:togglebutton")
					time.Sleep(rest)
					s.Set(s.Find("role:combobox"), func(e *desktop.Element) { e.Name = "Iceland" })
					s.press("down")
					time.Sleep(time.Second)
					s.clicks("name:Book")
				})
				text := compiled(t, seen)
				if diff := cmp.Diff([]string{"Iceland"}, chosenIn(seen)); diff != "" || strings.Contains(text, "press_key") || !strings.Contains(text, "select_option") {
					t.Errorf("the choices (-want +got):\n%s\nthe workflow is:\n%s\nit was told so: %v", diff, text, told)
				}
			})
		}
	}
}

// TestASliderIsSetToItsLastValue drags the slider of a page, which reports one of the
// values on the way at first, and the last one when the button after it is clicked.
func TestASliderIsSetToItsLastValue(t *testing.T) {
	for _, c := range []struct {
		say    string
		during bool // the first value is reported while the button is held
	}{{"the first during the drag", true}, {"the first after it", false}} {
		t.Run(c.say, func(t *testing.T) {
			seen, _, told := recordOn(t, func(s *stand) { s.Open(fake.MustParse(trip)[0]) }, func(s *stand) {
				from, to := desktop.Point{X: 120, Y: 212}, desktop.Point{X: 200, Y: 212}
				s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: from})
				time.Sleep(200 * time.Millisecond)
				s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: from, Button: desktop.Left})
				if c.during {
					s.setsSlider(3)
				}
				time.Sleep(500 * time.Millisecond)
				s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: to, Button: desktop.Left})
				s.setsSlider(3)
				time.Sleep(time.Second)
				s.clicks("name:Book")
				s.setsSlider(6)
				time.Sleep(time.Second)
			})
			if diff := cmp.Diff([]string{"3", "6"}, chosenIn(seen)); diff != "" {
				t.Fatalf("the values (-want +got):\n%s", diff)
			}
			if want, got := `  2  set slider "Seats" to 6`, told[len(told)-1]; want != got {
				t.Errorf("it was told %q last, want %q; the workflow is:\n%s", got, want, compiled(t, seen))
			}
		})
	}
}

// slides drags the slider to a value.
func (s *stand) slides(to float64) {
	from, at := desktop.Point{X: 120, Y: 212}, desktop.Point{X: 200, Y: 212}
	s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: from})
	time.Sleep(200 * time.Millisecond)
	s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: from, Button: desktop.Left})
	time.Sleep(500 * time.Millisecond)
	s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
	s.setsSlider(to)
}

// TestAChoiceBeforeTheLastKeyIsRead drags a slider, and at once stops or pauses the recording.
func TestAChoiceBeforeTheLastKeyIsRead(t *testing.T) {
	for _, keys := range []string{"ctrl+shift+f12", "ctrl+shift+f11"} {
		seen, _, _ := recordOn(t, func(s *stand) { s.Open(fake.MustParse(trip)[0]) }, func(s *stand) {
			s.slides(6)
			s.press(keys)
		})
		if diff := cmp.Diff([]string{"6"}, chosenIn(seen)); diff != "" {
			t.Errorf("before %s the choices are (-want +got):\n%s", keys, diff)
		}
	}
}

// TestAChoiceInAPauseIsNotRead chooses while the recording is paused, of which keys are heard
// or not.
func TestAChoiceInAPauseIsNotRead(t *testing.T) {
	const towns = `
- frame "Towns" [process=trip] [at=0,0,400,400]
  - list "" [at=10,10,200,100]
    - listitem "Nairobi" [focusable] [at=10,10,200,24]
    - listitem "Tokyo" [focusable] [at=10,40,200,24]
`
	for _, c := range []struct {
		say           string
		heard         bool
		window        string
		before, while func(s *stand)
		want          []string
	}{
		{"heard", true, trip, func(s *stand) { s.slides(6) }, func(s *stand) { s.setsSlider(8) }, []string{"6"}},
		{"not heard", false, towns, func(s *stand) { s.goesTo("name:Nairobi") }, func(s *stand) {
			s.goesTo("name:Tokyo")
			s.Set(s.Find("name:Tokyo"), func(e *desktop.Element) { e.States |= desktop.Selected })
		}, nil},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stand{Desktop: fake.New(fake.MustParse(c.window)...), t: t}
				defer s.Close()
				d := s.Desktop.Desktop()
				if !c.heard {
					d.Input = noKeys{s.Desktop.Desktop()}
				}
				session, err := Start(t.Context(), d, Options{})
				if err != nil {
					t.Fatal(err)
				}
				c.before(s)
				time.Sleep(2 * time.Second)
				session.Command(recorder.Pause, desktop.Point{})
				c.while(s)
				time.Sleep(2 * time.Second)
				session.Command(recorder.Pause, desktop.Point{})
				time.Sleep(2 * time.Second)
				s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: desktop.Point{X: 50, Y: 310}, Button: desktop.Left})
				s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: desktop.Point{X: 50, Y: 310}, Button: desktop.Left})
				time.Sleep(2 * time.Second)
				seen, err := session.Stop()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, chosenIn(seen)); diff != "" {
					t.Errorf("the choices (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// chosenIn are the values that were chosen in a recording.
func chosenIn(seen []recorder.Event) (values []string) {
	for _, ev := range seen {
		if ev.Type == recorder.Chosen {
			values = append(values, *ev.Value)
		}
	}
	return values
}

// TestAPressIsOnWhatWasThereBeforeItsMenu presses a combo box whose list, which covers
// it, is seen before the press is told of, as on a machine with too much to do.
func TestAPressIsOnWhatWasThereBeforeItsMenu(t *testing.T) {
	var at desktop.Point
	seen, _, _ := recordOn(t, func(s *stand) { s.Open(fake.MustParse(trip)[0]) }, func(s *stand) {
		at = s.Get(s.Find("role:combobox")).Bounds.Center()
		s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
		time.Sleep(300 * time.Millisecond)
		pressed := time.Now()
		time.Sleep(10 * time.Millisecond)
		s.Open(fake.MustParse(`
- frame "list" [process=trip] [at=100,20,200,60]
  - menuitem "Chile" [at=100,20,200,60]
`)[0].Popup(true))
		time.Sleep(500 * time.Millisecond)
		s.Emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left, Time: pressed}, desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left, Time: pressed.Add(5 * time.Millisecond)})
	})
	for _, ev := range seen {
		if ev.Type == recorder.Pressed && (ev.Element == nil || ev.Element.Role != "combobox") {
			t.Errorf("pressed was %+v", ev.Element)
		}
	}
}
