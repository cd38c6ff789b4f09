package service

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// mostLog is the size in bytes from which the log is begun anew. The one before it is kept.
const mostLog = 1 << 20

func logName(dir string) string { return filepath.Join(dir, "service.log") }

func openLog(dir string) (*os.File, error) {
	return os.OpenFile(logName(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// A Log writes to the log of the service of a folder, whose size it bounds.
type Log struct {
	Dir string

	limit int64 // 0: mostLog
	mu    sync.Mutex
	file  *os.File
	size  int64
}

// Write implements io.Writer.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.prepare(); err != nil {
		return 0, err
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// prepare opens the file, or another one if it is full. The mutex is held.
func (l *Log) prepare() (err error) {
	if l.file != nil && l.size >= cmp.Or(l.limit, mostLog) {
		name := logName(l.Dir)
		err = errors.Join(l.file.Close(), os.Rename(name, name+".old"))
		l.file = nil
	}
	if l.file != nil || err != nil {
		return err
	}
	if l.file, err = openLog(l.Dir); err != nil {
		return err
	}
	l.size, err = l.file.Seek(0, io.SeekEnd)
	return err
}

// CopyLog writes the log of a folder, the older part first.
func CopyLog(to io.Writer, dir string) error {
	for _, name := range []string{logName(dir) + ".old", logName(dir)} {
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = io.Copy(to, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
