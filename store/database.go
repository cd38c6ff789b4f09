package store

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
)

// A database is the bbolt file of a locked folder. Panics and memory faults,
// which is how bbolt meets damaged pages, become errors.
type database struct {
	dir  string
	log  *slog.Logger
	lock *lock
	file *os.File // opened for bbolt, to close it where bbolt cannot

	mu     sync.Mutex // guards what follows
	db     *bolt.DB
	broken error // why nothing can be read or written any more
}

func (d *database) path() string { return filepath.Join(d.dir, databaseName) }

func boltOptions(maxSize int) *bolt.Options {
	return &bolt.Options{
		Timeout:      100 * time.Millisecond, // 0 would wait for ever
		FreelistType: bolt.FreelistMapType,
		NoStatistics: true,
		MaxSize:      maxSize,
	}
}

// openBolt opens the database and recovers from a panic in bbolt. It opens the
// file itself, because bbolt does not close it when it panics.
func (d *database) openBolt(maxSize int) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{Path: d.path(), Err: ErrDamaged, Found: fmt.Sprint(p)}
		}
	}()
	options := boltOptions(maxSize)
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
		d.file = f
		return f, err
	}
	d.db, err = bolt.Open(d.path(), 0o600, options)
	if err != nil {
		d.file = nil // bbolt closed it
	}
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) || errors.Is(err, berrors.ErrVersionMismatch) {
		return &Error{Path: d.path(), Err: ErrDamaged, Found: err.Error()}
	}
	return explain(d.path(), err)
}

// close closes the database and unlocks the folder. A second call does nothing.
func (d *database) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.db == nil {
		return nil
	}
	var closed *fileState // unknown
	if d.broken == nil && d.file != nil {
		m, _, err := readMeta(d.file)
		info, serr := d.file.Stat()
		if err == nil && serr == nil {
			closed = new(stateOf(m, info))
		}
	}
	err := d.letGo()
	d.db = nil
	d.broken = &Error{Path: d.path(), Err: ErrClosed}
	return cmp.Or(err, d.lock.release(closed))
}

// letGo closes the database. A broken one may hold bbolt's own locks for ever,
// so only its file is closed.
func (d *database) letGo() error {
	if d.db != nil && d.broken == nil {
		return d.db.Close()
	}
	if d.file == nil {
		return nil
	}
	err := errors.Join(unlock(d.file), d.file.Close())
	d.file = nil
	return err
}

// view reads in one transaction. What fn keeps must be copied.
func (d *database) view(fn func(*bolt.Tx) error) error {
	return d.guard(func(db *bolt.DB) error { return db.View(fn) }, false)
}

// update writes in one transaction, which is synced when update returns. If a
// commit fails for another reason than a full disk, it is unknown what reached
// the disk, so nothing more is written.
func (d *database) update(fn func(*bolt.Tx) error) error {
	committing := false
	err := d.guard(func(db *bolt.DB) error {
		return db.Update(func(tx *bolt.Tx) error {
			err := fn(tx)
			committing = err == nil
			return err
		})
	}, true)
	if err != nil && committing && !errors.Is(err, engine.ErrFull) {
		d.breakOff(err)
	}
	return err
}

// guard turns a panic or a memory fault in do into an error. After one in a
// write, bbolt may hold its locks for ever, so bbolt is not called again.
func (d *database) guard(do func(*bolt.DB) error, write bool) (err error) {
	d.mu.Lock()
	db, broken := d.db, d.broken
	d.mu.Unlock()
	if broken != nil {
		return broken
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{Path: d.path(), Err: ErrDamaged, Found: fmt.Sprint(p), Next: "stop this process, then check with: " + checkCommand}
			if write {
				d.breakOff(err)
			}
		}
	}()
	return explain(d.path(), do(db))
}

func (d *database) breakOff(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken = err
}
