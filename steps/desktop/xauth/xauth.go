// Package xauth reads and writes files of cookies, by which X servers know whom
// they may let in.
//
// It knows the one sort of cookie that every server takes, MIT-MAGIC-COOKIE-1.
package xauth

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net"
	"os"
	"slices"
	"strings"
)

// The families of addresses in a file.
const (
	familyIPv4  = 0
	familyIPv6  = 6
	familyLocal = 256
	familyAny   = 65535
)

const cookieName = "MIT-MAGIC-COOKIE-1"

// Entry is a file with one cookie, which is good for any host. An empty number is
// good for any display.
func Entry(number string, cookie []byte) []byte {
	var b bytes.Buffer
	field := func(s []byte) {
		_ = binary.Write(&b, binary.BigEndian, uint16(len(s)))
		b.Write(s)
	}
	_ = binary.Write(&b, binary.BigEndian, uint16(familyAny))
	field(nil)
	field([]byte(number))
	field([]byte(cookieName))
	field(cookie)
	return b.Bytes()
}

// Find finds the cookie of a display, such as ":0" or "host:1", in a file; "" means
// that there is none, and that the display may still let us in.
func Find(file []byte, display string) (cookie string) {
	number := display[strings.LastIndexByte(display, ':')+1:]
	number, _, _ = strings.Cut(number, ".")
	hosts := hostsOf(display)
	for b := file; len(b) > 2; {
		family := binary.BigEndian.Uint16(b)
		var fields [4]string
		b = b[2:]
		for i := range fields {
			fields[i], b = field(b)
		}
		address, num, name, data := fields[0], fields[1], fields[2], fields[3]
		if family == familyIPv4 || family == familyIPv6 {
			address = net.IP(address).String()
		} else if family != familyLocal && family != familyAny {
			continue
		}
		if (family == familyAny || slices.Contains(hosts, address)) && (num == "" || num == number) && name == cookieName && len(data) == 16 {
			return hex.EncodeToString([]byte(data))
		}
	}
	return ""
}

// field takes a field from the beginning of a file, led by its length.
func field(b []byte) (text string, rest []byte) {
	if len(b) < 2 {
		return "", nil
	}
	n := 2 + int(binary.BigEndian.Uint16(b))
	if len(b) < n {
		return "", nil
	}
	return string(b[2:n]), b[n:]
}

// hostsOf are the names and addresses under which the cookie of a display may be
// kept.
func hostsOf(display string) []string {
	host, _, _ := strings.Cut(display, ":")
	host = strings.TrimPrefix(host, "tcp/")
	ours, _ := os.Hostname()
	if host == "" || host == "unix" || host[0] == '/' {
		return []string{ours}
	}
	addresses, _ := net.LookupHost(host)
	if host == "localhost" || slices.ContainsFunc(addresses, func(a string) bool { return net.ParseIP(a).IsLoopback() }) {
		addresses = append(addresses, ours)
	}
	return append(addresses, host)
}
