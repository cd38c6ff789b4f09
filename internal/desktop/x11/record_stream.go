//go:build linux

package x11

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/record"
)

// stream is a bare connection to an X server, for the endless reply that a recording is.
type stream struct {
	net.Conn
	r *bufio.Reader
}

// openStream connects to a display.
func openStream(ctx context.Context, p address, authority string) (*stream, error) {
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, p.network, p.address)
	if err != nil {
		return nil, lost(p.name, err)
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	s := &stream{conn, bufio.NewReaderSize(conn, 1<<16)}
	if err := s.introduce(p.cookie(authority)); err != nil {
		conn.Close()
		return nil, lost(p.name, err)
	}
	return s, conn.SetDeadline(time.Time{})
}

// introduce performs the handshake of the X protocol.
func (s *stream) introduce(cookie string) error {
	name := ""
	data, _ := hex.DecodeString(cookie)
	if len(data) > 0 {
		name = "MIT-MAGIC-COOKIE-1"
	}
	hello := make([]byte, 12+xgb.Pad(len(name))+xgb.Pad(len(data)))
	hello[0] = 'l' // little-endian
	xgb.Put16(hello[2:], 11)
	xgb.Put16(hello[6:], uint16(len(name)))
	xgb.Put16(hello[8:], uint16(len(data)))
	copy(hello[12:], name)
	copy(hello[12+xgb.Pad(len(name)):], data)
	if _, err := s.Write(hello); err != nil {
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(s.r, head); err != nil {
		return err
	}
	rest := make([]byte, 4*int(xgb.Get16(head[6:])))
	if _, err := io.ReadFull(s.r, rest); err != nil {
		return err
	}
	if accepted := head[0] == 1; !accepted {
		return fmt.Errorf("it refused the connection: %s", rest[:min(int(head[1]), len(rest))])
	}
	return nil
}

// enable starts the recording and returns when the server has begun.
func (s *stream) enable(l *xConn, which record.Context) error {
	l.x.ExtLock.RLock()
	opcode := l.x.Extensions["RECORD"]
	l.x.ExtLock.RUnlock()
	request := make([]byte, 8)
	const enableContext = 5
	request[0], request[1] = opcode, enableContext
	xgb.Put16(request[2:], 2)
	xgb.Put32(request[4:], uint32(which))
	if _, err := s.Write(request); err != nil {
		return err
	}
	_ = s.SetReadDeadline(time.Now().Add(patience))
	defer s.SetReadDeadline(time.Time{}) //nolint:errcheck // it fails only on a closed connection, which reading reports
	for {
		p, err := s.next()
		if err != nil {
			return err
		}
		if !p.event && p.head[1] == startOfData {
			return nil
		}
	}
}
