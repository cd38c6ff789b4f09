package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"understudy/internal/sandbox"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
)

// Diagnose opens the display and tries its parts, without changing anything of the
// user's.
func (Machine) Diagnose(ctx context.Context, o desktop.Options) []desktop.Finding {
	fs := []desktop.Finding{desktopsFinding(), diskFinding(o.Dir), sandboxFinding()}
	if runtime.GOOS == "linux" {
		fs = append(fs, applicationsFinding())
	}
	o.Look = true
	s, err := openSession(ctx, o)
	if err != nil {
		return append([]desktop.Finding{broken("display", true, err)}, fs...)
	}
	defer s.Close()
	d := s.desktop(ctx)
	fs = append([]desktop.Finding{s.displayFinding(ctx)}, fs...)
	fs = append(fs, s.extensionFindings(ctx)...)
	if s.setup != "" {
		fs = append(fs, desktop.Finding{Name: "your session", Detail: s.instead, Mend: s.setup})
	}
	switch {
	case s.wayland:
		fs = append(fs, recordingFinding(ctx, d))
	case s.instead != "":
		fs = append(fs, desktop.Finding{Name: "recording", Detail: "a person cannot be heard: " + s.instead, Mend: "log in to a session of Xorg"})
	}
	fs = append(fs, managerFinding(ctx, d))
	if s.consent != "" {
		fs = append(fs, working("consent", false, s.consent))
	} else {
		fs = append(fs, screenshotFinding(ctx, d), clipboardFinding(ctx, d))
	}
	if runtime.GOOS == "linux" {
		fs = append(fs, busFinding(ctx, s.bus), toolFinding("ocr", "tesseract", "tesseract-ocr"), toolFinding("addresses", "xdg-open", "xdg-utils"))
	}
	return append(fs, accessibilityFinding(ctx, d))
}

// recordingFinding reports which input of a person can be recorded.
func recordingFinding(ctx context.Context, d *desktop.Desktop) desktop.Finding {
	const name = "recording"
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var limits []string
	began := false
	err := d.Watch(ctx, func(ev desktop.InputEvent) {
		if !began {
			limits = desktop.Limits(ev.Unheard)
		}
		began = true
		stop()
	})
	if !began {
		return broken(name, false, err)
	}
	return working(name, false, strings.Join(limits, "; "))
}

// desktopsFinding reports on which desktops runs can play, and how each is chosen.
func desktopsFinding() desktop.Finding {
	const name = "desktops"
	ways := []string{"--display seat is yours"}
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" {
		ways = []string{"there is none of yours for --display seat"}
	}
	if err := virtual.MissingServer(virtual.Xvfb); err != nil {
		f := broken(name, false, err)
		f.Detail = ways[0] + "; " + f.Detail
		return f
	}
	ways = append(ways, "--display virtual is a screen for each run")
	for _, server := range virtual.Servers()[1:] {
		way := "desktop start --server " + server
		if err := virtual.MissingServer(server); err != nil {
			way = "no " + way + ": " + err.Error()
		}
		ways = append(ways, way)
	}
	return working(name, false, strings.Join(ways, "; "))
}

// sandboxFinding reports whether commands of clients can be confined.
func sandboxFinding() desktop.Finding {
	detail, mend := sandbox.Report()
	return desktop.Finding{Name: "sandbox", OK: mend == "", Detail: detail, Mend: mend}
}

// broken returns the finding of an error, with the command that mends it if the error
// names one.
func broken(name string, needed bool, err error) desktop.Finding {
	f := desktop.Finding{Name: name, Detail: err.Error(), Needed: needed}
	if missing, ok := errors.AsType[*desktop.MissingError](err); ok {
		f.Detail, f.Mend = missing.What, missing.Mend
	}
	return f
}

// working returns the finding of something that works.
func working(name string, needed bool, detail string) desktop.Finding {
	return desktop.Finding{Name: name, OK: true, Needed: needed, Detail: detail}
}

func (s *session) displayFinding(ctx context.Context) desktop.Finding {
	i, err := s.Info(ctx)
	if err != nil {
		return broken("display", true, err)
	}
	var sizes []string
	for _, m := range i.Monitors {
		sizes = append(sizes, desktop.Size{W: m.Bounds.W, H: m.Bounds.H}.String())
	}
	detail := i.Display + ", " + strings.Join(sizes, " and ")
	if i.Virtual {
		detail = "a virtual one, " + detail
	}
	if s.why != "" {
		detail += ", because " + s.why
	}
	return working("display", true, detail)
}

// extensionUses lists the use of each extension of the X server, or protocol of a
// Wayland compositor, and whether nothing works without it.
var extensionUses = []struct {
	name, use string
	needed    bool
}{
	{"XTEST", "input", true},
	{"XKEYBOARD", "typing", true},
	{"RECORD", "recording", false},
	{"RANDR", "several monitors", false},
	{"MIT-SHM", "fast screenshots", false},
	{"SHAPE", "marks on the screen", false},
	{"X-Resource", "the processes of windows", false},
	{"zwlr_virtual_pointer_manager_v1", "the pointer", true},
	{"zwp_virtual_keyboard_manager_v1", "typing", true},
	{"zwlr_screencopy_manager_v1", "screenshots", true},
	{"zwlr_data_control_manager_v1", "the clipboard", false},
	{"org.understudy.Desktop1", "windows, pictures, marks and the place of the pointer, by the extension of understudy", true},
	{"org.gnome.Mutter.RemoteDesktop", "input and the clipboard", true},
	{"org.kde.kwin.Scripting", "windows and the place of the pointer", true},
	{"org_kde_kwin_fake_input", "input", true},
	{"org.kde.KWin.ScreenShot2", "screenshots; KWin has it where it draws with OpenGL", true},
	{"org.freedesktop.portal.RemoteDesktop", "input", true},
	{"org.freedesktop.portal.Screenshot", "screenshots", false},
	{"org.freedesktop.portal.Clipboard", "the clipboard", false},
	{"zwlr_layer_shell_v1", "marks on the screen and asking where the pointer is", false},
}

func (s *session) extensionFindings(ctx context.Context) []desktop.Finding {
	found, err := s.driver.Extensions(ctx)
	if err != nil {
		return []desktop.Finding{broken("extensions", true, err)}
	}
	var fs []desktop.Finding
	for _, x := range extensionUses {
		there, known := found[x.name]
		switch {
		case !known: // it belongs to another type of display
		case there:
			fs = append(fs, working(x.name, x.needed, "there, for "+x.use))
		default:
			fs = append(fs, desktop.Finding{
				Name: x.name, Needed: x.needed, Mend: "understudy doctor --display virtual",
				Detail: "the display lacks this extension, which is for " + x.use,
			})
		}
	}
	return fs
}

func managerFinding(ctx context.Context, d *desktop.Desktop) desktop.Finding {
	const name = "window manager"
	if runtime.GOOS != "linux" {
		if _, err := d.Windows(ctx); err != nil {
			return broken(name, false, err)
		}
		return working(name, false, "part of the system")
	}
	i, err := d.Info(ctx)
	switch {
	case err != nil:
		return broken(name, true, err)
	case i.Manager == "":
		return desktop.Finding{Name: name, Needed: true, Detail: "none runs, so windows have neither list nor titles", Mend: "apt-get install openbox && openbox &"}
	}
	return working(name, true, i.Manager)
}

func screenshotFinding(ctx context.Context, d *desktop.Desktop) desktop.Finding {
	began := time.Now()
	img, err := d.Capture(ctx, desktop.Rect{})
	if err != nil {
		return broken("screenshot", true, err)
	}
	return working("screenshot", true, fmt.Sprintf("%dx%d in %v", img.Rect.Dx(), img.Rect.Dy(), time.Since(began).Round(100*time.Microsecond)))
}

func clipboardFinding(ctx context.Context, d *desktop.Desktop) desktop.Finding {
	if _, err := d.ReadClipboard(ctx); err != nil && !errors.Is(err, desktop.ErrRefused) {
		return broken("clipboard", false, err)
	}
	return working("clipboard", false, "readable")
}

func busFinding(ctx context.Context, bus string) desktop.Finding {
	const name, mend = "session bus", "apt-get install dbus-daemon && dbus-run-session -- understudy doctor"
	if bus == "" {
		return desktop.Finding{Name: name, Detail: "DBUS_SESSION_BUS_ADDRESS is not set", Mend: mend}
	}
	path, ok := busSocket(bus)
	if !ok {
		return working(name, false, bus+", not tried")
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return desktop.Finding{Name: name, Detail: "it does not answer: " + err.Error(), Mend: mend}
	}
	c.Close()
	return working(name, false, path)
}

// busSocket returns the socket of a bus from an address such as
// "unix:path=/run/user/1000/bus,guid=…".
func busSocket(address string) (string, bool) {
	first, _, _ := strings.Cut(address, ";")
	for part := range strings.SplitSeq(strings.TrimPrefix(first, "unix:"), ",") {
		if path, ok := strings.CutPrefix(part, "path="); ok {
			return path, true
		}
		if name, ok := strings.CutPrefix(part, "abstract="); ok {
			return "@" + name, true
		}
	}
	return "", false
}

func toolFinding(name, program, pkg string) desktop.Finding {
	path, err := exec.LookPath(program)
	if err != nil {
		return desktop.Finding{Name: name, Detail: "the program " + program + " is missing", Mend: "apt-get install " + pkg}
	}
	return working(name, false, path)
}

func applicationsFinding() desktop.Finding {
	found := installed()
	f := working("applications", false, fmt.Sprintf("%d names of installed ones", len(found)))
	f.Applications = found
	return f
}

func accessibilityFinding(ctx context.Context, d *desktop.Desktop) desktop.Finding {
	const name = "accessibility"
	tree, err := d.Tree(ctx, desktop.Scope{Depth: 1})
	if err != nil {
		return broken(name, false, err)
	}
	return working(name, false, fmt.Sprintf("%d applications", len(tree.Roots)))
}
