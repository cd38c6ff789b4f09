package extension

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// A program is a browser into which an extension can be loaded.
type program struct {
	name     string
	family   string // the folder of its extension
	commands []string
	// Its folder on Linux and macOS, below that of the user's settings, or below the home folder
	// if it begins with a dot, and its key in the registry of Windows.
	linux, darwin, windows string
}

var programs = []program{
	{"Chromium", "chromium", []string{"chromium", "chromium-browser"}, "chromium", "Chromium", `Software\Chromium`},
	{"Google Chrome", "chromium", []string{"google-chrome", "google-chrome-stable"}, "google-chrome", "Google/Chrome", `Software\Google\Chrome`},
	{"Microsoft Edge", "chromium", []string{"microsoft-edge", "microsoft-edge-stable"}, "microsoft-edge", "Microsoft Edge", `Software\Microsoft\Edge`},
	{"Brave", "chromium", []string{"brave-browser"}, "BraveSoftware/Brave-Browser", "BraveSoftware/Brave-Browser", `Software\BraveSoftware\Brave-Browser`},
	{"Firefox", "firefox", []string{"firefox", "firefox-esr"}, ".mozilla", "Mozilla", `Software\Mozilla`},
}

// An installation is the machine, as far as the setup of a browser differs.
type installation struct {
	system         string // as in runtime.GOOS
	home, settings string // folders of the user
	data           string // where the extensions are kept
	program        string // ours
}

func here() (p installation, err error) {
	p.system = runtime.GOOS
	var data string
	p.home, err = os.UserHomeDir()
	if err == nil {
		p.settings, err = os.UserConfigDir()
	}
	if err == nil {
		p.program, err = os.Executable()
	}
	if err == nil {
		data, err = desktop.DataHome()
	}
	p.data = filepath.Join(data, "understudy-extensions")
	return p, err
}

// folder returns the folder of a browser on Linux or macOS.
func (p installation) folder(b program) string {
	name := b.linux
	if p.system == "darwin" {
		name = b.darwin
	}
	base := p.settings
	if strings.HasPrefix(name, ".") {
		base = p.home
	}
	return filepath.Join(base, filepath.FromSlash(name))
}

// described returns the path of the file that tells a browser of our program.
func (p installation) described(b program) string {
	folder := filepath.Join(p.folder(b), "NativeMessagingHosts")
	switch {
	case p.system == "windows": // the registry says where it is
		folder = filepath.Join(p.data, b.family)
	case b.family == "firefox" && p.system != "darwin":
		folder = filepath.Join(p.folder(b), "native-messaging-hosts")
	}
	return filepath.Join(folder, hostName+".json")
}

// installed reports whether a browser is there: it can be started, or has been.
func (p installation) installed(b program) bool {
	if p.system == "windows" {
		return hasKey(b.windows)
	}
	_, err := os.Stat(p.folder(b))
	return err == nil || slices.ContainsFunc(b.commands, func(name string) bool {
		_, err := exec.LookPath(name)
		return err == nil
	})
}

// description is what a browser reads of our program: where it is, and which extension may start it.
func (p installation) description(b program) ([]byte, error) {
	d := map[string]any{"name": hostName, "description": "Understudy", "path": p.program, "type": "stdio"}
	if b.family == "firefox" {
		d["allowed_extensions"] = []string{firefoxID}
	} else {
		d["allowed_origins"] = []string{chromiumOrigin()}
	}
	return json.MarshalIndent(d, "", "  ")
}

// SetUp writes the extensions, and allows them to start our program in each browser of this user.
// It returns the paths that it wrote, and how the extension is loaded into each browser.
func SetUp() (paths, next []string, err error) {
	p, err := here()
	if err != nil {
		return nil, nil, err
	}
	return p.setUp()
}

func (p installation) setUp() (paths, next []string, err error) {
	for _, b := range programs {
		if !p.installed(b) {
			continue
		}
		folder := filepath.Join(p.data, b.family)
		text, err := p.description(b)
		path := p.described(b)
		if err = cmp.Or(err, p.write(b.family), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, text, 0o600)); err != nil {
			return paths, next, err
		}
		if p.system == "windows" {
			err = setKey(b.windows, path)
		}
		if err != nil {
			return paths, next, err
		}
		paths, next = append(paths, path), append(next, b.name+": "+b.loading(folder))
	}
	if len(paths) == 0 {
		return nil, nil, &desktop.MissingError{What: "none of these browsers is installed here: " + names(), Mend: "apt-get install chromium"}
	}
	return paths, next, nil
}

func names() string {
	all := make([]string, len(programs))
	for i, b := range programs {
		all[i] = b.name
	}
	return strings.Join(all, ", ")
}

// loading says how a person loads the extension from a folder.
func (b program) loading(folder string) string {
	if b.family == "firefox" {
		return fmt.Sprintf("open about:debugging#/runtime/this-firefox, Load Temporary Add-on, and choose %s; it stays until Firefox ends. Firefox ESR also keeps %s.xpi, where xpinstall.signatures.required is false", filepath.Join(folder, "manifest.json"), folder)
	}
	return "open chrome://extensions, switch on Developer mode, Load unpacked, and choose " + folder
}

// write writes an extension as a folder, and for Firefox as one file, too.
func (p installation) write(family string) error {
	folder := filepath.Join(p.data, family)
	all, err := fs.Sub(files, family)
	if err = cmp.Or(err, os.RemoveAll(folder), os.MkdirAll(p.data, 0o700)); err != nil {
		return err
	}
	if err := os.CopyFS(folder, all); err != nil || family != "firefox" {
		return err
	}
	f, err := os.Create(folder + ".xpi")
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	return errors.Join(z.AddFS(all), z.Close(), f.Close())
}

// Remove undoes SetUp, and returns the paths that it removed. A browser that runs keeps its
// connection until the extension is removed from it, or it ends.
func Remove() (paths []string, err error) {
	p, err := here()
	if err != nil {
		return nil, err
	}
	return p.remove()
}

func (p installation) remove() (paths []string, err error) {
	for _, b := range programs {
		path := p.described(b)
		if removed := os.Remove(path); removed == nil {
			paths = append(paths, path)
		} else if !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		if p.system == "windows" {
			err = errors.Join(err, dropKey(b.windows))
		}
	}
	if len(paths) == 0 && err == nil {
		return nil, fmt.Errorf("no browser was set up: %w", fs.ErrNotExist)
	}
	return paths, errors.Join(err, os.RemoveAll(p.data))
}

// IsSetUp reports whether a browser of this user may start our program.
func IsSetUp() bool {
	p, err := here()
	return err == nil && slices.ContainsFunc(programs, func(b program) bool {
		_, err := os.Stat(p.described(b))
		return err == nil
	})
}
