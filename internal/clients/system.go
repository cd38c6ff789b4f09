package clients

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
)

// A System is what of a machine and its user decides where files are.
type System struct {
	OS     string // as runtime.GOOS names it
	Home   string
	Getenv func(string) string
}

// ThisSystem is the machine that the program runs on.
func ThisSystem() (System, error) {
	home, err := os.UserHomeDir()
	return System{OS: runtime.GOOS, Home: home, Getenv: os.Getenv}, err
}

// config is a file in the folder in which programs keep their settings.
func (s System) config(elements ...string) string {
	return filepath.Join(append([]string{s.configs()}, elements...)...)
}

func (s System) configs() string {
	switch s.OS {
	case "windows":
		return cmp.Or(s.Getenv("APPDATA"), filepath.Join(s.Home, "AppData", "Roaming"))
	case "darwin":
		return filepath.Join(s.Home, "Library", "Application Support")
	default:
		if dir := s.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(s.Home, ".config")
	}
}
