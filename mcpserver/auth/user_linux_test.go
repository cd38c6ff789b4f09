package auth

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"testing"
)

const heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

func TestUserIn(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the samples are of a machine with the other order of bytes")
	}
	const (
		v4    = "   3: 0100007F:A3AE 0100007F:223D 01 00000000:00000000 00:00000000 00000000  1001        0 3501709 4 00000000788ab2b0 22 4 13 18 -1\n"
		ours  = "   4: 0100007F:223D 0100007F:A3AE 01 00000000:00000000 00:00000000 00000000  1000        0 3501708 4 00000000788ab2b0 22 4 13 18 -1\n"
		gone  = "   5: 0100007F:A3AE 0100007F:223D 05 00000000:00000000 00:00000000 00000000     0        0 0 4 00000000788ab2b0 22 4 13 18 -1\n"
		late  = "   6: 0100007F:A3AE 0100007F:223D 06 00000000:00000000 03:00000311 00000000     0        0 0 3 0000000030102fe2\n"
		v6    = "   7: 00000000000000000000000001000000:A3AE 00000000000000000000000001000000:223D 01 00000000:00000000 00:00000000 00000000  1002        0 77 1 0\n"
		mixed = "   8: 0000000000000000FFFF00000100007F:A3AE 0000000000000000FFFF00000100007F:223D 01 00000000:00000000 00:00000000 00000000  1003        0 78 1 0\n"
	)
	for _, c := range []struct {
		say, table, client, server string
		uid                        int
		err                        bool
	}{
		{"the client's side, and not ours", ours + v4, "127.0.0.1:41902", "127.0.0.1:8765", 1001, false},
		{"one that only tries to connect", strings.Replace(v4, " 01 ", " 02 ", 1), "127.0.0.1:41902", "127.0.0.1:8765", 0, true},
		{"one that is closed for sending", strings.Replace(v4, " 01 ", " 05 ", 1), "127.0.0.1:41902", "127.0.0.1:8765", 1001, false},
		{"another port", v4, "127.0.0.1:41903", "127.0.0.1:8765", 0, true},
		{"another number", v4, "127.0.0.2:41902", "127.0.0.1:8765", 0, true},
		{"a connection that its program closed", gone, "127.0.0.1:41902", "127.0.0.1:8765", 0, true},
		{"one that is over", late, "127.0.0.1:41902", "127.0.0.1:8765", 0, true},
		{"a new one in the place of one that is over", late + v4, "127.0.0.1:41902", "127.0.0.1:8765", 1001, false},
		{"IPv6", v6, "[::1]:41902", "[::1]:8765", 1002, false},
		{"IPv4 by a socket for IPv6", mixed, "127.0.0.1:41902", "127.0.0.1:8765", 1003, false},
		{"a user that is no number", strings.Replace(v4, "1001", "root", 1), "127.0.0.1:41902", "127.0.0.1:8765", 0, true},
		{"nonsense", "a b c\n\n: : : : : : : : : :\nx:y zz:zz 1 2 3 4 5 6 7 8 9\n", "127.0.0.1:41902", "127.0.0.1:8765", 0, true},
	} {
		s, err := findSocket(strings.NewReader(heading+c.table), netip.MustParseAddrPort(c.client), netip.MustParseAddrPort(c.server))
		if s.uid != c.uid || (err != nil) != c.err {
			t.Errorf("%s: %d, %v", c.say, s.uid, err)
		}
	}
	if _, err := findSocket(strings.NewReader(""), netip.AddrPort{}, netip.AddrPort{}); !errors.Is(err, errUnlisted) {
		t.Errorf("an empty table: %v", err)
	}
}
