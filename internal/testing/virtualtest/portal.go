//go:build linux

package virtualtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// The programs of the portal.
const (
	portalStore = "/usr/libexec/xdg-permission-store"
	portalGNOME = "/usr/libexec/xdg-desktop-portal-gnome"
	portalFront = "/usr/libexec/xdg-desktop-portal"
)

// StartGNOMEPortal starts a session of GNOME without our extension and with the portal.
func StartGNOMEPortal(t testing.TB) *GNOME {
	t.Helper()
	Need(t, "pipewire", portalStore, portalGNOME, portalFront)
	g := StartGNOMEWithout(t)
	// Only the portals that are started here, whatever else is installed.
	chosen := filepath.Join(g.Dir, "portals")
	for _, name := range []string{"gnome", "gnome-shell"} {
		text, err := os.ReadFile("/usr/share/xdg-desktop-portal/portals/" + name + ".portal")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(chosen, name+".portal"), string(text), 0o600)
	}
	env := slices.Concat(g.env, []string{"WAYLAND_DISPLAY=" + g.Wayland, "GDK_BACKEND=wayland", "XDG_CURRENT_DESKTOP=GNOME", "XDG_DESKTOP_PORTAL_DIR=" + chosen})
	for _, one := range []struct{ program, name string }{
		{"pipewire", ""},
		{portalStore, "org.freedesktop.impl.portal.PermissionStore"},
		{portalGNOME, "org.freedesktop.impl.portal.desktop.gnome"},
		{portalFront, "org.freedesktop.portal.Desktop"},
	} {
		cmd := exec.Command(one.program)
		cmd.Env = env
		start(t, cmd)
		await(t, "", func() error {
			if one.name == "" {
				_, err := os.Stat(filepath.Join(g.Dir, "pipewire-0"))
				return err
			}
			var owner string
			return g.bus.BusObject().Call("org.freedesktop.DBus.GetNameOwner", 0, one.name).Store(&owner)
		})
	}
	return g
}

// AllowPictures permits applications to take screenshots, as a person does once.
func (g *GNOME) AllowPictures(t testing.TB) {
	t.Helper()
	store := g.bus.Object("org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore")
	if err := store.Call("org.freedesktop.impl.portal.PermissionStore.SetPermission", 0, "screenshot", true, "screenshot", "", []string{"yes"}).Err; err != nil {
		t.Fatal(err)
	}
}

// EndSessions ends the sessions of the portal, as a person does.
func (g *GNOME) EndSessions() error {
	return g.Eval(nil, "Main.panel.statusArea.screenSharing._stopSharing()")
}
