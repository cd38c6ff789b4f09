//go:build linux

package x11

import (
	"os"
	"strings"
	"testing"
)

// A name of a display is an address, as for other programs of X.
func TestTheAddressOfADisplay(t *testing.T) {
	for name, want := range map[string]string{
		":7":                      "unix /tmp/.X11-unix/X7",
		"unix:7.1":                "unix /tmp/.X11-unix/X7",
		"/tmp/launch-1/org.x:0":   "unix /tmp/launch-1/org.x:0",
		"localhost:10.0":          "tcp localhost:6010",
		"tcp/host.example:1":      "tcp host.example:6001",
		"[2001:db8::7]:3":         "tcp [2001:db8::7]:6003",
		"2001:db8::7:3":           "tcp [2001:db8::7]:6003",
		"wayland-0":               "",
		"":                        "",
		"7":                       "",
		"host.example:":           "",
		"host.example:4294967296": "",
	} {
		p, err := parseAddress(name)
		got := p.network + " " + p.address
		if err != nil {
			got = ""
		}
		if got != want {
			t.Errorf("%q is %q (%v), want %q", name, got, err, want)
		}
	}
}

// A server that was killed leaves its socket behind.
func TestADisplayThatIsGoneIsNotOffered(t *testing.T) {
	const gone = ":59871"
	socket := socketFolder + "X" + gone[1:]
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.Remove(socket) })
	if said := absent(address{name: gone}, errEnded).Error(); strings.Count(said, gone) != 1 {
		t.Error(said)
	}
}
