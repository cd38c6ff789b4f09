package virtual

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jezek/xgb"

	"understudy/internal/desktop"
	"understudy/internal/desktop/xauth"
)

// startTimeout bounds the start of a display: one that needs longer is stuck.
const startTimeout = 15 * time.Second

// Display is a running virtual display.
type Display struct {
	name, bus, cookie string
	screen            desktop.Size
	wayland           bool // it is a session of Wayland
	folder            *folder
	home, tmp         string    // the folders of its programs; empty: those of the user
	vnc               *VNC      // where people can look
	joined            *xgb.Conn // the connection to a display that existed already
	programs          *programs
	done              chan struct{}
	watching          sync.WaitGroup // the goroutine that restarts the window manager
	closing           sync.Once
}

func (d *Display) Name() string { return d.name }

// Authority returns the file with the cookie of the display.
func (d *Display) Authority() string { return d.folder.path("Xauthority") }

func (d *Display) Bus() string { return d.bus }

// Done returns a channel that is closed when the X server has ended.
func (d *Display) Done() <-chan struct{} { return d.done }

// Env returns what a program needs in its environment to show itself here and nowhere else, even
// if the user has a Wayland session.
func (d *Display) Env() []string {
	return append(d.env(), "DBUS_SESSION_BUS_ADDRESS="+d.bus)
}

// env is Env without the session bus.
func (d *Display) env() []string {
	env := append(d.sessionEnv(),
		markerOf(d.folder.dir),
		"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
		"GSK_RENDERER=cairo", // GTK 4 may wait for ever for a graphics card, and reports no elements meanwhile
	)
	if d.home == "" {
		return env
	}
	return append(env, "TMPDIR="+d.tmp, "HOME="+d.home, "XDG_CONFIG_HOME="+filepath.Join(d.home, ".config"), "XDG_CACHE_HOME="+filepath.Join(d.home, ".cache"),
		"XDG_DATA_HOME="+filepath.Join(d.home, ".local", "share"), "XDG_STATE_HOME="+filepath.Join(d.home, ".local", "state"))
}

// sessionEnv returns the variables that lead programs to the display.
func (d *Display) sessionEnv() []string {
	if d.wayland {
		return d.swayEnv()
	}
	return []string{
		"DISPLAY=" + d.name, "XAUTHORITY=" + d.Authority(), "WAYLAND_DISPLAY=",
		"XDG_SESSION_TYPE=x11", "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb",
	}
}

// Start cleans up after displays of dead processes, then starts one. It returns when the window
// manager manages it.
func Start(ctx context.Context, o Options) (*Display, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Screen == (desktop.Size{}) {
		o.Screen = DefaultScreen
	}
	dir, err := home(o.Dir)
	if err != nil {
		return nil, err
	}
	Clean(dir)
	if err := o.checkUnused(dir); err != nil {
		return nil, err
	}
	f, err := newFolder(dir, o.Name)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("there is a desktop %s already: %w", o.Name, err)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	d := &Display{screen: o.Screen, wayland: servers[o.server()].wayland, folder: f, programs: &programs{folder: f}, done: make(chan struct{})}
	if o.OwnHome {
		d.home = f.path("home")
		err = os.Mkdir(d.home, 0o700)
	}
	if err == nil {
		err = d.start(ctx, o)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("starting a virtual display: %w", err)
	}
	return d, nil
}

// lookPath fails if a program is missing, with the command that installs it. The arguments are
// pairs of a program and its package.
func lookPath(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if _, err := exec.LookPath(pairs[i]); err != nil {
			return &desktop.MissingError{
				What: "no virtual display: the program " + pairs[i] + " is missing",
				Mend: "apt-get install " + pairs[i+1],
			}
		}
	}
	return nil
}

func (d *Display) start(ctx context.Context, o Options) error {
	if o.Display != "" {
		return d.join(ctx, o)
	}
	if d.wayland {
		return d.startSway(ctx, o)
	}
	if err := d.startServer(ctx, servers[o.server()]); err != nil {
		return err
	}
	if err := d.ownTmp(o.Share); err != nil {
		return err
	}
	if err := d.setLayout(ctx, o.Layout); err != nil {
		return err
	}
	if err := d.startManager(); err != nil {
		return err
	}
	if err := d.startBus(ctx); err != nil {
		return err
	}
	return d.awaitManager(ctx)
}

// startServer starts the X server on the first free display number, which the server chooses.
func (d *Display) startServer(ctx context.Context, s server) error {
	cookie := make([]byte, 16)
	if _, err := rand.Read(cookie); err != nil {
		return err
	}
	d.cookie = hex.EncodeToString(cookie)
	if err := os.WriteFile(d.Authority(), xauth.Entry("", cookie), 0o600); err != nil {
		return err
	}
	args, err := s.args(d)
	if err != nil {
		return err
	}
	number, err := d.announce(ctx, s.program, append(args, "-displayfd", "3", "-auth", d.Authority(), "-nolisten", "tcp", "-noreset", "-dpi", "96")...)
	if err != nil {
		return err
	}
	d.name = ":" + number
	if err := d.programs.ready(d.name); err != nil {
		return err
	}
	// Clients look for the display number, which only the server knew before.
	return os.WriteFile(d.Authority(), xauth.Entry(number, cookie), 0o600)
}

// setLayout sets the layout of the keyboard.
func (d *Display) setLayout(ctx context.Context, layout string) error {
	if layout == "" {
		return nil
	}
	if err := lookPath("setxkbmap", "x11-xkb-utils"); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "setxkbmap", "-layout", layout)
	cmd.Env = append(os.Environ(), d.env()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the keyboard layout %q: %w: %s", layout, err, bytes.TrimSpace(out))
	}
	return nil
}

// busConfig is that of any session bus, except that no program can change the environment of
// the services that the bus starts: with LD_PRELOAD it could have them run what it likes.
const busConfig = `<busconfig>
<type>session</type><keep_umask/><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth><standard_session_servicedirs/>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
<include ignore_missing="yes">/usr/share/dbus-1/session.conf</include>
<policy context="mandatory"><deny send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/></policy>
</busconfig>
`

func (d *Display) startBus(ctx context.Context) error {
	config := d.folder.path("bus.conf")
	if err := os.WriteFile(config, []byte(busConfig), 0o600); err != nil {
		return err
	}
	address, err := d.announce(ctx, "dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile", "--nosyslog",
		"--address=unix:path="+d.folder.path("bus"), "--print-address=3")
	d.bus = address
	return err
}

// announce starts a program that writes one line to its file descriptor 3 when it is ready, and
// returns that line.
func (d *Display) announce(ctx context.Context, name string, args ...string) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd := exec.Command(name, args...)
	cmd.ExtraFiles = []*os.File{w}
	cmd.Env = append(os.Environ(), markerOf(d.folder.dir))
	switch {
	case d.wayland:
		cmd.Env = without("SWAYSOCK", append(cmd.Env, d.env()...)) // sway would take it for its own
	case d.name != "":
		// The programs that the session bus starts inherit this. That of the accessibility bus
		// announces the bus on the X server only without a Wayland display, and Qt 5 reports
		// its elements reliably only with that announcement.
		cmd.Env = without("WAYLAND_DISPLAY", append(cmd.Env, d.env()...))
	}
	var complaint complaint
	cmd.Stderr = &complaint
	ended := make(chan struct{})
	if d.name == "" { // the server itself
		ended = d.done
	}
	err = d.programs.start(cmd, ended)
	w.Close()
	if err != nil {
		return "", err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = r.SetReadDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(r).ReadString('\n')
	if line = strings.TrimSpace(line); line != "" {
		return line, nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s did not get ready: %w", name, context.Cause(ctx))
	}
	select {
	case <-ended: // and everything that it wrote has been read
	case <-time.After(endTimeout):
	}
	return "", fmt.Errorf("%s ended before it was ready: %s (%w)", name, complaint.String(), err)
}

// without returns an environment without a variable.
func without(name string, env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
}

// Close ends the display with everything that was started for it, and removes its folder.
// Programs on the display are asked to close before they lose it.
func (d *Display) Close() error {
	var err error
	d.closing.Do(func() {
		d.finish()
		if d.joined != nil {
			d.joined.Close()
		}
		d.programs.close()
		d.watching.Wait()
		err = d.folder.remove()
	})
	return err
}

// complaint keeps the beginning of what a program writes to its standard error.
type complaint struct {
	mu sync.Mutex
	b  []byte
}

func (c *complaint) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 2000
	c.b = append(c.b, p[:min(len(p), most-min(most, len(c.b)))]...)
	return len(p), nil
}

func (c *complaint) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.TrimSpace(string(c.b))
}
