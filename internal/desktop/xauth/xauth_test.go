package xauth

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net"
	"os"
	"slices"
	"testing"
)

func entry(family uint16, address, number, name string, cookie []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, family)
	for _, f := range []string{address, number, name, string(cookie)} {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(f))), f...)
	}
	return b
}

func TestFind(t *testing.T) {
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	good, other := bytes.Repeat([]byte{1}, 16), bytes.Repeat([]byte{2}, 16)
	for _, row := range []struct {
		sentence, display string
		file              []byte
		found             bool
	}{
		{"that of this machine and number", ":3", slices.Concat(entry(familyLocal, here, "2", cookieName, other), entry(familyLocal, here, "3", cookieName, good)), true},
		{"with the number of a screen", ":3.1", entry(familyLocal, here, "3", cookieName, good), true},
		{"one that is good for all", "elsewhere.invalid:3", Entry("", good), true},
		{"not that of another machine", ":3", entry(familyLocal, "elsewhere.invalid", "3", cookieName, good), false},
		{"that of the other machine by its name", "elsewhere.invalid:3", entry(familyLocal, "elsewhere.invalid", "3", cookieName, good), true},
		{"that of the other machine by its address", "192.0.2.7:3.0", entry(familyIPv4, string(net.IPv4(192, 0, 2, 7).To4()), "3", cookieName, good), true},
		{"that of an address of IPv6", "[2001:db8::7]:3", entry(familyIPv6, string(net.ParseIP("2001:db8::7")), "3", cookieName, good), true},
		{"that of a forwarded display", "localhost:10.0", entry(familyLocal, here, "10", cookieName, good), true},
		{"not one of another sort", ":3", entry(familyAny, "", "3", "XDM-AUTHORIZATION-1", good), false},
		{"not one of a family that we do not know", ":3", entry(254, here, "3", cookieName, good), false},
		{"none in a file that is cut short", ":3", entry(familyAny, "", "3", cookieName, good)[:20], false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			want := ""
			if row.found {
				want = hex.EncodeToString(good)
			}
			if got := Find(row.file, row.display); got != want {
				t.Errorf("found %q, wanted %q", got, want)
			}
		})
	}
}
