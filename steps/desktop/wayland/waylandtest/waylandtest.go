//go:build linux

// Package waylandtest starts sessions of sway without a screen for tests.
//
// Its limit is that sway refuses to run as root, so it is another user there,
// while the programs of the test are not.
package waylandtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/steps/desktop/virtual/virtualtest"
)

// A Session is a session that ends with the test.
type Session struct {
	Wayland, X string // the names of its displays
	Dir        string // where its sockets are
	Bus        string // the address of its session bus

	kwin *kwin // that it is of
}

// Start starts a session. The lines are more of sway's configuration, beside
// which it uses no other.
func Start(t testing.TB, lines ...string) *Session {
	t.Helper()
	virtualtest.Need(t, "sway", "swaymsg", "Xwayland", "xhost", "dbus-daemon")
	s := &Session{Dir: folder(t)}
	config, names := filepath.Join(s.Dir, "config"), filepath.Join(s.Dir, "names")
	text := strings.Join(append(lines, "exec sh -c 'xhost + >"+s.Dir+"/xhost; echo \"$WAYLAND_DISPLAY $DISPLAY\" >"+names+".part; mv "+names+".part "+names+"'\n"), "\n")
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sway", "-c", config)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "XDG_RUNTIME_DIR=" + s.Dir, "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman"}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	start(t, cmd)
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(names); err == nil {
			s.Wayland, s.X, _ = strings.Cut(strings.TrimSpace(string(b)), " ")
			break
		}
		if time.Now().After(end) {
			t.Fatal("sway did not say the names of its displays")
		}
	}
	s.Bus = s.bus(t)
	return s
}

const nobody = 65534

// folder is a folder for the session's own user.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sway") // the test's own is not open to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// start starts a program that ends with the test.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// bus starts a session bus and returns its address. What it starts, such as the
// accessibility bus, has its sockets where no other session's are.
func (s *Session) bus(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	cmd.Env = append(os.Environ(), s.Env()...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, cmd)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the session bus did not tell its address: %v", err)
	}
	return strings.TrimSpace(address)
}

// Env is what programs of the session need.
func (s *Session) Env() []string {
	return []string{
		"WAYLAND_DISPLAY=" + s.Wayland, "XDG_RUNTIME_DIR=" + s.Dir, "DBUS_SESSION_BUS_ADDRESS=" + s.Bus, "XDG_SESSION_TYPE=wayland",
		"GDK_BACKEND=wayland", "QT_QPA_PLATFORM=wayland", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "DISPLAY=",
	}
}

// Enter makes the session that of this process.
func (s *Session) Enter(t testing.TB) {
	t.Helper()
	for _, v := range append(s.Env(), "SWAYSOCK=") {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// Message has sway do or tell something, past all that is tested.
func (s *Session) Message(args ...string) ([]byte, error) {
	sockets, err := filepath.Glob(filepath.Join(s.Dir, "sway-ipc.*.sock"))
	if err != nil || len(sockets) != 1 {
		return nil, fmt.Errorf("sway has the sockets %v: %w", sockets, err)
	}
	out, err := exec.Command("swaymsg", append([]string{"-s", sockets[0]}, args...)...).CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("swaymsg %v: %w: %s", args, err, out)
	}
	return out, nil
}
