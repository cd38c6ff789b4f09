//go:build linux

package virtualtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop/wayland"
)

// GNOME is a session of GNOME that ends with the test.
type GNOME struct {
	*Session
	bus *dbus.Conn
	env []string // of the shell
}

// The files of an extension that lets the test evaluate anything in the shell.
const (
	probeMetadata = `{"uuid": "probe@test", "name": "Probe", "description": "Lets a test in", "shell-version": ["42", "43", "44", "45", "46", "47", "48"], "version": 1}`
	probeUntil44  = `
function init() { imports.ui.main.sessionMode.hasOverview = false; }
function enable() { global.context.unsafe_mode = true; }
function disable() {}
`
	probeSince45 = `
import * as Main from 'resource:///org/gnome/shell/ui/main.js';
Main.sessionMode.hasOverview = false;
globalThis.Main = Main;
export default class { enable() { global.context.unsafe_mode = true; } disable() {} }
`
)

// gnomeShell returns the command for the shell of this machine, or of a tree with another system
// that a variable names, together with the /tmp of this machine.
func gnomeShell(args ...string) *exec.Cmd {
	tree := os.Getenv("UNDERSTUDY_TREE")
	if tree == "" {
		return exec.Command("gnome-shell", args...)
	}
	const enter = `for d in tmp proc sys dev; do mount --rbind /$d "$0/$d" || exit; done; exec chroot "$0" gnome-shell "$@"`
	return exec.Command("unshare", append([]string{"--mount", "sh", "-c", enter, tree}, args...)...)
}

// gnomeSettings are the settings that differ from the defaults of GNOME.
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
[org/gnome/desktop/peripherals/keyboard]
repeat=%t
`

// systemBus is the configuration of an empty system bus.
const systemBus = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=%s</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`

// StartGNOME starts a headless session of GNOME with our extension.
func StartGNOME(t testing.TB, scale int) *GNOME {
	t.Helper()
	return startGNOME(t, scale, wayland.GNOMEExtension, "probe@test")
}

// StartGNOMEWithout starts a headless session of GNOME without our extension.
func StartGNOMEWithout(t testing.TB) *GNOME {
	t.Helper()
	return startGNOME(t, 1, "probe@test")
}

func startGNOME(t testing.TB, scale int, extensions ...string) *GNOME {
	t.Helper()
	Need(t, "gnome-shell", "dbus-daemon")
	version, err := gnomeShell("--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Dir: folder(t, "gnome"), Wayland: "wayland-gnome"}
	in := func(path ...string) string { return filepath.Join(append([]string{s.Dir}, path...)...) }
	probe := probeUntil44
	if string(version) >= "GNOME Shell 45" {
		probe = probeSince45
	}
	write(t, in("data", "gnome-shell", "extensions", "probe@test", "metadata.json"), probeMetadata, 0o600)
	write(t, in("data", "gnome-shell", "extensions", "probe@test", "extension.js"), probe, 0o600)
	// Without the extension each key waits for the portal, on a busy machine until it repeats.
	extended := extensions[0] == wayland.GNOMEExtension
	if extended {
		if err := wayland.WriteGNOMEExtension(in("data", "gnome-shell", "extensions", wayland.GNOMEExtension), string(version)); err != nil {
			t.Fatal(err)
		}
	}
	enabled := "['" + strings.Join(extensions, "', '") + "']"
	write(t, in("config", "glib-2.0", "settings", "keyfile"), fmt.Sprintf(gnomeSettings, enabled, scale, extended), 0o600)
	system := in("system")
	write(t, in("system.conf"), fmt.Sprintf(systemBus, system), 0o600)
	start(t, exec.Command("dbus-daemon", "--nofork", "--config-file", in("system.conf")))
	await(t, "", func() error { _, err := os.Stat(system); return err })
	s.Bus = s.bus(t)

	cmd := gnomeShell("--headless", "--virtual-monitor", fmt.Sprintf("%dx%d", 1280*scale, 900*scale), "--no-x11", "--wayland-display", s.Wayland)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "XDG_RUNTIME_DIR=" + s.Dir, "XDG_DATA_HOME=" + in("data"), "XDG_CONFIG_HOME=" + in("config"),
		"DBUS_SESSION_BUS_ADDRESS=" + s.Bus, "DBUS_SYSTEM_BUS_ADDRESS=unix:path=" + system, "GSETTINGS_BACKEND=keyfile", "LC_ALL=C.UTF-8", "XDG_SESSION_TYPE=wayland",
	}
	g := &GNOME{Session: s, bus: s.connect(t), env: cmd.Env}
	s.start(t, cmd, func() error {
		var ready bool
		err := g.Eval(&ready, "!Main.layoutManager._startingUp && !Main.overview.visible")
		if err == nil && !ready {
			err = errors.New("the shell still starts")
		}
		return err
	})
	return g
}

// Eval evaluates an expression in the shell, independently of the code under test.
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
