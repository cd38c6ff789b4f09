package virtual

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"understudy/internal/desktop"
)

// question is a request to a keeper, one on each connection to its socket. The answer is one
// line. When a program was started, a second line says how it ended.
type question struct {
	Do string `json:"do"`
	// Birth is that of the desktop that is meant: one that was started since may have its name.
	// It is empty for describe, and from earlier releases.
	Birth   string        `json:"birth,omitempty"`
	Program Program       `json:"program,omitzero"`
	Why     string        `json:"why,omitempty"`
	Linger  time.Duration `json:"linger,omitempty"`
	For     Assignment    `json:"for,omitzero"`
	Browser int           `json:"browser,omitempty"` // a process ID
}

// The requests to a keeper.
const (
	doDescribe = "describe"
	doAttach   = "attach" // until the connection is closed
	doStart    = "start"
	doLinger   = "linger"
	doAssign   = "assign"
	doBrowsers = "browsers"
	doBrowse   = "browse" // after the answer, the connection is one to the browser
	doEnd      = "end"    // answered by closing the connection at the end
)

// reply is an answer of a keeper.
type reply struct {
	Error string `json:"error,omitempty"`
	Taken bool   `json:"taken,omitempty"` // the error is that the name is taken
	Kept  Kept   `json:"kept,omitzero"`
	PID   int    `json:"pid,omitempty"`
	// Browsers are those to which the keeper holds a pipe.
	Browsers []desktop.BrowserProcess `json:"browsers,omitempty"`
}

// answerTime bounds the wait for an answer of a keeper.
const answerTime = 5 * time.Second

// fileFollows is a blank before a question, which is sent together with a file.
var fileFollows = []byte(" ")

func dialControl(k Kept) (*net.UnixConn, error) {
	if k.Protocol > Protocol {
		return nil, &desktop.MissingError{
			What: fmt.Sprintf("a newer understudy keeps the desktop %s (it speaks version %d, this one up to %d)", k.Name, k.Protocol, Protocol),
			Mend: "use the newer one",
		}
	}
	return net.DialUnix("unix", nil, &net.UnixAddr{Net: "unix", Name: filepath.Join(k.Dir, controlName)})
}

// isNewer reports whether an error means that a keeper is of a newer release.
func isNewer(err error) bool {
	_, newer := errors.AsType[*desktop.MissingError](err)
	return newer
}

// readQuestion reads a question, and the file that was sent with it, or nil.
func readQuestion(conn *net.UnixConn) (q question, file *os.File, err error) {
	first, rights := make([]byte, 1), make([]byte, syscall.CmsgSpace(4))
	n, m, _, _, err := conn.ReadMsgUnix(first, rights)
	if err != nil {
		return q, nil, err
	}
	if messages, err := syscall.ParseSocketControlMessage(rights[:m]); err == nil && len(messages) == 1 {
		if fds, err := syscall.ParseUnixRights(&messages[0]); err == nil && len(fds) == 1 {
			syscall.CloseOnExec(fds[0])
			file = os.NewFile(uintptr(fds[0]), "stderr")
		}
	}
	err = json.NewDecoder(io.MultiReader(bytes.NewReader(first[:n]), conn)).Decode(&q)
	return q, file, err
}

// ask asks a keeper a question.
func ask(k Kept, q question) (reply, error) {
	conn, err := dialControl(k)
	if err != nil {
		return reply{}, err
	}
	defer conn.Close()
	return exchange(conn, bufio.NewReader(conn), q)
}

func exchange(conn net.Conn, r *bufio.Reader, q question) (reply, error) {
	if err := conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return reply{}, err
	}
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		return reply{}, err
	}
	a, err := readReply(r)
	if err != nil {
		return a, err
	}
	return a, conn.SetDeadline(time.Time{})
}

func readReply(r *bufio.Reader) (reply, error) {
	var a reply
	line, err := r.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("the keeper of the desktop is gone: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("answer of the keeper of the desktop: %w", err)
	}
	switch {
	case a.Taken:
		return a, fmt.Errorf("%s: %w", a.Error, fs.ErrExist)
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}
