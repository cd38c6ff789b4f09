package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"understudy/internal/fileio"
)

// A holder is the content of the lock file: the process that has the store open
// or had it last, and the state of the database when that process closed it.
type holder struct {
	PID     int        `json:"pid"`
	Command string     `json:"command"`
	Since   time.Time  `json:"since"`
	Closed  *fileState `json:"closed,omitempty"`
}

// A state distinguishes an untouched database from one that changed or was
// replaced by an older one.
type fileState struct {
	Tx       uint64    `json:"tx"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

func stateOf(m meta, info fs.FileInfo) fileState {
	return fileState{Tx: m.txn, Size: info.Size(), Modified: info.ModTime().UTC()}
}

// A lock is the right to the folder. It is on a file of its own, so that the
// database can be read, created and replaced under the lock.
type lock struct {
	file *os.File
	last holder // before this process
}

// lockFolder waits for the lock. If another process keeps it, the error says
// which.
func lockFolder(dir string, wait time.Duration, command string) (*lock, error) {
	path := filepath.Join(dir, lockName)
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	f, err := fileio.Lock(ctx, path)
	last := readHolder(path)
	if errors.Is(err, context.DeadlineExceeded) {
		e := &Error{Path: path, Err: ErrLocked, Next: "wait for it, stop it, or use another folder with --home"}
		if last.PID != 0 {
			e.Found = fmt.Sprintf("process %d (%s), since %s", last.PID, last.Command, last.Since.Local().Format(time.DateTime))
		}
		return nil, e
	}
	if err != nil {
		return nil, explain(path, err)
	}
	l := &lock{f, last}
	if err := l.write(holder{PID: os.Getpid(), Command: command, Since: time.Now().UTC()}); err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// readHolder reads the lock file. If that cannot be read, the holder is empty
// and the database counts as not closed.
func readHolder(path string) holder {
	var h holder
	if b, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(b, &h)
	}
	return h
}

// write replaces the content in place, because a new file would not be locked. The file
// is cut to its new length last: on a full disk it keeps its room.
func (l *lock) write(h holder) error {
	b, err := json.Marshal(h)
	if err == nil {
		_, err = l.file.WriteAt(append(b, '\n'), 0)
	}
	if err == nil {
		err = l.file.Truncate(int64(len(b)) + 1)
	}
	return explain(l.file.Name(), err)
}

// release unlocks the folder and notes the state of the closed database; nil
// means that the whole database must be checked before it is used again.
func (l *lock) release(closed *fileState) error {
	h := readHolder(l.file.Name())
	h.Closed = closed
	return cmp.Or(l.write(h), l.file.Close())
}

func commandLine() string {
	words := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	if len(words) > 2 {
		words = append(words[:2], "…") // later words may be inputs, which can be private
	}
	return strings.Join(words, " ")
}
