package owner

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"understudy/steps"
)

// version is that of the protocol. Processes of different versions refuse each
// other: a run must not be half understood.
const version = 2

// What a message may measure. The owner is asked by many and trusts none of
// them with its memory; those who ask it trust it with theirs, for a report of
// a long run is large.
const (
	requestLimit = 16 << 20
	answerLimit  = 256 << 20
)

// What the owner and its guests wait for at most.
const (
	helloTime = 5 * time.Second
	writeTime = 30 * time.Second
)

// A message is one call, its cancellation, or its answer; which stands in
// Method, and the answer has the call's ID.
type message struct {
	ID     uint64          `json:"id"`
	Method string          `json:"method,omitempty"`
	With   json.RawMessage `json:"with,omitempty"`
	Error  *failure        `json:"error,omitempty"`
	Moved  bool            `json:"moved,omitempty"` // nothing was begun: the owner is leaving
}

// The methods that are not of engine.Runs.
const (
	helloMethod  = "hello"
	cancelMethod = "cancel"
	policyMethod = "policy"
)

// errTooLarge says that a message is over its limit.
var errTooLarge = errors.New("the message is too large")

// A pipe sends and receives messages: the length in four bytes, then JSON.
type pipe struct {
	conn net.Conn
	mu   sync.Mutex // one message is written at a time
}

func (p *pipe) send(m message, limit int) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(raw) > limit {
		return fmt.Errorf("%w: %d bytes of at most %d", errTooLarge, len(raw), limit)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...)
	_ = p.conn.SetWriteDeadline(time.Now().Add(writeTime))
	if _, err := p.conn.Write(framed); err != nil {
		_ = p.conn.Close() // half a message may be out, so nothing can follow it
		return err
	}
	return nil
}

func (p *pipe) receive(limit int) (message, error) { return receive(p.conn, limit) }

// receive reads one message. It makes no room for more than what arrives.
func receive(r io.Reader, limit int) (m message, err error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return m, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > int64(limit) {
		return m, fmt.Errorf("%w: %d bytes of at most %d", errTooLarge, n, limit)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, n); err != nil {
		return m, err
	}
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		return m, malformed("received", err)
	}
	return m, nil
}

// tooLarge is the error of a call whose request or answer does not fit.
func tooLarge(name string, err error) error {
	return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s: %w", name, err), Next: "ask for less at once, or put large values into files"}
}
