package rfb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/local"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// BenchmarkFrames types and scrolls in an editor that fills a screen of 1920×1080, and
// counts the pictures that reach the viewer over a socket.
func BenchmarkFrames(b *testing.B) {
	for name, act := range map[string]func(c *byhand.Viewer, i int) error{
		"typing": func(c *byhand.Viewer, i int) error {
			sym := uint32('a' + i%26)
			if i%60 == 59 {
				sym = symEnter
			}
			return errors.Join(c.Key(sym, true), c.Key(sym, false))
		},
		"scrolling": func(c *byhand.Viewer, i int) error {
			wheel := byte(16)
			if i/40%2 == 1 {
				wheel = 8
			}
			return errors.Join(c.Pointer(wheel, 900, 500), c.Pointer(0, 900, 500))
		},
	} {
		b.Run(name, func(b *testing.B) { benchFrames(b, act) })
	}
}

func benchFrames(b *testing.B, act func(c *byhand.Viewer, i int) error) {
	virtualtest.Need(b, "Xvfb", "openbox", "dbus-daemon", "mousepad")
	b.Setenv("HOME", b.TempDir()) // the editor would ask whether to restore its files
	d, err := local.Machine{}.Open(b.Context(), desktop.Options{Display: "virtual", Dir: scratch.Dir(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%d the quick brown fox jumps over the lazy dog, and what it says is %x\n", i, i*i*7919)
	}
	file := filepath.Join(b.TempDir(), "long.txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := d.Do(b.Context(), desktop.Launch{App: "mousepad " + file}); err != nil {
		b.Fatal(err)
	}
	id := awaitWindow(b, d, "long.txt")
	if err := d.Do(b.Context(), desktop.Manage{Window: id, Do: desktop.Maximize}); err != nil {
		b.Fatal(err)
	}
	c := overSocket(b, &Session{Desktop: d, While: always})
	if _, err := c.Update(true); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error, 1)
	go func() { // thirty times a second, like a held key or wheel
		tick := time.NewTicker(time.Second / 30)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				if err := act(c, i); err != nil {
					done <- err
					return
				}
			case <-ctx.Done():
				done <- nil
				return
			}
		}
	}()
	for b.Loop() {
		if _, err := c.Update(false); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
	cancel()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

func awaitWindow(b *testing.B, d *desktop.Desktop, title string) desktop.WindowID {
	b.Helper()
	for deadline := scratch.Deadline(b); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		windows, err := d.Windows(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		for _, w := range windows {
			if strings.Contains(w.Title, title) {
				return w.ID
			}
		}
	}
	b.Fatalf("no window is called %s", title)
	return 0
}

// overSocket connects a viewer over a local socket.
func overSocket(b *testing.B, s *Session) *byhand.Viewer {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = s.Serve(b.Context(), conn)
		}
		served <- err
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = conn.Close()
		_ = l.Close()
		<-served
	})
	c, err := byhand.View(conn, byhand.ZRLE)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
