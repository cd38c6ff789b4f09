//go:build linux

package wayland

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// AllowOnKWin writes the desktop file by which KWin lets a program press keys and
// take pictures, into the folder of a user's data, and returns its path. KWin looks
// at it when the program connects next. The environment is that of the session, or
// nil for our own.
func AllowOnKWin(data, program string, env []string) (string, error) {
	path := filepath.Join(data, "applications", "understudy-kwin.desktop")
	text := fmt.Sprintf(`[Desktop Entry]
Type=Application
Name=Understudy
Comment=Plays workflows on this desktop
Exec=%s
NoDisplay=true
X-KDE-Wayland-Interfaces=org_kde_kwin_fake_input
X-KDE-DBUS-Restricted-Interfaces=%s
`, program, kwinShots)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return "", err
	}
	for _, build := range []string{"kbuildsycoca6", "kbuildsycoca5"} { // so that it is known at once
		if _, err := exec.LookPath(build); err == nil {
			cmd := exec.Command(build)
			cmd.Env = env
			if out, err := cmd.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%s: %w: %s", build, err, out)
			}
			break
		}
	}
	return path, nil
}
