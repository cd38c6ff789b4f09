package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
	"understudy/internal/desktop/extension"
	"understudy/internal/desktop/virtual"
	"understudy/internal/sandbox"
)

// Diagnose opens the display and tries its parts, without changing anything of the
// user's.
func (Machine) Diagnose(ctx context.Context, o desktop.Options) []desktop.Finding {
	fs := []desktop.Finding{desktopsFinding(), diskFinding(o.Dir), sandboxFinding()}
	if runtime.GOOS == "linux" {
		fs = append(fs, tmpFinding(), applicationsFinding())
	}
	o.Look = true
	s, err := openSession(ctx, o)
	if err != nil {
		return append([]desktop.Finding{finding("display", true)("", err)}, fs...)
	}
	defer s.Close()
	d := s.desktop(ctx)
	fs = append([]desktop.Finding{finding("display", true)(s.describe(ctx))}, fs...)
	fs = append(fs, s.extensionFindings(ctx)...)
	if s.setup != "" {
		fs = append(fs, desktop.Finding{Name: "your session", Detail: s.instead, Mend: s.setup})
	}
	switch {
	case s.wayland:
		fs = append(fs, finding("recording", false)(unreported(ctx, d)))
	case s.instead != "":
		fs = append(fs, desktop.Finding{Name: "recording", Detail: "input cannot be recorded: " + s.instead, Mend: "log in to a session of Xorg"})
	}
	fs = append(fs, finding("window manager", runtime.GOOS == "linux")(manager(ctx, d)))
	if s.consent != "" {
		fs = append(fs, finding("consent", false)(s.consent, nil))
	} else {
		fs = append(fs, finding("screenshot", true)(screenshot(ctx, d)), finding("clipboard", false)(clipboard(ctx, d)))
	}
	if runtime.GOOS == "linux" {
		fs = append(fs, finding("session bus", false)(sessionBus(ctx, s.bus)),
			finding("ocr", false)(tool("tesseract", "tesseract-ocr")), finding("addresses", false)(tool("xdg-open", "xdg-utils")))
	}
	return append(fs, finding("browsers", false)(browsers(ctx, d)), finding("accessibility", false)(applications(ctx, d)))
}

// finding returns a function that makes the finding of a check: what it found, or its error, with
// the command that mends it if the error names one.
func finding(name string, needed bool) func(detail string, err error) desktop.Finding {
	return func(detail string, err error) desktop.Finding {
		f := desktop.Finding{Name: name, OK: err == nil, Needed: needed, Detail: detail}
		if missing, ok := errors.AsType[*desktop.MissingError](err); ok {
			f.Detail, f.Mend = missing.What, missing.Mend
		} else if err != nil {
			f.Detail = err.Error()
		}
		return f
	}
}

// browsers returns which browsers are connected, and how the others can be.
func browsers(ctx context.Context, d *desktop.Desktop) (string, error) {
	connected, err := d.Browsers(ctx)
	if err != nil {
		return "", err
	}
	windows, err := d.Windows(ctx)
	if err != nil {
		return "", err
	}
	var said []string
	for _, b := range connected {
		said = append(said, fmt.Sprintf("%s (process %d) is connected", b.Name, b.PID))
		windows = slices.DeleteFunc(windows, func(w desktop.Window) bool { return w.PID == b.PID })
	}
	for _, w := range windows {
		if devtools.IsBrowser(w.Process) || strings.HasPrefix(w.Process, "firefox") {
			said = append(said, fmt.Sprintf("%s (process %d) is not connected: %s", w.Process, w.PID, howToConnect(w.Process)))
		}
	}
	if len(connected) == 0 {
		said = append(said, "none is connected; navigate_browser and open_application start and connect Chromium, Chrome, Edge and Brave; understudy setup browser connects one that you start")
	}
	slices.Sort(said)
	return strings.Join(slices.Compact(said), "; "), nil
}

// howToConnect says how a browser that runs can be connected.
func howToConnect(program string) string {
	way := "run understudy setup browser, which says how to load its extension"
	if extension.IsSetUp() {
		way = "load the extension of understudy into it, as understudy setup browser says"
	}
	if devtools.IsBrowser(program) {
		way += "; or close it, and start it with navigate_browser"
	}
	return way
}

// unreported returns which input of a person cannot be recorded.
func unreported(ctx context.Context, d *desktop.Desktop) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var limits []string
	began := false
	err := d.Watch(ctx, func(ev desktop.InputEvent) {
		if !began {
			limits = desktop.Limits(ev.Unreported)
		}
		began = true
		stop()
	})
	if !began {
		return "", err
	}
	return strings.Join(limits, "; "), nil
}

// desktopsFinding reports on which desktops runs can play, and how each is chosen.
func desktopsFinding() desktop.Finding {
	found := finding("desktops", false)
	ways := []string{"--display seat is yours"}
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" {
		ways = []string{"there is no session of yours for --display seat"}
	}
	if err := virtual.MissingServer(virtual.Xvfb); err != nil {
		f := found("", err)
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
	return found(strings.Join(ways, "; "), nil)
}

// sandboxFinding reports whether commands of clients can be confined.
func sandboxFinding() desktop.Finding {
	detail, mend := sandbox.Report()
	return desktop.Finding{Name: "sandbox", OK: mend == "", Detail: detail, Mend: mend}
}

// tmpFinding reports whether the desktops of clients can have a /tmp of their own.
func tmpFinding() desktop.Finding {
	f := finding("/tmp", false)("each desktop of serve --desktops has its own", virtual.OwnTmp())
	if !f.OK {
		f.Detail = "the desktops of serve --desktops share it, because mounting another is refused (" + f.Detail + "): only files in TMPDIR are removed with a desktop"
		f.Mend = "allow this user to create user namespaces, or start the container with the capability SYS_ADMIN"
	}
	return f
}

// describe says which display it is.
func (s *session) describe(ctx context.Context) (string, error) {
	i, err := s.Info(ctx)
	if err != nil {
		return "", err
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
	return detail, nil
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
		return []desktop.Finding{finding("extensions", true)("", err)}
	}
	var fs []desktop.Finding
	for _, x := range extensionUses {
		there, known := found[x.name]
		if !known { // it belongs to another type of display
			continue
		}
		var lacks error
		if !there {
			lacks = &desktop.MissingError{What: "the display lacks this extension, which is for " + x.use, Mend: "understudy doctor --display virtual"}
		}
		fs = append(fs, finding(x.name, x.needed)("there, for "+x.use, lacks))
	}
	return fs
}

// manager returns the name of the window manager.
func manager(ctx context.Context, d *desktop.Desktop) (string, error) {
	if runtime.GOOS != "linux" {
		_, err := d.Windows(ctx)
		return "part of the system", err
	}
	i, err := d.Info(ctx)
	if err == nil && i.Manager == "" {
		err = &desktop.MissingError{What: "none is running, so windows cannot be listed", Mend: "apt-get install openbox && openbox &"}
	}
	return i.Manager, err
}

func screenshot(ctx context.Context, d *desktop.Desktop) (string, error) {
	began := time.Now()
	img, err := d.Capture(ctx, desktop.Rect{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%dx%d in %v", img.Rect.Dx(), img.Rect.Dy(), time.Since(began).Round(100*time.Microsecond)), nil
}

func clipboard(ctx context.Context, d *desktop.Desktop) (string, error) {
	_, err := d.ReadClipboard(ctx)
	if errors.Is(err, desktop.ErrRefused) { // it holds something else
		err = nil
	}
	return "readable", err
}

// sessionBus returns the socket of a session bus that answers.
func sessionBus(ctx context.Context, bus string) (string, error) {
	const mend = "apt-get install dbus-daemon && dbus-run-session -- understudy doctor"
	if bus == "" {
		return "", &desktop.MissingError{What: "DBUS_SESSION_BUS_ADDRESS is not set", Mend: mend}
	}
	path, ok := busSocket(bus)
	if !ok {
		return bus + ", not tried", nil
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return "", &desktop.MissingError{What: "it does not answer: " + err.Error(), Mend: mend}
	}
	c.Close()
	return path, nil
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

// tool returns the path of a program, which a package has.
func tool(program, pkg string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		err = &desktop.MissingError{What: "the program " + program + " is missing", Mend: "apt-get install " + pkg}
	}
	return path, err
}

func applicationsFinding() desktop.Finding {
	found := installed()
	f := finding("applications", false)(fmt.Sprintf("%d names of installed ones", len(found)), nil)
	f.Applications = found
	return f
}

// applications counts the applications on the accessibility bus.
func applications(ctx context.Context, d *desktop.Desktop) (string, error) {
	tree, err := d.Tree(ctx, desktop.Scope{Depth: 1})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d applications", len(tree.Roots)), nil
}
