//go:build linux

package x11_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/desktop/x11"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

const mixed = "Hello, World! {[<>]} ~`^\\ €5 naïve façade ÅÄÖ žluťoučký Ελλάδα Привет שלום 日本語の文字 한국어 🙂🚀 ﬁ “quoted” – done.\n\tindented\n"

func TestTextIsTypedExactly(t *testing.T) {
	b := open(t)
	file := b.editor("mousepad")
	b.must(b.Do(t.Context(), desktop.Type{Text: mixed}))
	b.saved(file, mixed)
}

// tenThousand returns ten thousand characters of many scripts, in lines.
func tenThousand() string {
	line := strings.ReplaceAll(mixed, "\n\t", " ")
	return strings.Repeat(line, 10_000/utf8.RuneCountInString(line)+1)
}

// All subtests use one display: the aftermath of typing, such as a window manager that still reads
// the keyboard mapping again for each binding, must not keep the next application from showing its
// window.
func TestAtLengthALongTextIsTypedExactly(t *testing.T) {
	want := tenThousand()
	one := open(t)
	for _, program := range []string{"mousepad", "featherpad"} {
		t.Run(program, func(t *testing.T) {
			b := one.with(t)
			file := b.editor(program)
			b.must(b.Do(t.Context(), desktop.Type{Text: want}))
			b.saved(file, want)
		})
	}
	t.Run("chromium", func(t *testing.T) {
		b := one.with(t)
		p := newPage(b)
		b.must(b.Do(t.Context(), desktop.Type{Text: want}))
		b.eventually("the page holds the text",
			func() (bool, string) {
				got := p.value()
				return got == want, describe(got, want)
			})
	})
}

// page is a page in a browser with a text field that reports its content, which is selected.
type page struct {
	mu   sync.Mutex
	text string
	open bool
}

const pageSource = `<!doctype html><meta charset="utf-8"><title>Typing</title><textarea autofocus rows="30" cols="80"></textarea>
<script>
const field = document.querySelector("textarea")
let waiting
const tell = () => fetch("/", {method: "POST", body: field.value})
field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(tell, 100) })
const look = setInterval(() => {
	field.focus()
	if (document.hasFocus() && document.activeElement === field) { clearInterval(look); tell() }
}, 50)
</script>`

func newPage(b *bench) *page {
	b.t.Helper()
	p := &page{}
	server := httptest.NewServer(p)
	b.t.Cleanup(server.Close)
	b.start("chromium", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+scratch.Dir(b.t), server.URL)
	b.window("Typing")
	b.eventually("the field has the keyboard", func() (bool, string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.open, ""
	})
	// A browser that starts may say so before keys reach its page.
	var pressed time.Time
	b.eventually("the page gets keys", func() (bool, string) {
		if time.Since(pressed) > time.Second {
			b.must(b.Do(b.t.Context(), desktop.Type{Text: "x"}))
			pressed = time.Now()
		}
		return p.value() != "", ""
	})
	b.must(b.Do(b.t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}}))
	return p
}

func (p *page) value() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, pageSource)
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.open = string(text), true
}

func TestTypingIsExactWhen(t *testing.T) {
	b := open(t)
	file := b.editor("mousepad")
	for _, row := range []struct {
		sentence string
		before   func(b *bench)
		after    func(b *bench)
	}{
		{"CapsLock is on", func(b *bench) { b.run("xdotool", "key", "Caps_Lock") }, func(b *bench) {
			if out := b.run("xset", "q"); !strings.Contains(out, "Caps Lock:   on") {
				b.t.Errorf("CapsLock is no longer on:\n%s", out)
			}
			b.run("xdotool", "key", "Caps_Lock")
		}},
		{"someone holds Shift", func(b *bench) { b.run("xdotool", "keydown", "shift") }, func(b *bench) {
			b.run("xdotool", "keyup", "shift")
		}},
		{"we hold Ctrl", func(b *bench) { b.must(b.Do(b.t.Context(), desktop.KeyDown{Key: desktop.Ctrl})) }, func(b *bench) {
			b.must(b.Do(b.t.Context(), desktop.KeyUp{Key: desktop.Ctrl}))
		}},
		{"the layout is German", func(b *bench) { b.run("setxkbmap", "de") }, nil},
		{"the layout is Greek", func(b *bench) { b.run("setxkbmap", "gr") }, nil},
		{"the second layout is chosen", func(b *bench) {
			b.run("setxkbmap", "-layout", "us,ru", "-option", "grp:caps_toggle")
			b.run("xdotool", "key", "Caps_Lock")
		}, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			b := b.with(t)
			b.clear()
			row.before(b)
			b.must(b.Do(t.Context(), desktop.Type{Text: mixed}))
			if row.after != nil {
				row.after(b)
			}
			b.saved(file, mixed)
		})
	}
}

// clear empties the editor and restores the usual keyboard.
func (b *bench) clear() {
	b.t.Helper()
	b.run("setxkbmap", "-layout", "us", "-option", "")
	b.must(b.Do(b.t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "a"}}))
	b.must(b.Do(b.t.Context(), desktop.Press{Chord: desktop.Chord{Key: "delete"}}))
}

// A modifier that a person holds changes neither a character nor a shortcut.
func TestAModifierOfAPersonChangesNothing(t *testing.T) {
	virtualtest.Need(t, "Xephyr")
	host := open(t)
	t.Setenv("DISPLAY", host.options.Display)
	t.Setenv("XAUTHORITY", host.options.Authority)
	b := openOn(t, virtualtest.StartWith(t, virtual.Options{Server: virtual.Xephyr, Screen: desktop.Size{W: 900, H: 700}, Layout: "us"}))
	host.window("understudy")
	file := b.editor("mousepad")
	host.must(host.Do(t.Context(), desktop.KeyDown{Key: desktop.Shift}))
	b.eventually("the person holds it", func() (bool, string) { return b.pressed() != "", "" })
	b.must(b.Do(t.Context(), desktop.Type{Text: "abc 1"}))
	b.saved(file, "abc 1")
	host.must(host.Do(t.Context(), desktop.KeyUp{Key: desktop.Shift}))
	b.eventually("nothing is held", func() (bool, string) { down := b.pressed(); return down == "", down })
}

// When another layout is loaded, keys on their way may be read by either layout: then Type fails. It
// never succeeds if the text is wrong.
func TestALayoutThatChangesWhileTypingIsNoticed(t *testing.T) {
	b := open(t)
	text := tenThousand()[:5000]
	text = text[:strings.LastIndex(text, "\n")+1]
	for _, program := range []string{"mousepad", "featherpad"} {
		t.Run(program, func(t *testing.T) {
			b := b.with(t)
			file := b.editor(program)
			noticed := 0
			for i := range 6 {
				if b.typeAcrossLayouts(text, []string{"de", "fr", "us", "gr", "de"}[:1+i%5]) {
					b.saved(file, text)
				} else {
					noticed++
				}
				b.clear()
			}
			t.Logf("in %d of 6 texts keys were on their way when the layout changed", noticed)
			b.must(b.Do(t.Context(), desktop.Type{Text: text}))
			b.saved(file, text)
		})
	}
}

// typeAcrossLayouts types while layouts are loaded, and reports whether the text is right.
func (b *bench) typeAcrossLayouts(text string, layouts []string) bool {
	b.t.Helper()
	done := make(chan error, 1)
	go func() { done <- b.Do(b.t.Context(), desktop.Type{Text: text}) }()
	for _, layout := range layouts {
		b.run("setxkbmap", layout)
	}
	err := <-done
	if err != nil && !errors.Is(err, desktop.ErrUnclear) {
		b.t.Fatal(err)
	}
	return err == nil
}

// A key that is bound to one character after another is bound again only after the application has
// read it, however long that takes.
func TestAnApplicationThatReadsLateGetsEachCharacter(t *testing.T) {
	b := open(t)
	file := b.editor("mousepad")
	pid := b.window("note.txt").PID
	b.must(syscall.Kill(pid, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	text := tenThousand()[:500] + "ready."
	text = strings.ToValidUTF8(text, "")
	done := make(chan error, 1)
	go func() { done <- b.Do(t.Context(), desktop.Type{Text: text}) }()
	b.eventually("the application is asked", func() (bool, string) { return x11.Asking(t, b.driver), "" })
	select { // a driver that does not wait for the answer has bound keys again by now
	case err := <-done:
		t.Errorf("it was over, with %v, while the application read nothing", err)
		done <- nil
	case <-time.After(time.Second):
	}
	b.must(syscall.Kill(pid, syscall.SIGCONT))
	b.must(<-done)
	b.saved(file, text)
}

// A person who has several layouts loaded and switches between them does not change keys on their
// way: each key event has the layout that was chosen.
func TestTextIsTypedExactlyWhileSomeoneSwitchesLayouts(t *testing.T) {
	b := open(t)
	b.run("setxkbmap", "-layout", "us,ru,de", "-option", "grp:alt_shift_toggle")
	file := b.editor("mousepad")
	text := strings.Repeat(mixed, 30)
	done := make(chan error, 1)
	go func() { done <- b.Do(t.Context(), desktop.Type{Text: text}) }()
	for typed := false; !typed; {
		b.run("xdotool", "key", "ISO_Next_Group")
		select {
		case err := <-done:
			b.must(err)
			typed = true
		default:
		}
	}
	b.saved(file, text)
}

// A window that the input closes answers no ping any more, and a busy window manager still calls it
// the active one.
func TestAWindowThatWentHasReadWhatEndedIt(t *testing.T) {
	b := open(t)
	other, err := x11.Open(t.Context(), b.options)
	b.must(err)
	defer other.Close()
	destroy := x11.SilentWindow(t, other, "Silent")
	b.window("Silent")
	manager := b.manager()
	b.must(syscall.Kill(manager, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(manager, syscall.SIGCONT) })
	done := make(chan error, 1)
	go func() { done <- b.Do(t.Context(), desktop.Type{Text: ":q\n"}) }()
	b.eventually("the keys are typed", func() (bool, string) { return x11.Asking(t, b.driver), "" })
	destroy()
	if err := <-done; err != nil {
		t.Errorf("got %v, wanted that what ended the window was read", err)
	}
}

func TestUntypableTextIsRefusedAtOnce(t *testing.T) {
	b := open(t)
	for _, text := range []string{"bell \a", "escape \x1b", "half a character \xc3"} {
		if err := b.Do(t.Context(), desktop.Type{Text: text}); err == nil {
			t.Errorf("%q was typed", text)
		}
	}
}
