package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/internal/filelock"
)

// A holder is what the lock file says: who has the store open, or had it last
// and how the database was when it was closed.
type holder struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
	Closed  *state    `json:"closed,omitempty"`
}

// A state is what tells a database that nobody touched from one that changed
// or went back in time.
type state struct {
	Tx       uint64    `json:"tx"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// A lock is the right to the folder. It is on a file of its own, so that the
// database can be looked at, made and replaced under it.
type lock struct {
	file *os.File
	last holder // who had it before
}

// lockFolder waits for the lock, and says who has it when it does not come.
func lockFolder(dir string, wait time.Duration, command string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, explain(path, err)
	}
	for deadline := time.Now().Add(wait); ; time.Sleep(20 * time.Millisecond) {
		err = filelock.Try(f)
		if err == nil || !filelock.Held(err) || !time.Now().Before(deadline) {
			break
		}
	}
	l := &lock{file: f, last: readHolder(path)}
	switch {
	case err == nil:
		return l, l.write(holder{PID: os.Getpid(), Command: command, Since: time.Now().UTC()})
	case filelock.Held(err):
		err = lockedBy(path, l.last)
	default:
		err = explain(path, err)
	}
	_ = f.Close()
	return nil, err
}

func lockedBy(path string, h holder) error {
	e := &Error{Path: path, Err: ErrLocked, Next: "wait for it, stop it, or use another folder with --home"}
	if h.PID != 0 {
		e.Found = fmt.Sprintf("process %d (%s), since %s", h.PID, h.Command, h.Since.Local().Format(time.DateTime))
	}
	return e
}

// readHolder is what the lock file says. One that cannot be read says nothing:
// then the database counts as not closed.
func readHolder(path string) holder {
	var h holder
	if b, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(b, &h)
	}
	return h
}

// write replaces the content in place: a new file would not be the locked one.
func (l *lock) write(h holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return explain(l.file.Name(), err)
	}
	_, err = l.file.WriteAt(append(b, '\n'), 0)
	return explain(l.file.Name(), err)
}

// release gives the lock back, and says how the database was left; nil when it
// must be looked at before it is used again.
func (l *lock) release(closed *state) error {
	h := readHolder(l.file.Name())
	h.Closed = closed
	err := l.write(h)
	if cerr := l.file.Close(); err == nil {
		err = cerr
	}
	return err
}

func commandLine() string {
	words := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	if len(words) > 2 {
		words = append(words[:2], "…") // later words may be inputs, which can be private
	}
	return strings.Join(words, " ")
}
