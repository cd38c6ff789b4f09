//go:build linux

package waylandtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/wayland"
)

// GNOME is a session of GNOME that ends with the test.
type GNOME struct {
	*Session
	bus *dbus.Conn
}

// probe is an extension that lets the test run anything in the shell.
var probe = map[string]string{
	"metadata.json": `{"uuid": "probe@test", "name": "Probe", "description": "Lets a test in", "shell-version": ["42", "43", "44"], "version": 1}`,
	"extension.js": `
function init() { imports.ui.main.sessionMode.hasOverview = false; }
function enable() { global.context.unsafe_mode = true; }
function disable() {}
`,
}

// gnomeSettings are what is not as GNOME comes.
const gnomeSettings = `[org/gnome/shell]
enabled-extensions=%s
welcome-dialog-last-shown-version='99'
[org/gnome/desktop/interface]
enable-animations=false
enable-hot-corners=false
toolkit-accessibility=true
scaling-factor=uint32 %d
[org/gnome/desktop/background]
picture-options='none'
[org/gnome/desktop/session]
idle-delay=uint32 0
`

// systemBus is the configuration of a system bus on which nothing is.
const systemBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// StartGNOME starts a session of GNOME without a screen, in which our extension is
// installed.
func StartGNOME(t testing.TB, scale int) *GNOME {
	t.Helper()
	return startGNOME(t, scale, wayland.GNOMEExtension, "probe@test")
}

// StartGNOMEWithout starts one in which our extension is not installed.
func StartGNOMEWithout(t testing.TB) *GNOME {
	t.Helper()
	return startGNOME(t, 1, "probe@test")
}

func startGNOME(t testing.TB, scale int, extensions ...string) *GNOME {
	t.Helper()
	virtualtest.Need(t, "gnome-shell", "dbus-daemon")
	dir, err := os.MkdirTemp("", "gnome")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &Session{Dir: dir, Wayland: "wayland-gnome"}
	write := func(content string, path ...string) string {
		file := filepath.Join(append([]string{dir}, path...)...)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, content := range probe {
		write(content, "data", "gnome-shell", "extensions", "probe@test", name)
	}
	if extensions[0] == wayland.GNOMEExtension {
		if err := wayland.WriteGNOMEExtension(filepath.Join(dir, "data", "gnome-shell", "extensions", wayland.GNOMEExtension)); err != nil {
			t.Fatal(err)
		}
	}
	enabled := "['" + strings.Join(extensions, "', '") + "']"
	write(fmt.Sprintf(gnomeSettings, enabled, scale), "config", "glib-2.0", "settings", "keyfile")
	system := filepath.Join(dir, "system")
	start(t, exec.Command("dbus-daemon", "--nofork", "--config-file", write(fmt.Sprintf(systemBus, system), "system.conf")))
	s.Bus = s.bus(t)
	await(t, "the system bus", func() bool {
		_, err := os.Stat(system)
		return err == nil
	})

	cmd := exec.Command("gnome-shell", "--headless", "--virtual-monitor", fmt.Sprintf("%dx%d", 1280*scale, 900*scale), "--no-x11", "--wayland-display", s.Wayland)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + dir + "/data", "XDG_CONFIG_HOME=" + dir + "/config",
		"DBUS_SESSION_BUS_ADDRESS=" + s.Bus, "DBUS_SYSTEM_BUS_ADDRESS=unix:path=" + system, "GSETTINGS_BACKEND=keyfile", "LC_ALL=C.UTF-8", "XDG_SESSION_TYPE=wayland",
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	start(t, cmd)
	g := &GNOME{Session: s}
	if g.bus, err = dbus.Connect(s.Bus); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.bus.Close() })
	var last error
	defer func() {
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("gnome-shell: %v\n%s", last, said)
		}
	}()
	await(t, "gnome-shell", func() bool {
		var ready bool
		last = g.Eval(&ready, "!Main.layoutManager._startingUp && !Main.overview.visible")
		return last == nil && ready
	})
	return g
}

func await(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Eval evaluates an expression in the shell, past all that is tested.
func (g *GNOME) Eval(into any, expression string) error {
	var ok bool
	var text string
	err := g.bus.Object("org.gnome.Shell", "/org/gnome/Shell").Call("org.gnome.Shell.Eval", 0, expression).Store(&ok, &text)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("the shell says of %s: %q", expression, text)
	case into == nil:
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}
