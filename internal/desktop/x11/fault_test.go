//go:build linux

package x11_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/x11"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

func (b *bench) killServer() {
	b.t.Helper()
	b.must(syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGKILL))
}

// everything is a list of all methods of a driver.
var everything = []struct {
	name string
	do   func(ctx context.Context, d *desktop.Desktop) error
}{
	{"PointerPosition", func(ctx context.Context, d *desktop.Desktop) error { _, err := d.PointerPosition(ctx); return err }},
	{"MovePointer", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.MovePointer{To: desktop.Point{X: 1, Y: 1}})
	}},
	{"Click", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.Click{At: desktop.Point{X: 9, Y: 9}, Button: desktop.Left, Count: 2})
	}},
	{"ButtonDown", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.ButtonDown{Button: desktop.Left})
	}},
	{"Scroll", func(ctx context.Context, d *desktop.Desktop) error { return d.Do(ctx, desktop.Scroll{DX: 1, DY: 1}) }},
	{"Press", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.Press{Chord: desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "j"}})
	}},
	{"KeyDown", func(ctx context.Context, d *desktop.Desktop) error { return d.Do(ctx, desktop.KeyDown{Key: "f1"}) }},
	{"Type", func(ctx context.Context, d *desktop.Desktop) error { return d.Do(ctx, desktop.Type{Text: mixed}) }},
	{"Monitors", func(ctx context.Context, d *desktop.Desktop) error { _, err := d.Monitors(ctx); return err }},
	{"Capture", func(ctx context.Context, d *desktop.Desktop) error {
		_, err := d.Capture(ctx, desktop.Rect{})
		return err
	}},
	{"Windows", func(ctx context.Context, d *desktop.Desktop) error { _, err := d.Windows(ctx); return err }},
	{"Manage", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.Manage{Window: 1, Do: desktop.Activate})
	}},
	{"ReadClipboard", func(ctx context.Context, d *desktop.Desktop) error { _, err := d.ReadClipboard(ctx); return err }},
	{"WriteClipboard", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.WriteClipboard{Text: "x"})
	}},
	{"Mark", func(ctx context.Context, d *desktop.Desktop) error {
		return d.Do(ctx, desktop.Mark{Area: desktop.Rect{W: 9, H: 9}, Label: "x", For: time.Second})
	}},
	{"Watch", func(ctx context.Context, d *desktop.Desktop) error { return d.Watch(ctx, func(desktop.InputEvent) {}) }},
	{"Info", func(ctx context.Context, d *desktop.Desktop) error { _, err := d.Info(ctx); return err }},
	{"Ping", func(ctx context.Context, d *desktop.Desktop) error { return d.Ping(ctx) }},
}

func TestADisplayThatIsNotThere(t *testing.T) {
	for _, row := range []struct{ display, says string }{
		{"", "DISPLAY is not set"},
		{"nonsense", "nonsense"},
		{":x", ":x"},
		{":59001", ":59001"},
		{"localhost:48000", "localhost:48000"},
	} {
		_, err := x11.Open(t.Context(), x11.Options{Display: row.display})
		var missing *desktop.MissingError
		if !errors.As(err, &missing) || !strings.Contains(missing.What, row.says) || missing.Mend == "" {
			t.Errorf("display %q: got %v, wanted a MissingError that says %q and how to mend it", row.display, err, row.says)
		}
	}
}

func TestTheDisplayDies(t *testing.T) {
	b := open(t)
	b.must(b.Do(t.Context(), desktop.Click{At: desktop.Point{X: 5, Y: 5}, Button: desktop.Left}))
	typing := make(chan error, 1) // a click would wait for that
	go func() { typing <- b.Do(t.Context(), desktop.Type{Text: strings.Repeat(mixed, 10_000)}) }()
	b.killServer()
	<-b.display.Done()
	select {
	case err := <-typing:
		if !unavailable(err) {
			t.Errorf("typing: got %v, wanted ErrUnavailable", err)
		}
	case <-time.After(time.Until(scratch.Deadline(t))):
		t.Fatal("typing goes on")
	}
	for _, x := range everything {
		if err := x.do(t.Context(), b.Desktop); !errors.Is(err, desktop.ErrUnavailable) {
			t.Errorf("%s: got %v, wanted ErrUnavailable", x.name, err)
		}
	}
}

func TestTheDisplayComesBack(t *testing.T) {
	b := open(t)
	b.must(b.Do(t.Context(), desktop.Click{At: desktop.Point{X: 5, Y: 5}, Button: desktop.Left}))
	x11.Cut(b.driver)
	for _, x := range everything {
		if x.name == "Watch" || x.name == "Manage" { // one lasts, the other finds no window 1
			continue
		}
		if err := x.do(t.Context(), b.Desktop); err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		x11.Cut(b.driver)
	}
	b.must(b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 77, Y: 88}}))
	if at, err := b.PointerPosition(t.Context()); err != nil || at != (desktop.Point{X: 77, Y: 88}) {
		t.Errorf("got %v and %v", at, err)
	}
	b.must(b.ReleaseAll(t.Context()))
	if down := b.pressed(); down != "" {
		t.Errorf("still held after connecting again: %s", down)
	}
}

func TestTheDisplayFreezes(t *testing.T) {
	for _, x := range everything {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.must(b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 50, Y: 50}})) // robotgo is connected too
			b.must(syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGSTOP))
			thaw := func() { _ = syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGCONT) }
			defer thaw()
			err := x.do(soon(t, 300*time.Millisecond), b.Desktop)
			if err == nil || errors.Is(err, desktop.ErrUnavailable) {
				t.Errorf("got %v, wanted ErrUnresponsive or the context's end", err)
			}
			thaw()
			b.must(b.Ping(t.Context()))
			b.must(b.ReleaseAll(t.Context()))
			if down := b.pressed(); down != "" {
				t.Errorf("still held: %s", down)
			}
		})
	}
}

func TestAtLengthAFrozenDisplayIsGivenUpWithoutADeadline(t *testing.T) {
	b := open(t)
	b.must(syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGSTOP))
	if err := b.Do(t.Context(), desktop.Type{Text: "x"}); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("got %v, wanted ErrUnresponsive", err)
	}
}

func TestTheClipboardsOwnerIsStopped(t *testing.T) {
	virtualtest.Need(t, "xclip")
	b := open(t)
	owner := b.command("xclip", "-selection", "clipboard", "-i", "-quiet")
	owner.Stdin = strings.NewReader("mine")
	b.startCommand(owner)
	b.eventually("the clipboard is owned", func() (bool, string) {
		got, err := b.ReadClipboard(t.Context())
		return err == nil && got == "mine", got
	})
	b.must(owner.Process.Signal(syscall.SIGSTOP))
	if _, err := b.ReadClipboard(soon(t, 300*time.Millisecond)); err == nil {
		t.Error("got no error, wanted one at the end of the context")
	}
	b.must(b.Do(t.Context(), desktop.WriteClipboard{Text: "ours"}))
	if got, err := b.ReadClipboard(t.Context()); err != nil || got != "ours" {
		t.Errorf("afterwards: got %q and %v", got, err)
	}
}

func TestAFloodOfEventsStopsNothing(t *testing.T) {
	b := open(t)
	w := b.terminal("flood")
	// Every client is notified of each change of the mapping or a property.
	flood := b.command("sh", "-c", "while :; do xmodmap -e 'keycode 250 = a'; xmodmap -e 'keycode 250 ='; xprop -root -f X 8s -set X 1; done")
	b.startCommand(flood)
	for range 200 {
		b.must(b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 3, Y: 3}}))
		_, err := b.Capture(t.Context(), desktop.Rect{W: 10, H: 10})
		b.must(err)
	}
	for range 20 {
		b.must(b.Do(t.Context(), desktop.Type{Text: "x"}))
		b.look(w.ID)
	}
}

func TestMoreEventsThanXgbKeepsAreRead(t *testing.T) {
	b := open(t)
	b.must(b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 3, Y: 3}}))
	var script strings.Builder
	for range 3000 { // with at least two events each
		script.WriteString("keycode 250 = a\nkeycode 250 =\n")
	}
	file := filepath.Join(t.TempDir(), "map")
	b.must(os.WriteFile(file, []byte(script.String()), 0o600))
	b.run("xmodmap", file)
	b.must(b.Do(t.Context(), desktop.MovePointer{To: desktop.Point{X: 30, Y: 30}}))
	b.must(b.Do(t.Context(), desktop.Press{Chord: desktop.Chord{Key: "f2"}}))
	if at, err := b.PointerPosition(t.Context()); err != nil || at != (desktop.Point{X: 30, Y: 30}) {
		t.Errorf("got %v and %v", at, err)
	}
}

func TestAKilledRobotsKeysAreReleasedByTheNext(t *testing.T) {
	b := open(t)
	ctx := t.Context()
	before := b.run("xmodmap", "-pke")
	o := b.options
	o.Dir = t.TempDir()
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), victimVar+"="+strings.Join([]string{o.Display, o.Authority, o.Dir}, "|"))
	out, err := victim.StdoutPipe()
	b.must(err)
	b.must(victim.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("got %q and %v", line, err)
	}
	b.must(victim.Process.Kill())
	_ = victim.Wait()
	if b.pressed() == "" {
		t.Fatal("nothing is held, so nothing can be released")
	}
	next, err := x11.Open(ctx, o)
	b.must(err)
	defer next.Close()
	if down := x11.Down(t, next); down != "" {
		t.Errorf("still held: %s", down)
	}
	if b.run("xmodmap", "-pke") != before {
		t.Error("what was bound is still bound")
	}
	if left, _ := filepath.Glob(filepath.Join(o.Dir, "held*")); len(left) != 1 {
		t.Errorf("the notes are %v, wanted only those of the living", left)
	}
}

func TestALivingRobotsKeysAreLeftAlone(t *testing.T) {
	b := open(t)
	b.must(b.Do(t.Context(), desktop.KeyDown{Key: desktop.Shift}))
	other, err := x11.Open(t.Context(), b.options)
	b.must(err)
	defer other.Close()
	if x11.Down(t, other) == "" {
		t.Error("another robot let go of what this one holds")
	}
}

func TestAClosedRobotSaysSo(t *testing.T) {
	b := open(t)
	b.must(b.Close())
	b.must(b.Close())
	for _, x := range everything {
		if x.name == "Watch" {
			continue // it has connections of its own
		}
		if err := x.do(t.Context(), b.Desktop); !errors.Is(err, desktop.ErrUnavailable) {
			t.Errorf("%s: got %v, wanted ErrUnavailable", x.name, err)
		}
	}
}

func TestAtLengthNothingGrows(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	b := open(t)
	ctx := t.Context()
	round := func() {
		b.must(b.Do(ctx, desktop.Type{Text: "some keys é"}))
		_, err := b.Capture(ctx, desktop.Rect{W: 100, H: 100})
		b.must(err)
		b.must(b.Do(ctx, desktop.Click{At: desktop.Point{X: 5, Y: 5}, Button: desktop.Left}))
		b.must(b.Do(ctx, desktop.Mark{Area: desktop.Rect{X: 10, Y: 10, W: 9, H: 9}, Label: "m", For: 0}))
		b.must(b.Do(ctx, desktop.Unmark{}))
		x11.Cut(b.driver)
	}
	for range 5 {
		round()
	}
	files, resources := openFiles(t), b.resources()
	for range 40 {
		round()
	}
	b.must(b.Ping(ctx))
	b.eventually("files are closed again", func() (bool, string) {
		now := openFiles(t)
		return now <= files+3, strings.Join([]string{"files:", strconv.Itoa(now), "before:", strconv.Itoa(files)}, " ")
	})
	if now := b.resources(); now > resources+20 {
		t.Errorf("the X server holds %d resources, before %d", now, resources)
	}
}
