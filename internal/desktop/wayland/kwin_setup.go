package wayland

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	kwinShots     = "org.kde.KWin.ScreenShot2"
	kwinShotsPath = "/org/kde/KWin/ScreenShot2"
)

// KWinRights describes what AllowOnKWin permits.
const KWinRights = "KWin then lets this program, and anyone who starts it, press keys, move the pointer and take pictures of the screen in your session, without asking."

// kwinFile returns the path of our desktop file in the data folder of a user.
func kwinFile(data string) string {
	return filepath.Join(data, "applications", "understudy-kwin.desktop")
}

// AllowOnKWin writes the desktop file by which KWin lets a program press keys and take pictures
// into the data folder of a user, and returns its path. KWin reads it when the program connects
// the next time. The environment is that of the session, or nil for our own.
func AllowOnKWin(data, program string, env []string) (string, error) {
	path := kwinFile(data)
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
	return path, rebuild(env)
}

// ForbidOnKWin removes that desktop file, and returns its path.
func ForbidOnKWin(data string, env []string) (string, error) {
	path := kwinFile(data)
	if err := os.Remove(path); err != nil {
		return "", err
	}
	return path, rebuild(env)
}

// rebuild makes KDE read its desktop files at once; later it does so by itself.
func rebuild(env []string) error {
	for _, build := range []string{"kbuildsycoca6", "kbuildsycoca5"} {
		if _, err := exec.LookPath(build); err != nil {
			continue
		}
		cmd := exec.Command(build)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", build, err, out)
		}
		break
	}
	return nil
}
