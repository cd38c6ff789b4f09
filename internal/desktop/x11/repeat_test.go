//go:build linux

package x11_test

import (
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/x11"
)

// slowLine returns a driver that reaches its display over a line that delays each request, as a
// busy machine does.
func (b *bench) slowLine(delay time.Duration) *x11.Driver {
	b.t.Helper()
	// The name of a display may be the path of a socket.
	display := filepath.Join(filepath.Dir(b.display.Authority()), "slow"+b.display.Name()) // its number selects the cookie
	l, err := net.Listen("unix", display)
	b.must(err)
	b.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", "/tmp/.X11-unix/X"+b.display.Name()[1:])
			if err != nil {
				near.Close()
				return
			}
			go carry(near, far, 0)
			go carry(far, near, delay)
		}
	}()
	o := b.options
	o.Display, o.Dir = display, b.t.TempDir()
	r, err := x11.Open(b.t.Context(), o)
	b.must(err)
	b.t.Cleanup(func() { _ = r.Close() })
	return r
}

// carry copies the data of one end to the other, one request at a time.
func carry(to io.WriteCloser, from io.ReadCloser, delay time.Duration) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 1<<16)
	if delay > 0 {
		buffer = buffer[:36] // the size of the request for a press or release
	}
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		time.Sleep(delay)
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// impatient makes keys repeat after a moment.
func (b *bench) impatient() { b.run("xset", "r", "rate", "2", "200") }

func (b *bench) repeats() bool {
	b.t.Helper()
	return strings.Contains(b.run("xset", "q"), "auto repeat:  on")
}

func TestAKeyIsNotRepeatedHoweverSlowlyItIsReleased(t *testing.T) {
	b := open(t)
	file := b.editor("mousepad")
	b.impatient()
	r := b.slowLine(4 * time.Millisecond)
	const text = "slow, née\n\tsloẅ\n"
	b.must(r.Do(t.Context(), desktop.Type{Text: text}))
	for range 3 {
		b.must(r.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Key: "enter"}}))
	}
	b.must(r.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Shift}, Key: "enter"}}))
	b.must(r.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Key: "num4"}}))
	b.saved(file, text+"\n\n\n\n4")
	if !b.repeats() {
		t.Error("keys no longer repeat for the user")
	}
}

// A key that is held would repeat in a window that comes up meanwhile.
func TestAKeyThatIsHeldDoesNotRepeat(t *testing.T) {
	b := open(t)
	file := b.editor("mousepad")
	b.impatient()
	hold := func(k desktop.Key) { b.must(b.Do(t.Context(), desktop.KeyDown{Key: k})) }
	release := func(k desktop.Key) { b.must(b.Do(t.Context(), desktop.KeyUp{Key: k})) }
	hold("a")
	hold("b")
	b.must(b.Do(t.Context(), desktop.Type{Text: "c"}))
	release("a")
	if b.repeats() {
		t.Error("keys repeat while one is held")
	}
	release("b")
	if !b.repeats() {
		t.Error("keys no longer repeat for the user")
	}
	b.saved(file, "abc")
	hold("shift")
	b.must(b.ReleaseAll(t.Context()))
	if !b.repeats() {
		t.Error("keys no longer repeat for the user after all were released")
	}
	b.run("xset", "r", "off")
	b.must(b.Close())
	o := b.options
	o.Dir = t.TempDir()
	next, err := x11.Open(t.Context(), o)
	b.must(err)
	t.Cleanup(func() { _ = next.Close() })
	if x11.Repeating(t, next) {
		t.Error("keys repeat after the robot was closed, which the user had switched off")
	}
}

func TestKeysRepeatAgainWhenWeAreCutOff(t *testing.T) {
	b := open(t)
	r := b.slowLine(2 * time.Millisecond)
	typing := make(chan error, 1)
	go func() { typing <- r.Do(t.Context(), desktop.Type{Text: strings.Repeat(mixed, 1000)}) }()
	b.eventually("keys no longer repeat", func() (bool, string) { return !b.repeats(), b.run("xset", "q") })
	x11.Cut(r)
	if err := <-typing; !unavailable(err) {
		t.Errorf("got %v, wanted ErrUnavailable", err)
	}
	b.eventually("keys repeat again", func() (bool, string) { return x11.Repeating(t, b.driver), "" })
	b.must(r.ReleaseAll(t.Context()))
	if !b.repeats() {
		t.Error("programs are told that keys do not repeat")
	}
}

func TestRepeatThatIsOffStaysOff(t *testing.T) {
	b := open(t)
	b.run("xset", "r", "off")
	b.must(b.Do(t.Context(), desktop.Type{Text: "x"}))
	b.must(b.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Key: "f5"}}))
	if b.repeats() {
		t.Error("keys repeat, which the user had switched off")
	}
	b.must(b.Close())
	if b.repeats() {
		t.Error("keys repeat after the robot was closed, which the user had switched off")
	}
}
