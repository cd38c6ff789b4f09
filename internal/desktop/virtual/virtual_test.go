//go:build linux

package virtual_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/sandbox"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// ownerVar is the environment variable that makes the test program start a display, print where it is
// and wait to be killed.
const ownerVar = "UNDERSTUDY_TEST_DISPLAY_DIR"

// startVar makes the test program start a program on the lasting desktop in a folder, whose
// name follows.
const startVar = "UNDERSTUDY_TEST_START_ON"

func TestMain(m *testing.M) {
	if sandbox.Launched(os.Args) {
		os.Exit(sandbox.Launch(os.Args))
	}
	if dir, name, ok := strings.Cut(os.Getenv(startVar), " "); ok {
		os.Exit(startOn(dir, name))
	}
	if len(os.Args) > 1 && os.Args[1] == virtual.KeeperCommand {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := virtual.RunKeeper(ctx, os.Args[2:])
		stop()
		if err != nil {
			os.Exit(1)
		}
		return
	}
	if dir := os.Getenv(ownerVar); dir != "" {
		d, err := virtual.Start(context.Background(), virtual.Options{Dir: dir})
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(d.Name() + "\n")
		select {}
	}
	os.Exit(m.Run())
}

func startOn(dir, name string) int {
	k, err := virtual.Find(dir, name)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	a, err := virtual.Attach(k)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	_, ended, err := a.Start(virtual.Program{Args: []string{"touch", filepath.Join(dir, "started")}, Env: os.Environ()}, nil)
	if err != nil {
		fmt.Println(err)
		return 3
	}
	<-ended
	return 0
}

func TestADisplayIsUsable(t *testing.T) {
	d := virtualtest.StartWith(t, virtual.Options{Screen: desktop.Size{W: 800, H: 600}})
	for _, row := range []struct {
		sentence, want string
		command        []string
	}{
		{"the screen has the size that was asked for", "dimensions:    800x600", []string{"xdpyinfo"}},
		{"our window manager manages it", "_OPENBOX_PID(CARDINAL) = ", []string{"xprop", "-root", "_OPENBOX_PID"}},
		{"there is one workspace", "_NET_NUMBER_OF_DESKTOPS(CARDINAL) = 1", []string{"xprop", "-root", "_NET_NUMBER_OF_DESKTOPS"}},
		{"the session bus answers", "org.freedesktop.DBus", []string{"dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames"}},
		{"the accessibility bus starts when it is asked for", "unix:path=", []string{"dbus-send", "--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress"}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			cmd := virtualtest.Command(t, d, row.command[0], row.command[1:]...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), row.want) {
				t.Errorf("%v: wanted %q in\n%s(%v)", row.command, row.want, out, err)
			}
		})
	}
}

func TestTheCookieIsNeeded(t *testing.T) {
	d := virtualtest.Start(t)
	cmd := virtualtest.Command(t, d, "xdpyinfo")
	cmd.Env = append(cmd.Env, "XAUTHORITY=/dev/null")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a program without the cookie was let in:\n%s", out)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	d := virtualtest.Start(t)
	dir := filepath.Dir(d.Authority())
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-d.Done():
	default:
		t.Error("the X server still runs")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is still there", dir)
	}
	if err := d.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
}

func TestDoneIsClosedWhenTheServerDies(t *testing.T) {
	d := virtualtest.Start(t)
	killServer(t, d)
	select {
	case <-d.Done():
	case <-time.After(time.Until(scratch.Deadline(t))):
		t.Error("nobody noticed that the X server died")
	}
}

func TestAStoppedServerIsStillEnded(t *testing.T) {
	d := virtualtest.Start(t)
	_ = syscall.Kill(virtualtest.ServerPID(t, d), syscall.SIGSTOP)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestADisplayDoesNotOutliveAKilledOwner(t *testing.T) {
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon")
	dir := scratch.Dir(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerVar+"="+dir)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	name, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	socket := "/tmp/.X11-unix/X" + strings.TrimSpace(name)[1:]
	made, err := os.Stat(socket)
	if err != nil {
		t.Fatalf("the display %q has no socket: %v", name, err)
	}
	_ = owner.Process.Kill()
	_ = owner.Wait()
	if n := virtual.Clean(dir); n != 1 {
		t.Errorf("Clean found %d displays, wanted 1", n)
	}
	// Another display may have taken the number at once.
	if found, err := os.Stat(socket); err == nil && os.SameFile(made, found) {
		t.Errorf("the socket %s outlived its owner", socket)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("the folder still holds %v", left)
	}
}

func TestCleanLeavesALivingDisplayAlone(t *testing.T) {
	d := virtualtest.Start(t)
	if n := virtual.Clean(filepath.Dir(filepath.Dir(d.Authority()))); n != 0 {
		t.Errorf("Clean ended %d displays that are in use", n)
	}
	if out, err := virtualtest.Command(t, d, "xdpyinfo").CombinedOutput(); err != nil {
		t.Errorf("the display no longer answers: %v\n%s", err, out)
	}
}

func TestStartIsCancelled(t *testing.T) {
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, err := virtual.Start(ctx, virtual.Options{Dir: t.TempDir()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v and %v, wanted context.Canceled", d, err)
	}
}

func TestAMissingProgramIsNamedWithItsCure(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := virtual.Start(t.Context(), virtual.Options{Dir: t.TempDir()})
	var missing *desktop.MissingError
	if !errors.As(err, &missing) || missing.Mend != "apt-get install xvfb" || !errors.Is(err, desktop.ErrUnavailable) {
		t.Errorf("got %v, wanted a MissingError that says apt-get install xvfb", err)
	}
}

func BenchmarkStart(b *testing.B) {
	virtualtest.Need(b, "Xvfb", "openbox", "dbus-daemon")
	dir := scratch.Dir(b)
	for b.Loop() {
		d, err := virtual.Start(b.Context(), virtual.Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		_ = d.Close()
		b.StartTimer()
	}
}

func killServer(t *testing.T, d *virtual.Display) {
	t.Helper()
	if err := syscall.Kill(virtualtest.ServerPID(t, d), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
