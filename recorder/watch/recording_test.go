package watch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/recorder"
	"understudy/recorder/compile"
)

const login = `
- frame "Login" [process=login] [at=0,0,400,400]
  - label "Name:" [at=10,40,80,24]
  - entry "Name" [at=100,40,200,24]
  - label "Code:" [at=10,70,80,24]
  - password "Code" [at=100,70,200,24]
  - checkbox "Remember" [at=10,100,200,24]
  - button "OK" [at=10,130,80,24]
  - statusbar "Ready" [at=0,376,400,24]
`

// stand is a fake desktop with a person in front of it, whose input both
// changes it and is seen.
type stand struct {
	*fake.Desktop

	t     *testing.T
	path  string
	input desktop.Input // what hears the person, if another than the desktop
}

// record records what do does, and gives what was seen and the log's text.
func record(t *testing.T, do func(s *stand)) (seen []recorder.Event, text string, told []string) {
	t.Helper()
	return recordOn(t, func(*stand) {}, do)
}

// recordOn is record on a desktop that is prepared before the recording starts.
func recordOn(t *testing.T, prepare, do func(s *stand)) (seen []recorder.Event, text string, told []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stand{Desktop: fake.New(fake.MustParse(login)...), t: t, path: filepath.Join(t.TempDir(), "events.jsonl")}
		defer s.Close()
		log, err := recorder.CreateLog(s.path)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close() // Windows removes no file that is open
		prepare(s)
		d := s.Desktop.Desktop()
		if s.input != nil {
			d.Input = s.input
		}
		session, err := Start(t.Context(), d, Options{Log: log, Keys: recorder.DefaultKeys(), Tell: func(l recorder.Line) { told = append(told, l.String()) }})
		if err != nil {
			t.Fatal(err)
		}

		do(s)
		time.Sleep(time.Second)
		if seen, err = session.Stop(); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		text = string(content)
	})
	return seen, text, told
}

func (s *stand) emit(ev desktop.InputEvent) {
	ev.Time = time.Now()
	s.Emit(ev)
}

// types is a person who types a text, with a pause after each key.
func (s *stand) types(text string, pause time.Duration) {
	for _, r := range text {
		_ = s.Do(context.Background(), desktop.Type{Text: string(r)})
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: desktop.Key(strings.ToLower(string(r))), Text: string(r)})
		time.Sleep(pause)
	}
}

func (s *stand) press(chord string) {
	all, err := desktop.ParseKeys(chord)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = s.Do(context.Background(), desktop.Press{Chord: all[0]})
	s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: all[0].Key, Mods: all[0].Mods})
}

func (s *stand) clicks(sel string) {
	at := s.Get(s.Find(sel)).Bounds.Center()
	s.emit(desktop.InputEvent{Type: desktop.PointerMove, At: at})
	time.Sleep(200 * time.Millisecond)
	s.emit(desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left})
	_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
	s.emit(desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left})
	time.Sleep(200 * time.Millisecond)
}

func compiled(t *testing.T, seen []recorder.Event) string {
	t.Helper()
	text, _, err := compile.Events(seen, compile.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAPasswordIsNeverWritten(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	for _, c := range []struct {
		say string
		do  func(s *stand)
	}{
		{"typed slowly after a click", func(s *stand) {
			s.clicks("role:password")
			s.types(secret, 50*time.Millisecond)
			s.press("tab")
		}},
		{"typed at once, with Tab before anyone could look", func(s *stand) {
			s.clicks("role:password")
			s.types(secret, 0)
			s.press("tab")
			s.types("x", 0)
		}},
		{"typed at once after a name and Tab", func(s *stand) {
			s.clicks("role:entry")
			s.types("Ada", 0)
			s.press("tab")
			s.types(secret, 0)
			s.press("enter")
		}},
		{"the keyboard is moved into the field by the program", func(s *stand) {
			s.clicks("role:entry")
			s.types("Ada", 100*time.Millisecond)
			_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find("role:password")).Handle})
			s.types(secret, 0)
		}},
		{"and out of it again", func(s *stand) {
			s.clicks("role:password")
			s.types(secret, 0)
			_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find("role:entry")).Handle})
			time.Sleep(time.Second)
		}},
		{"the program moves the keyboard out of it before a key was heard of", func(s *stand) {
			s.clicks("role:password")
			_ = s.Do(context.Background(), desktop.Type{Text: secret})
			_ = s.Do(context.Background(), desktop.GrabFocus{Element: s.Get(s.Find("role:entry")).Handle})
			time.Sleep(time.Second)
			for _, r := range secret {
				s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: desktop.Key(strings.ToLower(string(r))), Text: string(r)})
			}
		}},
		{"nothing says what has the keyboard", func(s *stand) {
			s.Fail("SaveFocus", desktop.ErrUnresponsive, -1)
			s.clicks("role:password")
			s.types(secret, 0)
			s.press("tab")
		}},
		{"the application answers late", func(s *stand) {
			s.Delay("SaveFocus", 400*time.Millisecond)
			s.clicks("role:password")
			s.types(secret, 0)
			s.press("tab")
			s.types("x", 0)
		}},
		{"the field shows what is typed after a while", func(s *stand) {
			s.clicks("role:password")
			s.types(secret[:3], 100*time.Millisecond)
			s.Set(s.Find("role:password"), func(e *desktop.Element) { e.Role = "entry" })
			s.types(secret[3:], 100*time.Millisecond)
			time.Sleep(time.Second)
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, log, told := record(t, c.do)
			var typed strings.Builder
			for _, ev := range seen {
				typed.WriteString(ev.Text)
			}
			for i := range len(secret) - 2 {
				part := secret[i : i+3]
				if strings.Contains(typed.String(), part) || strings.Contains(log, part) || strings.Contains(strings.Join(told, "\n"), part) || strings.Contains(compiled(t, seen), part) {
					t.Errorf("the recording holds %q:\n%s", part, log)
				}
			}
			if n := strings.Count(log, `"hidden":true`); n == 0 || n > 2 {
				t.Errorf("the recording says %d times that something was typed: it should, and not how much", n)
			}
		})
	}
}

func TestRecordedInputBecomesSteps(t *testing.T) {
	seen, _, told := record(t, func(s *stand) {
		s.clicks("role:entry")
		s.types("Adda", 30*time.Millisecond)
		s.press("backspace")
		s.press("backspace")
		s.types("a", 30*time.Millisecond)
		time.Sleep(time.Second)
		s.clicks("role:checkbox")
		s.clicks("role:button")
	})
	text := compiled(t, seen)
	for _, want := range []string{"default: Ada}", "set_selected", "state: true", "role:button && name:OK"} {
		if !strings.Contains(text, want) {
			t.Errorf("the workflow lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "uncertain") {
		t.Errorf("something is uncertain:\n%s", text)
	}
	want := []string{
		`  1  switch to "Login"`, `  2  click entry "Name"`, `  2  type "Ada" into entry "Name"`,
		`  3  turn on checkbox "Remember"`, `  4  click button "OK"`,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("what was told (-want +got):\n%s", diff)
	}
}

// TestAPasswordThatShowsIsNotRead clicks a field that was seen as one of a password, and shows
// its text since. The program does not say in time what is below the pointer.
func TestAPasswordThatShowsIsNotRead(t *testing.T) {
	const secret = "hQ7#kZ9!x"
	_, log, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		at := s.Get(s.Find("role:password")).Bounds.Center()
		s.Set(s.Find("role:password"), func(e *desktop.Element) { e.Role = "entry" })
		time.Sleep(2 * time.Second)
		s.clicks("role:checkbox")
		s.Fail("ElementAt", desktop.ErrNotFound, -1)
		s.quickly(at)
		_ = s.Do(context.Background(), desktop.Click{At: at, Button: desktop.Left})
		s.types(secret, 50*time.Millisecond)
		time.Sleep(2 * time.Second)
	})
	if strings.Contains(log, secret[:3]) {
		t.Errorf("the recording holds the password:\n%s", log)
	}
}

// TestInputAfterTheStopKeyIsNotRecorded clicks right after the key, before the recording has
// handled it.
func TestInputAfterTheStopKeyIsNotRecorded(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		at := s.Get(s.Find("role:button")).Bounds.Center()
		s.Emit(
			desktop.InputEvent{Type: desktop.KeyPress, Key: "f12", Mods: []desktop.Key{"ctrl", "shift"}, Time: time.Now()},
			desktop.InputEvent{Type: desktop.ButtonPress, At: at, Button: desktop.Left, Time: time.Now()},
			desktop.InputEvent{Type: desktop.ButtonRelease, At: at, Button: desktop.Left, Time: time.Now()},
			desktop.InputEvent{Type: desktop.KeyPress, Key: "x", Text: "x", Time: time.Now()},
		)
	})
	if text := compiled(t, seen); strings.Contains(text, "name:OK") || strings.Contains(text, "type_text") {
		t.Errorf("the workflow is:\n%s", text)
	}
}

// TestADeadKeyIsNoStep types a letter with an accent, whose dead key is on the key of
// another character.
func TestADeadKeyIsNoStep(t *testing.T) {
	for _, mods := range [][]desktop.Key{{desktop.Shift}, {desktop.AltGr}, {desktop.Shift, desktop.AltGr}} {
		seen, _, _ := record(t, func(s *stand) {
			s.clicks("role:entry")
			s.types("caf", 50*time.Millisecond)
			s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "'", Mods: mods})
			s.types("é", 50*time.Millisecond)
		})
		if text := compiled(t, seen); !strings.Contains(text, "default: café}") || strings.Contains(text, "press_key") {
			t.Errorf("with %v the workflow is:\n%s", mods, text)
		}
	}
}

func TestKeysThatSteer(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.clicks("role:checkbox")
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "f9", Mods: []desktop.Key{"ctrl", "shift"}})
		time.Sleep(time.Second)
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "f11", Mods: []desktop.Key{"ctrl", "shift"}})
		s.clicks("role:entry")
		s.types("private", 10*time.Millisecond)
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "f11", Mods: []desktop.Key{"ctrl", "shift"}})
		time.Sleep(time.Second)
		s.clicks("role:button")
		s.emit(desktop.InputEvent{Type: desktop.KeyPress, Key: "f12", Mods: []desktop.Key{"ctrl", "shift"}})
		time.Sleep(time.Second)
		s.clicks("role:checkbox")
	})
	text := compiled(t, seen)
	if strings.Count(text, "tool_name: set_selected") != 1 || strings.Contains(text, "private") || strings.Contains(text, "press_key") {
		t.Errorf("what was done while it was paused or stopped, or the keys themselves, were recorded:\n%s", text)
	}
	if !strings.Contains(text, "validate_element") || !strings.Contains(text, "name:OK") {
		t.Errorf("the assertion, or what was done after the pause, is missing:\n%s", text)
	}
}

// TestTextTypedDuringAPauseIsNotRecorded types into the field that had the keyboard
// before, and has it after.
func TestTextTypedDuringAPauseIsNotRecorded(t *testing.T) {
	pause := desktop.InputEvent{Type: desktop.KeyPress, Key: "f11", Mods: []desktop.Key{"ctrl", "shift"}}
	seen, log, _ := record(t, func(s *stand) {
		s.clicks("role:entry")
		time.Sleep(2 * time.Second)
		s.emit(pause)
		s.types("private", 10*time.Millisecond)
		time.Sleep(time.Second)
		s.emit(pause)
		time.Sleep(2 * time.Second)
		s.clicks("role:button")
	})
	if strings.Contains(log, `"value":"private"`) || strings.Contains(compiled(t, seen), "private") {
		t.Errorf("what was typed in the pause was kept:\n%s", log)
	}
}

func TestBurstOfInputIsRecordedCompletely(t *testing.T) {
	const bursts = 20_000
	seen, _, _ := record(t, func(s *stand) {
		events := make([]desktop.InputEvent, bursts)
		for i := range events {
			events[i] = desktop.InputEvent{Type: desktop.WheelTurn, DY: 1, At: desktop.Point{X: 50, Y: 142}, Time: time.Now()}
		}
		s.Emit(events...)
	})
	if text := compiled(t, seen); !strings.Contains(text, "amount: 20000") {
		t.Errorf("some of the burst are missing:\n%.2000s", text)
	}
}

func TestAnApplicationThatHangsDoesNotStopTheRecording(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.Delay("ElementAt", time.Minute)
		s.clicks("role:button")
		s.Delay("ElementAt", 0)
		time.Sleep(time.Second)
		s.clicks("role:checkbox")
	})
	text := compiled(t, seen)
	if !strings.Contains(text, "uncertain: no element was found there") || !strings.Contains(text, "set_selected") {
		t.Errorf("got:\n%s", text)
	}
}

func TestARecordingWithoutADesktopSaysSo(t *testing.T) {
	_, err := Start(t.Context(), desktop.Missing(desktop.ErrUnavailable), Options{})
	if err == nil {
		t.Error("a recording without a desktop began")
	}
}
