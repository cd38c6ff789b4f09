package auth

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// TellsUsers reports whether the system reports the owner of a connection.
func TellsUsers() bool { return true }

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

// errGone is the error when a client has reset its connection.
var errGone = errors.New("connection closed before its owner could be determined")

// checkConnected returns nil if our side of a connection is connected: established, or
// only the client has ended its direction.
func checkConnected(c net.Conn) error {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS
		c = t.NetConn()
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return errUnknownUser
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return errGone // closed on our side
	}
	var info *unix.TCPInfo
	var failed error
	if err := raw.Control(func(fd uintptr) { info, failed = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); err != nil || failed != nil {
		return errGone
	}
	if info.State != tcpEstablished && info.State != tcpCloseWait {
		return errGone
	}
	return nil
}

// diagID identifies one connection to the kernel: struct inet_diag_sockid.
type diagID struct {
	From, To  [2]byte // the ports
	Src, Dst  [16]byte
	Interface uint32
	Cookie    [2]uint32
}

// diagRequest is struct inet_diag_req_v2.
type diagRequest struct {
	Family, Protocol, Ext, _ uint8
	States                   uint32
	ID                       diagID
}

// diagReply is struct inet_diag_msg.
type diagReply struct {
	Family, State, Timer, Retransmits uint8
	ID                                diagID
	Expires, Received, Sent           uint32
	UID, Inode                        uint32
}

// sockDiagByFamily is the type of the netlink message that requests one connection.
const sockDiagByFamily = 20

// socketOf returns the client's side of a connection within this machine. It asks the
// kernel over netlink for that connection alone: the tables in /proc list all of them,
// which takes milliseconds, and other users could trigger that without end.
func socketOf(client, server netip.AddrPort) (socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return socket{}, err
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, diagMessage(client, server), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return socket{}, err
	}
	reply := make([]byte, 8<<10)
	n, from, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return socket{}, err
	}
	if k, ok := from.(*unix.SockaddrNetlink); !ok || k.Pid != 0 {
		return socket{}, errors.New("unexpected netlink reply")
	}
	return readReply(reply[:n], client, server)
}

func diagMessage(client, server netip.AddrPort) []byte {
	req := diagRequest{Family: unix.AF_INET6, Protocol: unix.IPPROTO_TCP, States: ^uint32(0)}
	if client.Addr().Unmap().Is4() {
		req.Family = unix.AF_INET
	}
	req.ID = idOf(client, server)
	head := unix.NlMsghdr{Type: sockDiagByFamily, Flags: unix.NLM_F_REQUEST, Len: uint32(unix.SizeofNlMsghdr + binary.Size(req))}
	b := &bytes.Buffer{}
	for _, part := range []any{head, req} {
		if err := binary.Write(b, binary.NativeEndian, part); err != nil {
			panic(err) // impossible: both have a fixed size
		}
	}
	return b.Bytes()
}

func idOf(client, server netip.AddrPort) diagID {
	id := diagID{Cookie: [2]uint32{^uint32(0), ^uint32(0)}} // any
	binary.BigEndian.PutUint16(id.From[:], client.Port())
	binary.BigEndian.PutUint16(id.To[:], server.Port())
	copy(id.Src[:], client.Addr().Unmap().AsSlice())
	copy(id.Dst[:], server.Addr().Unmap().AsSlice())
	return id
}

// readReply returns the socket in a reply, if the reply is about the connection in
// question: the kernel also reports a socket that listens at the address.
func readReply(reply []byte, client, server netip.AddrPort) (socket, error) {
	messages, err := syscall.ParseNetlinkMessage(reply)
	if err != nil || len(messages) == 0 {
		return socket{}, fmt.Errorf("the answer of the kernel cannot be read: %w", err)
	}
	m := messages[0]
	if m.Header.Type == unix.NLMSG_ERROR && len(m.Data) >= 4 {
		number := syscall.Errno(-int32(binary.NativeEndian.Uint32(m.Data)))
		if errors.Is(number, syscall.ENOENT) {
			return socket{}, errUnlisted
		}
		return socket{}, number
	}
	var r diagReply
	if _, err := binary.Decode(m.Data, binary.NativeEndian, &r); err != nil || m.Header.Type != sockDiagByFamily {
		return socket{}, fmt.Errorf("the answer of the kernel cannot be read: %w", err)
	}
	want := idOf(client, server)
	if r.Inode == 0 || !slices.Contains(connectedStates, r.State) || r.ID.From != want.From || r.ID.To != want.To {
		return socket{}, errUnlisted
	}
	return socket{int(r.UID), r.Inode}, nil
}
