//go:build linux

package x11

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"understudy/steps/desktop"
)

// address is where a display is: the parts of a name such as ":0",
// "localhost:10.0" or "/tmp/launch-1/org.x:0".
type address struct {
	name             string
	network, address string
	number           string
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
	p := address{name: name, network: "unix", address: socketFolder + "X" + number, number: number}
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

// The families of addresses in a file of cookies that fit a display that we
// reach without knowing its network address.
const (
	familyLocal = 256
	familyAny   = 65535
)

// cookie finds the cookie of a display in a file of cookies; "" means that
// there is none, and that the display may still let us in.
func (p address) cookie(file string) string {
	file = cmp.Or(file, filepath.Join(os.Getenv("HOME"), ".Xauthority"))
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	host, _ := os.Hostname()
	return findCookie(b, p.number, host)
}

// findCookie reads entries of family, address, number, name and data, each
// but the first led by its length.
func findCookie(b []byte, number, host string) string {
	field := func() string {
		if len(b) < 2 {
			b = nil
			return ""
		}
		n := 2 + int(binary.BigEndian.Uint16(b))
		if len(b) < n {
			b = nil
			return ""
		}
		s := string(b[2:n])
		b = b[n:]
		return s
	}
	for len(b) > 2 {
		family := binary.BigEndian.Uint16(b)
		b = b[2:]
		address, num, name, data := field(), field(), field(), field()
		ours := family == familyAny || family == familyLocal && address == host
		if ours && (num == "" || num == number) && name == "MIT-MAGIC-COOKIE-1" && len(data) == 16 {
			return hex.EncodeToString([]byte(data))
		}
	}
	return ""
}
