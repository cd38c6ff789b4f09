// Package devtools speaks the protocol of Chromium's developer tools over a pipe that only the
// process which started the browser holds.
//
// Its main idea is that clients come and go while the browser stays: a Broker holds the pipe
// and shares it among clients, whose calls it only renumbers; a Client calls methods over
// one connection to a broker. It knows no method by its meaning, except those that attach.
package devtools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// message is a call, an answer or an event. Each ends with a zero byte.
type message struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the answer of a browser that refuses a call.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

func (e *Error) Error() string {
	if e.Data != "" {
		return fmt.Sprintf("the browser refused the call: %s (%s)", e.Message, e.Data)
	}
	return "the browser refused the call: " + e.Message
}

// Refused returns the words of the browser.
func (e *Error) Refused() string { return e.Message }

// maxMessage bounds a message: a longer one would fill the memory.
const maxMessage = 256 << 20

// readMessages calls f for each message until reading fails. It returns nil at the end of the
// input. The first may be the rest of one whose beginning another reader has read.
func readMessages(from io.Reader, f func(message)) error {
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 64<<10), maxMessage)
	s.Split(splitAtZero)
	for first := true; s.Scan(); first = false {
		var m message
		if err := json.Unmarshal(s.Bytes(), &m); err != nil && first {
			continue
		} else if err != nil {
			return fmt.Errorf("message of the developer tools: %w", err)
		}
		f(m)
	}
	return s.Err()
}

func splitAtZero(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil // a message that was cut off
	}
	return 0, nil, nil
}

func (m message) bytes() ([]byte, error) {
	b, err := json.Marshal(m)
	return append(b, 0), err
}
