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
	"slices"
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
// this machine. The kernel is asked for that one connection; to read all of them
// takes milliseconds, which other users could make it do without end.
func userOf(client, server netip.AddrPort) (uid int, err error) {
	uid, err = askKernel(client, server)
	if err == nil || errors.Is(err, errUnlisted) {
		return uid, err
	}
	return readTables(client, server) // a kernel without sock_diag
}

func readTables(client, server netip.AddrPort) (uid int, err error) {
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

// connected are the states of a client's side that belongs to a program and has
// a server's side that knows of it: established, or closed for sending. One that
// only tries to connect may have the number of another that is gone.
var connected = []uint8{tcpEstablished, tcpFinWait1, tcpFinWait2}

// The states of TCP, as Linux numbers them.
const (
	tcpEstablished = 1
	tcpFinWait1    = 4
	tcpFinWait2    = 5
	tcpCloseWait   = 8
)

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
		if state, err := strconv.ParseUint(f[3], 16, 8); err != nil || !slices.Contains(connected, uint8(state)) {
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
