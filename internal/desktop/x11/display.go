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

	"understudy/internal/desktop"
	"understudy/internal/desktop/xauth"
)

// address is the address of a display with a name such as ":0", "localhost:10.0" or
// "/tmp/launch-1/org.x:0".
type address struct {
	name             string
	network, address string
}

// socketFolder has the sockets of the displays of this machine.
const socketFolder = "/tmp/.X11-unix/"

func parseAddress(name string) (address, error) {
	i := strings.LastIndexByte(name, ':')
	number, _, _ := strings.Cut(name[i+1:], ".")
	n, err := strconv.Atoi(number)
	switch {
	case i >= 0 && err == nil && n >= 0 && n <= 59535:
	case name == "":
		return address{}, &desktop.MissingError{What: "no display: DISPLAY is not set", Mend: "export DISPLAY=:0"}
	case strings.HasPrefix(name, "wayland"):
		return address{}, desktop.WaylandError("the display " + name + " is one of Wayland")
	default:
		return address{}, &desktop.MissingError{What: fmt.Sprintf("display %q: wanted a name such as :0", name), Mend: "export DISPLAY=:0"}
	}
	host := name[:i]
	p := address{name: name, network: "unix", address: socketFolder + "X" + number}
	switch {
	case strings.HasPrefix(host, "/"):
		p.address = host + ":" + number
	case host != "" && host != "unix":
		p.network, p.address = "tcp", net.JoinHostPort(strings.Trim(strings.TrimPrefix(host, "tcp/"), "[]"), strconv.Itoa(6000+n))
	}
	return p, nil
}

// cookie returns the cookie of a display from a file, or "" if there is none; the display
// may accept us all the same.
func (p address) cookie(file string) string {
	b, _ := os.ReadFile(cmp.Or(file, filepath.Join(os.Getenv("HOME"), ".Xauthority")))
	return xauth.Find(b, p.name)
}
