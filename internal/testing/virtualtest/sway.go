//go:build linux

package virtualtest

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

	"github.com/godbus/dbus/v5"

	"understudy/internal/testing/scratch"
)

// A Session is a session that ends with the test.
type Session struct {
	Wayland, X string // the names of its displays
	Dir        string // where its sockets are
	Bus        string // the address of its session bus

	kwin *kwin // nil: it is no session of KWin
}

// StartSway starts a session of sway. The lines are added to its configuration.
func StartSway(t testing.TB, lines ...string) *Session {
	t.Helper()
	Need(t, "sway", "swaymsg", "Xwayland", "xhost", "dbus-daemon")
	s := &Session{Dir: folder(t, "sway")}
	if os.Geteuid() == 0 {
		if err := os.Chown(s.Dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	config, names := filepath.Join(s.Dir, "config"), filepath.Join(s.Dir, "names")
	text := strings.Join(append(lines, "exec sh -c 'xhost + >"+s.Dir+"/xhost; echo \"$WAYLAND_DISPLAY $DISPLAY\" >"+names+".part; mv "+names+".part "+names+"'\n"), "\n")
	write(t, config, text, 0o644)
	cmd := exec.Command("sway", "-c", config)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "XDG_RUNTIME_DIR=" + s.Dir, "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman"}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	s.start(t, cmd, func() error {
		b, err := os.ReadFile(names)
		s.Wayland, s.X, _ = strings.Cut(strings.TrimSpace(string(b)), " ")
		return err
	})
	s.Bus = s.bus(t)
	return s
}

const nobody = 65534

// folder creates a folder for a session: the path of the test's own folder can be too long for a
// socket, and is closed to other users.
func folder(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// write writes a file, and creates its folder.
func write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
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

// start starts the compositor, and returns when it is ready.
func (s *Session) start(t testing.TB, cmd *exec.Cmd, ready func() error) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log") // where the user of the compositor cannot write
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	start(t, cmd)
	await(t, log.Name(), ready)
}

// await waits until something is ready. If that takes too long, it fails the test with the log.
func await(t testing.TB, log string, ready func() error) {
	t.Helper()
	for end := scratch.Deadline(t); ; time.Sleep(5 * time.Millisecond) {
		err := ready()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			said, _ := os.ReadFile(log)
			t.Fatalf("waited in vain: %v\n%s", err, said)
		}
	}
}

// connect connects to the session's bus.
func (s *Session) connect(t testing.TB) *dbus.Conn {
	t.Helper()
	bus, err := dbus.Connect(s.Bus)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	return bus
}

// bus starts a session bus and returns its address. The programs that it starts, such as the
// accessibility bus, have their sockets apart from those of other sessions.
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

// Env returns what programs of the session need in their environment.
func (s *Session) Env() []string {
	return []string{
		"WAYLAND_DISPLAY=" + s.Wayland, "XDG_RUNTIME_DIR=" + s.Dir, "DBUS_SESSION_BUS_ADDRESS=" + s.Bus, "XDG_SESSION_TYPE=wayland",
		"GDK_BACKEND=wayland", "QT_QPA_PLATFORM=wayland", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "DISPLAY=",
	}
}

// Enter sets the environment of this process to the session.
func (s *Session) Enter(t testing.TB) {
	t.Helper()
	for _, v := range append(s.Env(), "SWAYSOCK=") {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

// Message runs swaymsg.
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
