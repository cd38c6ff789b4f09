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

// procTables are the files in which Linux lists the connections of this machine, each side
// with its user.
var procTables = []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"}

// TellsUsers reports whether the system reports the owner of a connection.
func TellsUsers() bool {
	_, err := os.Stat(procTables[0])
	return err == nil
}

// socketOf returns the client's side of a connection within this machine. It asks the kernel for that connection alone: reading all of them takes
// milliseconds, and other users could trigger that without end.
func socketOf(client, server netip.AddrPort) (socket, error) {
	s, err := queryKernel(client, server)
	if err == nil || errors.Is(err, errUnlisted) {
		return s, err
	}
	return readTables(client, server) // the kernel lacks sock_diag
}

func readTables(client, server netip.AddrPort) (socket, error) {
	for _, path := range procTables {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a system without IPv6
		}
		if err != nil {
			return socket{}, err
		}
		s, err := findSocket(f, client, server)
		_ = f.Close()
		if !errors.Is(err, errUnlisted) {
			return s, err
		}
	}
	return socket{}, errUnlisted
}

var errUnlisted = errors.New("no program of this machine has that side of the connection")

// connectedStates lists the states of a client's socket that belongs to a program and to
// which the server's side is connected: established, or closed for sending. A socket
// that only tries to connect may have the port of another that is gone.
var connectedStates = []uint8{tcpEstablished, tcpFinWait1, tcpFinWait2}

// The states of TCP, as Linux numbers them.
const (
	tcpEstablished = 1
	tcpFinWait1    = 4
	tcpFinWait2    = 5
	tcpCloseWait   = 8
)

// findSocket searches a table. An entry without an inode belongs to no program any more,
// and is listed as if it were root's.
func findSocket(table io.Reader, client, server netip.AddrPort) (s socket, err error) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		// sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid
		// timeout inode
		f := strings.Fields(lines.Text())
		if len(f) < 10 || f[9] == "0" || !matchesAddress(f[1], client) || !matchesAddress(f[2], server) {
			continue
		}
		if state, err := strconv.ParseUint(f[3], 16, 8); err != nil || !slices.Contains(connectedStates, uint8(state)) {
			continue
		}
		if s.uid, err = strconv.Atoi(f[7]); err != nil {
			return s, fmt.Errorf("the table of connections has %q in the place of a user", f[7])
		}
		inode, err := strconv.ParseUint(f[9], 10, 32)
		s.inode = uint32(inode)
		return s, err
	}
	if err := lines.Err(); err != nil {
		return s, err
	}
	return s, errUnlisted
}

// matchesAddress reports whether a field of a table is an address: its bytes in the order
// of this machine, four at a time, and the port.
func matchesAddress(word string, want netip.AddrPort) bool {
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
