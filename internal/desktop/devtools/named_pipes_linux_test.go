package devtools

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// seatVar makes the test program a browser that answers each call with its method, at its files
// 3 and 4.
const seatVar = "UNDERSTUDY_TEST_BROWSER"

func TestMain(m *testing.M) {
	if os.Getenv(seatVar) != "" {
		in, out := os.NewFile(3, "calls"), os.NewFile(4, "answers")
		_ = readMessages(in, func(m message) { (&browser{out: out}).answer(m) })
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// onSeat starts such a browser.
func onSeat(t *testing.T, s NamedPipes) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("chromium")
	cmd.Path, cmd.Err = self, nil
	cmd.Env = append(os.Environ(), seatVar+"=1")
	if err := s.Start(cmd, cmd.Start); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// A browser on the seat is used by one after the other, whatever the one before left unread.
func TestABrowserOfTheSeatOutlivesWhoUsesIt(t *testing.T) {
	s := NamedPipes{Dir: filepath.Join(t.TempDir(), "browsers")}
	cmd := onSeat(t, s)
	pid := cmd.Process.Pid
	all, err := s.Browsers(t.Context())
	if want := (desktop.BrowserProcess{PID: pid, Name: "chromium"}); err != nil || len(all) != 1 || all[0] != want {
		t.Fatalf("the browsers: %v, %v", all, err)
	}
	if cmd.Args[1] != flag {
		t.Errorf("it was started with %q", cmd.Args)
	}
	for _, path := range []string{s.Dir, filepath.Join(s.Dir, "*"), filepath.Join(s.Dir, "*", "*")} {
		found, _ := filepath.Glob(path)
		for _, f := range found {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others may use %s: %v, %v", f, info.Mode(), err)
			}
		}
	}
	// One that was killed in the middle of a message.
	out, err := os.OpenFile(filepath.Join(s.folder(all[0]), writesName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	_, _ = io.WriteString(out, `rest":"of a message"}`+"\x00"+`{"id":1,"result":{"method":"of another"}}`+"\x00")
	for range 3 {
		b, err := s.Browse(t.Context(), pid)
		if err != nil {
			t.Fatal(err)
		}
		answers(t, b)
		_ = b.Close()
	}
	// Another process that uses it.
	in, err := os.OpenFile(filepath.Join(s.folder(all[0]), readsName), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := syscall.Flock(int(in.Fd()), syscall.LOCK_EX); err != nil { // once the last client has left
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("not its turn"))
	defer cancel()
	if _, err := s.Browse(ctx, pid); err == nil || !strings.Contains(err.Error(), "not its turn") {
		t.Errorf("two processes at once: %v", err)
	}
}

// answers has a browser answer a call.
func answers(t *testing.T, b desktop.Browser) {
	t.Helper()
	var got struct{ Method string }
	if err := b.Call(t.Context(), "", "still", nil, &got); err != nil || got.Method != "still" {
		t.Errorf("got %q, %v", got.Method, err)
	}
}

// A step that asks a page while it looks for an element does both, each with a client of its own.
func TestTwoClientsOfOneProcessShareABrowserOfTheSeat(t *testing.T) {
	s := NamedPipes{Dir: filepath.Join(t.TempDir(), "browsers")}
	pid := onSeat(t, s).Process.Pid
	first, err := s.Browse(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Browse(t.Context(), pid)
	if err != nil {
		t.Fatal(err)
	}
	answers(t, first)
	answers(t, second)
	_ = first.Close()
	answers(t, second)
	_ = second.Close()
}

func TestABrowserOfTheSeatThatHasEndedIsForgotten(t *testing.T) {
	s := NamedPipes{Dir: filepath.Join(t.TempDir(), "browsers")}
	if all, err := s.Browsers(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("before the first: %v, %v", all, err)
	}
	cmd := onSeat(t, s)
	b, err := s.Browse(t.Context(), cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	_ = cmd.Process.Signal(syscall.SIGKILL)
	if err := b.Call(t.Context(), "", "hang", nil, nil); !errors.Is(err, ErrEnded) {
		t.Errorf("a call to one that ends: %v", err)
	}
	_, _ = cmd.Process.Wait()
	if _, err := s.Browse(t.Context(), cmd.Process.Pid); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("one that has ended: %v", err)
	}
	if all, err := s.Browsers(t.Context()); len(all) != 0 || err != nil {
		t.Errorf("after the end: %v, %v", all, err)
	}
	if left, _ := os.ReadDir(s.Dir); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}
