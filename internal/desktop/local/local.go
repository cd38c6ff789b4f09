// Package local is the desktop of the machine that it runs on, assembled from the
// drivers: x11, wayland or robot operates the display, virtual starts one if there is
// none, and atspi reads the elements of applications. This package adds what belongs
// to none of them: starting programs, and diagnosing what is missing.
package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
	"understudy/internal/desktop/extension"
	"understudy/internal/desktop/virtual"
)

// Machine is this machine. It implements desktop.Machine.
type Machine struct{}

var _ desktop.Machine = Machine{}

// Open connects to the display that the options name. For "auto" that is the one in
// the environment, or a virtual one if that does not answer.
func (Machine) Open(ctx context.Context, o desktop.Options) (*desktop.Desktop, error) {
	s, err := openSession(ctx, o)
	if err != nil {
		return nil, err
	}
	return s.desktop(ctx), nil
}

// A driver operates a display.
type driver interface {
	Desktop() *desktop.Desktop
	// Extensions returns which of the known extensions the display has.
	Extensions(ctx context.Context) (map[string]bool, error)
	Close() error
}

// An address tells a driver how to connect to a display.
type address struct {
	display, authority string
	wayland            bool
	dir                string // for the list of held keys
	env                []string
}

// A session is an open display and everything that ends with it.
type session struct {
	desktop.Session
	driver   driver
	virtual  bool   // the display is ours
	wayland  bool   // applications do not know the positions of their windows
	why      string // the reason for a virtual display that was not asked for
	instead  string // see desktop.Info
	setup    string // the command that would make the session of the person reachable
	consent  string // for Options.Look: how a person is asked before the session can be used
	bus      string
	apps     starter
	browsers desktop.BrowserLister
	layout   string         // of the keyboard, if it was chosen
	kept     virtual.Kept   // of a lasting desktop
	closers  []func() error // in the order of the calls
}

func openSession(ctx context.Context, o desktop.Options) (*session, error) {
	if name, ok := strings.CutPrefix(o.Display, "virtual:"); ok {
		o.Display, o.Name = "virtual", name
	}
	switch o.Display {
	case "virtual":
		return openVirtual(ctx, o)
	case desktop.Seat:
		return openSeat(ctx, o)
	case "", "auto":
		return openAny(ctx, o)
	case desktop.Portal:
		return openWayland(ctx, o, cmp.Or(os.Getenv("WAYLAND_DISPLAY"), "wayland-0"))
	}
	return openReal(ctx, o, o.Display)
}

// openAny prefers the user's display.
func openAny(ctx context.Context, o desktop.Options) (*session, error) {
	s, err := openSeat(ctx, o)
	if err == nil || runtime.GOOS != "linux" || !errors.Is(err, desktop.ErrUnavailable) {
		return s, err
	}
	return openInstead(ctx, o, err)
}

// openSeat opens the user's display: the X display, or the Wayland session if X is
// only a guest in it.
func openSeat(ctx context.Context, o desktop.Options) (*session, error) {
	name, err := os.Getenv("DISPLAY"), noDisplay()
	if runtime.GOOS != "linux" || name != "" {
		var s *session
		if s, err = openReal(ctx, o, name); err == nil || !errors.Is(err, desktop.ErrUnavailable) {
			return s, err
		}
	}
	host := os.Getenv("WAYLAND_DISPLAY")
	if host == "" {
		return nil, err
	}
	s, failed := openWayland(ctx, o, host)
	if known, ok := errors.AsType[*desktop.MissingError](failed); ok && known.Setup {
		return nil, failed
	}
	if failed != nil {
		return nil, fmt.Errorf("%w (and %w)", err, failed)
	}
	return s, nil
}

// noDisplay returns the error of a user without a display.
func noDisplay() error {
	if os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("XDG_SESSION_TYPE") != "wayland" {
		return &desktop.MissingError{What: "DISPLAY is not set", Mend: "export DISPLAY=:0"}
	}
	return desktop.WaylandError("the session is Wayland and DISPLAY is not set")
}

// openInstead starts a virtual display, because the user's cannot be opened.
func openInstead(ctx context.Context, o desktop.Options, because error) (*session, error) {
	s, err := openVirtual(ctx, o)
	if err != nil {
		return nil, errors.Join(because, err)
	}
	s.why = because.Error()
	if missing, ok := errors.AsType[*desktop.MissingError](because); ok && missing.Wayland {
		s.instead = missing.What
		if missing.Setup {
			s.setup = missing.Mend
		}
	}
	return s, nil
}

func openReal(ctx context.Context, o desktop.Options, name string) (*session, error) {
	if strings.HasPrefix(filepath.Base(name), "wayland") {
		return openWayland(ctx, o, name)
	}
	authority := os.Getenv("XAUTHORITY")
	env := []string{"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1"}
	if name != "" {
		env = append(env, "DISPLAY="+name)
	}
	if authority != "" {
		env = append(env, "XAUTHORITY="+authority)
	}
	r, err := openDriver(ctx, address{display: name, authority: authority, dir: o.Dir, env: env})
	if err != nil {
		return nil, err
	}
	return onSeat(r, env, o.Dir), nil
}

// onSeat returns a session on a display of the user's. The pipes of its browsers are kept beside
// the virtual displays.
func onSeat(d driver, env []string, dir string) *session {
	pipes := devtools.NamedPipes{Dir: dir}
	if dir != "" {
		pipes.Dir = filepath.Join(dir, "browsers")
	}
	return &session{Session: d.Desktop().Session, driver: d, bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"), apps: startHere(env, pipes), browsers: pipes, closers: []func() error{d.Close}}
}

func openVirtual(ctx context.Context, o desktop.Options) (*session, error) {
	if o.Name != "" {
		return openKept(ctx, o)
	}
	d, err := virtual.Start(ctx, virtual.Options{Dir: o.Dir, Screen: o.Screen, Layout: o.Layout})
	if err != nil {
		return nil, err
	}
	r, err := openDriver(ctx, address{display: d.Name(), authority: d.Authority(), env: d.Env()})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the virtual display %s: %w", d.Name(), err), d.Close())
	}
	pipes := &devtools.Brokers{}
	return &session{Session: r.Desktop().Session, driver: r, virtual: true, bus: d.Bus(), layout: o.Layout, apps: startHere(d.Env(), pipes), browsers: pipes, closers: []func() error{r.Close, d.Close}}, nil
}

// desktop assembles the parts.
func (s *session) desktop(ctx context.Context) *desktop.Desktop {
	d := s.driver.Desktop()
	d.Session, d.BrowserLister = s, s.allBrowsers(ctx)
	elements, end := s.addAccessibility(ctx, d)
	queues, _ := elements.(keyQueues)
	d.Actor = actor{display: &keys{Actor: d.Actor, windows: d.WindowLister, queues: queues}, elements: elements, apps: s.apps, connects: s.virtual}
	if end != nil {
		s.closers = append([]func() error{end}, s.closers...)
	}
	return d
}

func (s *session) Info(ctx context.Context) (desktop.Info, error) {
	i, err := s.Session.Info(ctx)
	i.Virtual, i.Instead = s.virtual, s.instead
	i.Name, i.Birth, i.Layout = s.kept.Name, s.kept.Birth, s.layout
	return i, err
}

// allBrowsers returns the browsers that we started, and those with our extension on the display.
func (s *session) allBrowsers(ctx context.Context) desktop.BrowserLister {
	i, failed := s.Session.Info(ctx)
	dir, err := extension.Dir(append(os.Environ(), i.Env...))
	if errors.Join(err, failed) != nil {
		return s.browsers
	}
	return eitherBrowsers{s.browsers, extension.Sockets{Dir: dir, Display: i.Display}}
}

// Close ends everything, the display last if it is ours.
func (s *session) Close() error {
	var errs []error
	for _, end := range s.closers {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}
