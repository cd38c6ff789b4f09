package extension

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each browser that is installed learns of our program where its system looks, and forgets it.
func TestTheBrowsersOfEachSystemAreSetUp(t *testing.T) {
	t.Setenv("PATH", "") // only what the folders show is installed
	for _, row := range []struct{ system, has, want, allows string }{
		{"linux", "settings/chromium", "settings/chromium/NativeMessagingHosts", "allowed_origins"},
		{"linux", "settings/google-chrome", "settings/google-chrome/NativeMessagingHosts", "allowed_origins"},
		{"linux", "settings/microsoft-edge", "settings/microsoft-edge/NativeMessagingHosts", "allowed_origins"},
		{"linux", "settings/BraveSoftware/Brave-Browser", "settings/BraveSoftware/Brave-Browser/NativeMessagingHosts", "allowed_origins"},
		{"linux", "home/.mozilla", "home/.mozilla/native-messaging-hosts", "allowed_extensions"},
		{"darwin", "settings/Google/Chrome", "settings/Google/Chrome/NativeMessagingHosts", "allowed_origins"},
		{"darwin", "settings/Mozilla", "settings/Mozilla/NativeMessagingHosts", "allowed_extensions"},
	} {
		dir := t.TempDir()
		p := installation{system: row.system, home: filepath.Join(dir, "home"), settings: filepath.Join(dir, "settings"), data: filepath.Join(dir, "data"), program: "/opt/understudy"}
		if err := os.MkdirAll(filepath.Join(dir, row.has), 0o700); err != nil {
			t.Fatal(err)
		}
		paths, next, err := p.setUp()
		want := filepath.Join(dir, row.want, hostName+".json")
		if err != nil || len(paths) != 1 || paths[0] != want || len(next) != 1 {
			t.Errorf("%s, %s: %v, %v, %v", row.system, row.has, paths, next, err)
			continue
		}
		text, err := os.ReadFile(want)
		if err != nil || !strings.Contains(string(text), `"/opt/understudy"`) || !strings.Contains(string(text), row.allows) || strings.Contains(string(text), "*") {
			t.Errorf("%s: %s, %v", row.has, text, err)
		}
		if removed, err := p.remove(); err != nil || len(removed) != 1 {
			t.Errorf("%s: removing: %v, %v", row.has, removed, err)
		}
		if _, err := os.Stat(p.data); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the extensions are still there: %v", row.has, err)
		}
		if _, err := p.remove(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: removing nothing: %v", row.has, err)
		}
		if _, _, err := (installation{system: row.system, home: dir + "/none", settings: dir + "/none", data: dir}).setUp(); err == nil {
			t.Errorf("%s: no browser is set up", row.system)
		}
	}
}

// The extension of Firefox is one file, too, which its policy can name; nobody else can change it.
func TestAnExtensionIsWritten(t *testing.T) {
	p := installation{system: "linux", data: filepath.Join(t.TempDir(), "data")}
	for range 2 { // in place of an earlier one
		if err := p.write("firefox"); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zip.OpenReader(filepath.Join(p.data, "firefox.xpi"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if _, err := z.Open("manifest.json"); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(p.data)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("its folder: %v, %v", info.Mode(), err)
	}
}
