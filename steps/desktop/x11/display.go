//go:build linux

package x11

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"understudy/steps/desktop"
	"understudy/steps/desktop/xauth"
)

// address is where a display is: the parts of a name such as ":0",
// "localhost:10.0" or "/tmp/launch-1/org.x:0".
type address struct {
	name             string
	network, address string
}

// socketFolder is where the displays of this machine listen.
const socketFolder = "/tmp/.X11-unix/"

func parsePlace(name string) (address, error) {
	bad := func() (address, error) {
		if name == "" {
			return address{}, &desktop.MissingError{What: "no display: DISPLAY is not set", Mend: "export DISPLAY=:0"}
		}
		if strings.HasPrefix(name, "wayland") {
			return address{}, desktop.WaylandError("the display " + name + " is one of Wayland")
		}
		return address{}, &desktop.MissingError{What: fmt.Sprintf("display %q: wanted a name such as :0", name), Mend: "export DISPLAY=:0"}
	}
	host, number, ok := cutLast(name, ":")
	if !ok {
		return bad()
	}
	number, _, _ = strings.Cut(number, ".")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 59535 {
		return bad()
	}
	p := address{name: name, network: "unix", address: socketFolder + "X" + number}
	switch {
	case strings.HasPrefix(host, "/"):
		p.address = host + ":" + number
	case host != "" && host != "unix":
		p.network, p.address = "tcp", net.JoinHostPort(strings.TrimPrefix(host, "tcp/"), strconv.Itoa(6000+n))
	}
	return p, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// cookie finds the cookie of a display in a file of cookies; "" means that
// there is none, and that the display may still let us in.
func (p address) cookie(file string) string {
	file = cmp.Or(file, filepath.Join(os.Getenv("HOME"), ".Xauthority"))
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return xauth.Find(b, p.name)
}
