//go:build linux

package virtualtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
)

// kwin is the compositor of a session, for questions of tests.
type kwin struct {
	env     []string
	bus     *dbus.Conn
	scripts atomic.Int64
}

// StartKWin starts a session of KWin that allows the program of the test to act. The size of the
// screen is in points, of scale pixels each.
func StartKWin(t testing.TB, screen desktop.Size, scale int) *Session {
	t.Helper()
	s := StartKWinThatForbids(t, screen, scale)
	s.Allow(t)
	return s
}

// Allow allows the program of the test to act in a session of KWin.
func (s *Session) Allow(t testing.TB) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wayland.AllowOnKWin(filepath.Join(s.Dir, "share"), program, s.kwin.env); err != nil {
		t.Fatal(err)
	}
}

// StartKWinThatForbids is StartKWin without the permission to act.
func StartKWinThatForbids(t testing.TB, screen desktop.Size, scale int) *Session {
	t.Helper()
	Need(t, "kwin_wayland", "kbuildsycoca5", "dbus-daemon")
	dir := folder(t, "kwin")
	s := &Session{Dir: dir, Wayland: "wayland-kwin"}
	for name, text := range map[string]string{
		"config/kdeglobals": "[KDE]\nAnimationDurationFactor=0\n",
		"config/kwinrc":     "[Windows]\nFocusPolicy=ClickToFocus\n",
	} {
		write(t, filepath.Join(dir, name), text, 0o600)
	}
	// The installed file has capabilities that a container does not permit.
	program := filepath.Join(dir, "kwin_wayland")
	installed, err := exec.LookPath("kwin_wayland")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(installed)
	if err != nil {
		t.Fatal(err)
	}
	write(t, program, string(binary), 0o700)
	s.Bus = s.bus(t)
	s.kwin = &kwin{bus: s.connect(t), env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "share"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "DBUS_SESSION_BUS_ADDRESS=" + s.Bus, "LC_ALL=C.UTF-8",
	}}
	cmd := exec.Command(program, "--virtual", "--socket", s.Wayland, "--no-lockscreen", "--no-global-shortcuts",
		"--width", fmt.Sprint(screen.W), "--height", fmt.Sprint(screen.H), "--scale", fmt.Sprint(scale))
	cmd.Env = s.kwin.env
	s.start(t, cmd, s.answers)
	return s
}

// answers fails until KWin accepts programs and scripts.
func (s *Session) answers() error {
	var owner string
	_, err := os.Stat(filepath.Join(s.Dir, s.Wayland))
	return errors.Join(err, s.kwin.bus.BusObject().Call("org.freedesktop.DBus.GetNameOwner", 0, "org.kde.KWin").Store(&owner))
}

// Script evaluates an expression in KWin and returns its value as text.
func (s *Session) Script(expression string) (string, error) {
	n := s.kwin.scripts.Add(1)
	name, path := fmt.Sprintf("test%d", n), dbus.ObjectPath(fmt.Sprintf("/test%d", n))
	said := make(chan string, 1)
	say := func(text string) *dbus.Error { said <- text; return nil }
	if err := s.kwin.bus.ExportMethodTable(map[string]any{"Say": say}, path, "dev.understudy.Test"); err != nil {
		return "", err
	}
	file := filepath.Join(s.Dir, name+".js")
	if err := os.WriteFile(file, fmt.Appendf(nil, "let said; try { said = String(%s) } catch (e) { said = String(e) }; callDBus(%q, %q, %q, %q, said)", expression, s.kwin.bus.Names()[0], path, "dev.understudy.Test", "Say"), 0o600); err != nil {
		return "", err
	}
	scripting := s.kwin.bus.Object("org.kde.KWin", "/Scripting")
	var id int32
	if err := scripting.Call("org.kde.kwin.Scripting.loadScript", 0, file, name).Store(&id); err != nil {
		return "", err
	}
	defer scripting.Call("org.kde.kwin.Scripting.unloadScript", 0, name)
	if err := s.kwin.bus.Object("org.kde.KWin", dbus.ObjectPath(fmt.Sprintf("/%d", id))).Call("org.kde.kwin.Script.run", 0).Err; err != nil {
		return "", err
	}
	select {
	case text := <-said:
		return text, nil
	case <-time.After(20 * time.Second):
		return "", fmt.Errorf("KWin did not answer %s", expression)
	}
}
