//go:build linux

package x11_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

// watcher keeps the events of Watch.
type watcher struct {
	b    *bench
	mu   sync.Mutex
	seen []desktop.InputEvent
	end  context.CancelFunc
	done chan error
}

// watch starts to watch and returns when that has begun.
func (b *bench) watch() *watcher {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	began := make(chan struct{})
	w := &watcher{b: b, end: cancel, done: make(chan error, 1)}
	go func() {
		w.done <- b.Watch(ctx, func(e desktop.InputEvent) {
			if e.Type == desktop.WatchBegan {
				close(began)
				return
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.seen = append(w.seen, e)
		})
	}()
	select {
	case <-began:
	case err := <-w.done:
		b.t.Fatalf("watching ended at once: %v", err)
	}
	return w
}

func (w *watcher) stroke(keys ...string) { w.b.run("xdotool", append([]string{"key"}, keys...)...) }

// text returns what was typed.
func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var s strings.Builder
	for _, e := range w.seen {
		s.WriteString(e.Text)
	}
	return s.String()
}

// until waits for the release of a key, and returns and consumes everything before it.
func (w *watcher) until(key desktop.Key) []string {
	w.b.t.Helper()
	var list []string
	w.b.eventually("the key "+string(key)+" is seen", func() (bool, string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		list = nil
		for _, e := range w.seen {
			if e.Key == key {
				if e.Type == desktop.KeyRelease {
					w.seen = nil
					return true, ""
				}
				continue
			}
			list = append(list, say(e))
		}
		return false, strings.Join(list, "\n")
	})
	return list
}

// say puts an event into words.
func say(e desktop.InputEvent) string {
	words := []string{string(e.Type)}
	for _, m := range e.Mods {
		words = append(words, string(m))
	}
	switch e.Type {
	case desktop.KeyPress, desktop.KeyRelease:
		words = append(words, string(e.Key))
		if e.Text != "" {
			words = append(words, fmt.Sprintf("%q", e.Text))
		}
	case desktop.ButtonPress, desktop.ButtonRelease:
		words = append(words, string(e.Button), e.At.String())
	case desktop.WheelTurn:
		words = append(words, fmt.Sprint(e.DX, e.DY), e.At.String())
	default:
		words = append(words, e.At.String())
	}
	return strings.Join(words, " ")
}

func TestWatchReportsInputOfAPerson(t *testing.T) {
	b := open(t)
	w := b.watch()
	for _, row := range []struct {
		sentence string
		do       []string
		want     string
	}{
		{"a letter", []string{"key", "a"}, `key_press a "a"; key_release a`},
		{"a capital", []string{"key", "shift+a"}, `key_press shift; key_press shift a "A"; key_release shift; key_release a`},
		{"a shortcut types nothing", []string{"key", "ctrl+s"}, `key_press ctrl; key_press ctrl s; key_release ctrl; key_release s`},
		{"a named key", []string{"key", "Return"}, `key_press enter; key_release enter`},
		{"a move", []string{"mousemove", "300", "400"}, `pointer_move 300,400`},
		{"a click", []string{"click", "3"}, `button_press right 300,400; button_release right 300,400`},
		{"the wheel", []string{"click", "5"}, `wheel 0 1 300,400`},
		{"the wheel to the left", []string{"click", "6"}, `wheel -1 0 300,400`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			b.run("xdotool", row.do...)
			w.stroke("End")
			if got := strings.Join(w.until("end"), "; "); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestWatchReportsTypedText(t *testing.T) {
	for _, row := range []struct {
		sentence, layout, want string
		do                     func(b *bench)
	}{
		{"characters that the layout lacks", "us", "naïve 日本 🙂", func(b *bench) { b.run("xdotool", "type", "--delay", "20", "naïve 日本 🙂") }},
		{"dead keys", "us -variant intl", "éà", func(b *bench) { b.run("xdotool", "key", "dead_acute", "e", "dead_grave", "a") }},
		{"dead keys without a letter", "us -variant intl", "^'´\u00a0e", func(b *bench) {
			b.run("xdotool", "key", "dead_circumflex", "space", "dead_acute", "space", "dead_acute", "dead_acute", "nobreakspace", "dead_grave", "BackSpace", "e")
		}},
		{"the third level", "de", "@€", func(b *bench) {
			b.run("xdotool", "keydown", "ISO_Level3_Shift", "key", "q", "key", "e", "keyup", "ISO_Level3_Shift")
		}},
		{"CapsLock", "us", "ABc1", func(b *bench) { b.run("xdotool", "key", "Caps_Lock", "a", "b", "shift+c", "1", "Caps_Lock") }},
		{"another layout", "ru", "Привет", func(b *bench) { b.run("xdotool", "type", "--delay", "5", "Привет") }},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			b := open(t)
			w := b.watch()
			b.run("setxkbmap", strings.Fields("-layout "+row.layout)...)
			row.do(b)
			b.eventually("all is read", func() (bool, string) { return w.text() == row.want, w.text() })
		})
	}
}

func TestWatchReportsThatTheClipboardIsTaken(t *testing.T) {
	b := open(t)
	w := b.watch()
	for _, text := range []string{"first", "second", "second"} {
		b.must(b.Do(t.Context(), desktop.WriteClipboard{Text: text}))
	}
	b.eventually("the clipboard is taken three times", func() (bool, string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		taken := 0
		for _, e := range w.seen {
			if e.Type == desktop.ClipboardTaken {
				taken++
			}
		}
		return taken == 3, fmt.Sprintf("%d times", taken)
	})
}

func TestWatchLeavesOurInputOut(t *testing.T) {
	b := open(t)
	w := b.watch()
	ctx := t.Context()
	person := make(chan struct{})
	go func() { // a person clicks and types meanwhile
		defer close(person)
		for range 20 {
			b.run("xdotool", "key", "F7")
		}
	}()
	for range 5 {
		b.must(b.Do(ctx, desktop.Type{Text: "Typed by us: é 日 €\n"}))
		b.must(b.Do(ctx, desktop.Click{At: desktop.Point{X: 700, Y: 700}, Button: desktop.Left, Count: 2}))
		b.must(b.Do(ctx, desktop.Scroll{DX: 0, DY: 3}))
		b.must(b.Do(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "k"}}))
		b.must(b.Do(ctx, desktop.KeyDown{Key: desktop.Shift}))
		b.must(b.Do(ctx, desktop.KeyUp{Key: desktop.Shift}))
		b.must(b.Do(ctx, desktop.MovePointer{To: desktop.Point{X: 20, Y: 900}}))
	}
	<-person
	w.stroke("End")
	for i, e := range w.until("end") {
		// The modifiers are those that we held at that moment.
		words := strings.Fields(e)
		got := words[0] + " " + words[len(words)-1]
		if want := []string{"key_press f7", "key_release f7"}[i%2]; got != want || i >= 40 {
			t.Errorf("event %d is %s, wanted %s, and 40 events", i, e, want)
		}
	}
}

func TestAKeyThatWeHoldIsNotSeenRepeating(t *testing.T) {
	b := open(t)
	b.run("xset", "r", "rate", "100", "100")
	w := b.watch()
	b.must(b.Do(t.Context(), desktop.KeyDown{Key: "z"}))
	b.run("xdotool", "sleep", "0.4")
	b.must(b.Do(t.Context(), desktop.KeyUp{Key: "z"}))
	w.stroke("End")
	if got := w.until("end"); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestNothingIsLostInAFlood(t *testing.T) {
	b := open(t)
	w := b.watch()
	const n = 200
	var script strings.Builder
	for i := range n {
		fmt.Fprintf(&script, "mousemove %d %d key --delay 0 %c click --delay 0 1\n", 100+i, 50+i, 'a'+i%26)
	}
	cmd := b.command("xdotool", "-")
	cmd.Stdin = strings.NewReader(script.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	w.stroke("End")
	count := map[string]int{}
	for _, e := range w.until("end") {
		kind, _, _ := strings.Cut(e, " ")
		count[kind]++
	}
	for _, kind := range []desktop.InputType{desktop.PointerMove, desktop.KeyPress, desktop.KeyRelease, desktop.ButtonPress, desktop.ButtonRelease} {
		if count[string(kind)] != n {
			t.Errorf("%s: got %d of %d", kind, count[string(kind)], n)
		}
	}
}

func TestWatchEnds(t *testing.T) {
	for _, row := range []struct {
		sentence string
		end      func(b *bench, w *watcher)
		ok       func(error) bool
	}{
		{"with the context", func(_ *bench, w *watcher) { w.end() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		{"with the display", func(b *bench, _ *watcher) { b.killServer() }, unavailable},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			b := open(t)
			w := b.watch()
			row.end(b, w)
			select {
			case err := <-w.done:
				if !row.ok(err) {
					t.Errorf("got %v", err)
				}
			case <-time.After(time.Until(scratch.Deadline(t))):
				t.Error("it goes on")
			}
		})
	}
}
