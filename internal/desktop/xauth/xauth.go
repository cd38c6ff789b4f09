// Package xauth reads and writes Xauthority files: the cookies by which X servers
// authenticate clients.
//
// It knows only MIT-MAGIC-COOKIE-1, the kind of cookie that every server accepts.
package xauth

import (
	"encoding/binary"
	"encoding/hex"
	"net"
	"os"
	"slices"
	"strings"
)

// The families of addresses.
const (
	familyIPv4  = 0
	familyIPv6  = 6
	familyLocal = 256
	familyAny   = 65535
)

const cookieName = "MIT-MAGIC-COOKIE-1"

// Entry returns a file with one cookie, valid for any host, and for any display if the
// number is empty.
func Entry(number string, cookie []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, familyAny)
	for _, field := range []string{"", number, cookieName, string(cookie)} {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(field))), field...)
	}
	return b
}

// Find returns the cookie of a display such as ":0" or "host:1" from a file, or "" if there
// is none; the display may accept us all the same.
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

// field reads a field, which begins with its length.
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

// hostsOf returns the names and addresses under which a file may have the cookie of a
// display.
func hostsOf(display string) []string {
	host := display[:max(0, strings.LastIndexByte(display, ':'))]
	host = strings.Trim(strings.TrimPrefix(host, "tcp/"), "[]") // an address of IPv6 has brackets
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
