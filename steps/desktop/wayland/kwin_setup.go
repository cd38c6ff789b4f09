package wayland

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const kwinShots = "org.kde.KWin.ScreenShot2"

// KWinRights says what AllowOnKWin gives away.
const KWinRights = "KWin then lets this program, and whoever starts it, press keys, move the pointer and take pictures of the screen in your session, without asking."

// kwinFile is the desktop file of it in the folder of a user's data.
func kwinFile(data string) string {
	return filepath.Join(data, "applications", "understudy-kwin.desktop")
}

// AllowOnKWin writes the desktop file by which KWin lets a program press keys and
// take pictures, into the folder of a user's data, and returns its path. KWin looks
// at it when the program connects next. The environment is that of the session, or
// nil for our own.
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

// rebuild has KDE look at its desktop files at once; it does so later by itself.
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
