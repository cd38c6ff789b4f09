//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
)

func TestAFrozenApplicationDelaysNobodyElse(t *testing.T) {
	d := onDesk(t, "zenity", "mousepad")
	frozen := d.open(t, named("button", "OK"), "zenity", "--password")
	live := d.open(t, named("menu", "Help"), "mousepad", "--disable-server")
	handle := d.element(t, frozen, named("button", "OK")).Handle
	d.settle(t, live)
	help := d.element(t, live, named("menu", "Help"))
	w := d.window(t, frozen) // it has the keyboard, so that a menu of it may be anywhere
	d.ask(t.Context(), "xdotool", "windowmove", fmt.Sprint(uint64(w.ID)), "1500", "900")
	eventually(t, "it is out of the way", func() bool {
		w = d.window(t, frozen)
		return !w.Bounds.Contains(help.Bounds.Center())
	}, &w)
	c, err := Connect(t.Context(), Options{Bus: d.bus, Windows: d.windows, Timeout: time.Hour}) // whoever waits for an answer waits too long
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	frozen.Process.Signal(syscall.SIGSTOP)

	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	look := func(s desktop.Scope) *desktop.Tree {
		t.Helper()
		tree, err := c.Tree(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	look(desktop.Scope{PID: live.Process.Pid})
	if e, err := c.ElementAt(ctx, help.Bounds.Center()); err != nil || e.Handle != help.Handle {
		t.Errorf("at the middle of the menu of another application is %v, %v", e, err)
	}
	if first := look(desktop.Scope{}); !slices.Equal(first.Unread, []string{"zenity"}) {
		t.Errorf("unread is %q, want the frozen one", first.Unread)
	}
	if again := look(desktop.Scope{}); len(again.Unread) != 1 || find(again, named("menu", "Help")) == nil {
		t.Errorf("the second look at all left %q unread", again.Unread)
	}
	if _, err := d.client.Refresh(t.Context(), handle); !errors.Is(err, desktop.ErrUnresponsive) || !strings.Contains(err.Error(), "zenity") {
		t.Errorf("an element of the frozen application: %v, want %v, and whose it is", err, desktop.ErrUnresponsive)
	}
	eventually(t, "it is said whose answer there was too little time for", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := d.client.Tree(ctx, desktop.Scope{PID: frozen.Process.Pid})
		return errors.Is(err, context.DeadlineExceeded) && strings.Contains(err.Error(), "zenity")
	}, nil)
	frozen.Process.Signal(syscall.SIGCONT)
	eventually(t, "it is read again", func() bool {
		tree := look(desktop.Scope{})
		return len(tree.Unread) == 0 && find(tree, named("button", "OK")) != nil
	}, nil)
}

// notBegun reports whether an error is one from before anything was done, in which an
// application did not answer.
func notBegun(err error) bool {
	_, before := errors.AsType[*desktop.NotBegunError](err)
	return before && errors.Is(err, desktop.ErrUnresponsive)
}

// What froze after it was known is waited for once, also where it is not greeted.
func TestAFrozenApplicationIsWaitedForOnce(t *testing.T) {
	s := openSandbox(t, 2)
	c := s.desk.another(t, func(o *Options) { o.Timeout = time.Minute })
	handle := s.element(named("button", "Ask")).Handle
	if _, err := c.Refresh(t.Context(), handle); err != nil {
		t.Fatal(err)
	}
	its := func(w desktop.Window) bool { return w.PID == s.Process.Pid }
	if list, err := c.FrameWindows(t.Context()); err != nil || !slices.ContainsFunc(list, its) {
		t.Fatalf("its window is not listed: %v, %v", list, err)
	}
	s.Process.Signal(syscall.SIGSTOP)
	c.options.Timeout = 500 * time.Millisecond
	if _, err := c.Refresh(t.Context(), handle); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Fatalf("%v, want %v", err, desktop.ErrUnresponsive)
	}
	if err := c.Do(t.Context(), desktop.Invoke{Element: handle}); !notBegun(err) {
		t.Errorf("%v, want that nothing was done", err)
	}
	c.options.Timeout = time.Hour // whoever waits for it again waits too long
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	if list, err := c.FrameWindows(ctx); err != nil || !slices.ContainsFunc(list, its) {
		t.Errorf("its window counts as closed: %v, %v", list, err)
	}
	c.options.Timeout = time.Minute
	s.Process.Signal(syscall.SIGCONT)
	eventually(t, "its window is listed again", func() bool {
		list, err := c.FrameWindows(t.Context())
		return err == nil && slices.ContainsFunc(list, its)
	}, nil)
}

func TestAnApplicationThatDiesIsNotFound(t *testing.T) {
	s := openSandbox(t, 400)
	handle := s.element(named("button", "Ask")).Handle
	started, ended := make(chan struct{}), make(chan error)
	go func() { // reads without pause, so that the end comes in the middle of a reading
		close(started)
		for {
			tree, err := s.desk.client.Tree(t.Context(), desktop.Scope{Root: handle, Full: true})
			if err != nil {
				ended <- err
				return
			}
			if len(tree.Roots) != 1 {
				ended <- errors.New("an empty tree")
				return
			}
			if _, err := s.desk.client.Tree(t.Context(), desktop.Scope{}); err != nil {
				ended <- fmt.Errorf("a look at all: %w", err)
				return
			}
		}
	}()
	<-started
	s.Process.Kill()
	select {
	case err := <-ended:
		if !errors.Is(err, desktop.ErrNotFound) {
			t.Errorf("%v, want %v", err, desktop.ErrNotFound)
		}
	case <-time.After(time.Until(scratch.Deadline(t))):
		t.Error("a look at a dead application hangs")
	}
	s.Wait()
	eventually(t, "it is in no tree", func() bool {
		tree := s.tree(desktop.Scope{})
		return len(tree.Roots) == 0 && len(tree.Unread) == 0
	}, nil)
}

func TestMemoryOfManyLookups(t *testing.T) {
	s := openSandbox(t, 20)
	c := s.desk.still(t)
	lookups := 2_000
	if n := os.Getenv("UNDERSTUDY_LOOKUPS"); n != "" {
		lookups = must(strconv.Atoi(n))
	}
	run := func(n int) {
		for i := range n {
			if _, err := c.Tree(t.Context(), desktop.Scope{PID: s.Process.Pid}); err != nil {
				t.Fatal(err)
			}
			if i%10 == 0 {
				s.do("ask.set_label(str(len(ask.get_label()) + 1))") // so that it is read anew
			}
		}
	}
	measure := func() (heap uint64, goroutines, files int) {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return m.HeapAlloc, runtime.NumGoroutine(), len(open)
	}
	run(200)
	heap, goroutines, files := measure()
	start := time.Now()
	run(lookups)
	t.Logf("%d lookups in %v", lookups, time.Since(start))
	heap2, goroutines2, files2 := measure()
	t.Logf("heap %d → %d KiB, goroutines %d → %d, files %d → %d", heap>>10, heap2>>10, goroutines, goroutines2, files, files2)
	if heap2 > heap+2<<20 || goroutines2 > goroutines+4 || files2 > files+2 {
		t.Error("it grows")
	}
}

func TestTheBusComesBack(t *testing.T) {
	onDesk(t, "zenity")
	own, err := openDesk(t) // its bus is ended, and the bus is written on the display
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { own.close() })
	c := own.open(t, named("button", "OK"), "zenity", "--password")
	handle := own.element(t, c, named("button", "OK")).Handle
	pid, err := own.client.bus.call(t.Context(), object{"org.freedesktop.DBus", "/org/freedesktop/DBus"}, "org.freedesktop.DBus.GetConnectionUnixProcessID", "org.freedesktop.DBus")
	if err != nil {
		t.Fatal(err)
	}
	syscall.Kill(int(first[uint32](pid)), syscall.SIGKILL)
	eventually(t, "the handle of the old bus means nothing on the new one", func() bool {
		_, err := own.client.Refresh(t.Context(), handle)
		return errors.Is(err, desktop.ErrNotFound)
	}, nil)
	c = own.open(t, named("button", "OK"), "zenity", "--password")
	own.element(t, c, named("button", "OK"))
}

func TestConnectingToNoBusSaysWhatToDo(t *testing.T) {
	_, err := Connect(t.Context(), Options{Bus: "unix:path=/nonexistent"})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || missing.Mend == "" || !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("%v, want a MissingError with the command that mends it", err)
	}
}

// must is a value that a test cannot do without.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A bus that is there and does not answer yet is not one that is missing.
func TestABusThatIsSlowToAnswerIsAskedAgain(t *testing.T) {
	s := openSandbox(t, 2)
	dir := t.TempDir()
	silent, err := net.Listen("unix", filepath.Join(dir, "silent"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close() // whom it has connected to hears nothing
	address, _, _ := strings.Cut(s.desk.bus, ",")
	kind, socket, _ := strings.Cut(strings.TrimPrefix(address, "unix:"), "=")
	if kind != "path" {
		t.Fatalf("wanted a session bus with a path, found %s", s.desk.bus)
	}
	bus := filepath.Join(dir, "bus")
	if err := os.Symlink(silent.Addr().String(), bus); err != nil {
		t.Fatal(err)
	}
	c := s.desk.another(t, func(o *Options) { o.Bus, o.Timeout = "unix:path="+bus, 100*time.Millisecond })
	if _, err := c.Tree(t.Context(), desktop.Scope{}); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("while nobody answers: %v, want %v", err, desktop.ErrUnresponsive)
	}
	c.options.Timeout = time.Hour
	connecting, cancel := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() { c.Tree(connecting, desktop.Scope{}) })
	eventually(t, "it connects", func() bool { return len(c.using) > 0 }, nil)
	short, cancelShort := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancelShort()
	if _, err := c.Tree(short, desktop.Scope{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another call connects: %v, want %v", err, context.DeadlineExceeded)
	}
	cancel()
	first.Wait()
	c.options.Timeout = 100 * time.Millisecond
	if err := errors.Join(os.Remove(bus), os.Symlink(socket, bus)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is read", func() bool {
		tree, err := c.Tree(t.Context(), desktop.Scope{PID: s.Process.Pid})
		return err == nil && find(tree, named("button", "Ask")) != nil
	}, nil)
}
