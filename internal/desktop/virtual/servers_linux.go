package virtual

import (
	"cmp"
	"crypto/des"
	"crypto/rand"
	"errors"
	"fmt"
	"math/bits"
	"net"
	"os"
	"strings"

	"understudy/internal/desktop"
)

// server is a display server that can be started.
type server struct {
	program, pack string
	wayland       bool
	// missing fails if something else that it needs is missing; nil: it needs nothing else.
	missing func() error
	args    func(d *Display) ([]string, error)
}

// servers are the display servers by name.
var servers = map[string]server{
	Xvfb: {program: "Xvfb", pack: "xvfb", args: func(d *Display) ([]string, error) {
		return []string{"-screen", "0", d.screen.String() + "x24"}, nil
	}},
	Xephyr: {program: "Xephyr", pack: "xserver-xephyr", missing: noParent, args: func(d *Display) ([]string, error) {
		return []string{"-screen", d.screen.String() + "x24", "-title", "understudy"}, nil
	}},
	Xvnc: {program: "Xvnc", pack: "tigervnc-standalone-server", args: vncArgs},
	Sway: {program: "sway", pack: "sway", wayland: true, missing: noRoot},
}

// noParent fails if there is no display for the window of Xephyr.
func noParent() error {
	if os.Getenv("DISPLAY") != "" {
		return nil
	}
	return &desktop.MissingError{What: "Xephyr shows a desktop in a window of yours, and DISPLAY is not set", Mend: "export DISPLAY=:0"}
}

// check fails if the options contradict one another, or something is missing for them.
func (o Options) check() error {
	s, known := servers[o.server()]
	switch {
	case !known:
		return fmt.Errorf("there is no server %q: wanted one of %s", o.Server, strings.Join(Servers(), ", "))
	case o.Display != "" && (o.Server != "" || o.Screen != desktop.Size{} || o.Layout != ""):
		return fmt.Errorf("the display %s has a server, a screen and a layout already: give none", o.Display)
	case o.Display != "":
		return lookPath("dbus-daemon", "dbus-daemon")
	case o.Authority != "" || o.Bus != "":
		return errors.New("only a display that is there already has a file of cookies and a session bus: name it")
	}
	err := lookPath(s.program, s.pack, "dbus-daemon", "dbus-daemon")
	if err == nil && !s.wayland {
		err = lookPath("openbox", "openbox")
	}
	if err == nil && s.missing != nil {
		err = s.missing()
	}
	return err
}

// MissingServer fails if something is missing that a server needs to start.
func MissingServer(name string) error { return Options{Server: name}.check() }

// vncArgs returns arguments that let people look who know a password, from this machine only. A
// viewer cannot change the size of the screen, on which workflows rely.
func vncArgs(d *Display) ([]string, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	d.vnc = &VNC{Address: net.JoinHostPort("127.0.0.1", port), Password: strings.ToLower(rand.Text()[:vncPassword])}
	file := d.folder.path("vnc")
	if err := os.WriteFile(file, scrambled(d.vnc.Password), 0o600); err != nil {
		return nil, err
	}
	return []string{
		"-geometry", d.screen.String(), "-depth", "24", "-SecurityTypes=VncAuth", "-PasswordFile=" + file,
		"-interface=127.0.0.1", "-UseIPv6=0", "-rfbport=" + port, "-AcceptSetDesktopSize=0", "-AlwaysShared=1",
	}, nil
}

// freePort returns a port on which nobody listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// vncPassword is the length of passwords of VNC.
const vncPassword = 8

// scrambled returns the file with the password of a VNC server: encrypted with a key that is the
// same everywhere. VNC reverses the bits in each byte of a key.
func scrambled(password string) []byte {
	key := []byte{23, 82, 107, 6, 35, 78, 88, 7}
	for i := range key {
		key[i] = bits.Reverse8(key[i])
	}
	c, err := des.NewCipher(key)
	if err != nil {
		panic(err) // the key has the right length
	}
	file := make([]byte, vncPassword)
	copy(file, password)
	c.Encrypt(file, file)
	return file
}

func (o Options) server() string { return cmp.Or(o.Server, Xvfb) }
