package auth

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// tables are where Linux lists the connections of this machine, each side with
// its user.
var tables = []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"}

// TellsUsers says whether the system tells whose a connection is.
func TellsUsers() bool {
	_, err := os.Stat(tables[0])
	return err == nil
}

// userOf is the user of the program at the client's side of a connection within
// this machine.
func userOf(client, server netip.AddrPort) (uid int, err error) {
	for _, path := range tables {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a system without IPv6
		}
		if err != nil {
			return 0, err
		}
		uid, err := userIn(f, client, server)
		_ = f.Close()
		if !errors.Is(err, errUnlisted) {
			return uid, err
		}
	}
	return 0, errUnlisted
}

var errUnlisted = errors.New("no program of this machine has that side of the connection")

// userIn looks through a table. What has no inode belongs to no program any
// more, and stands there as if it were root's.
func userIn(table io.Reader, client, server netip.AddrPort) (uid int, err error) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode
		f := strings.Fields(lines.Text())
		if len(f) < 10 || f[9] == "0" || !isAt(f[1], client) || !isAt(f[2], server) {
			continue
		}
		if uid, err = strconv.Atoi(f[7]); err != nil {
			return 0, fmt.Errorf("the table of connections has %q in the place of a user", f[7])
		}
		return uid, nil
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	return 0, errUnlisted
}

// isAt says whether a table's word stands for an address: its numbers as this
// machine keeps them in memory, four bytes at a time, and the port.
func isAt(word string, want netip.AddrPort) bool {
	number, port, _ := strings.Cut(word, ":")
	if p, err := strconv.ParseUint(port, 16, 16); err != nil || uint16(p) != want.Port() {
		return false
	}
	raw, err := hex.DecodeString(number)
	if err != nil || len(raw)%4 != 0 {
		return false
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	a, ok := netip.AddrFromSlice(raw)
	return ok && a.Unmap() == want.Addr().Unmap().WithZone("")
}
