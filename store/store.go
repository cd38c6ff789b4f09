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

	"understudy/engine"
)

var (
	_ engine.Store = (*Store)(nil)
	_ engine.Files = (*Store)(nil)
)

// Options say how to open a store. The zero value is good.
type Options struct {
	// Workflows is the folder of the saved workflows, of which Prune removes the
	// pictures of recordings that nothing names; without it they stay.
	Workflows string
	// Wait is how long to wait for another process to close the store; 0 is one
	// second.
	Wait time.Duration
	// Command is what another process is told when it finds the store locked;
	// empty is the command line of this process, without its arguments.
	Command string
	// Lazy is how long a lazy batch may wait for company; 0 is half a second.
	Lazy time.Duration
	// Log hears of what no caller can be told; nil is silence.
	Log *slog.Logger

	maxSize int // of the database, for tests of a full disk
}

func (o Options) withDefaults() Options {
	o.Wait = cmp.Or(o.Wait, time.Second)
	o.Command = cmp.Or(o.Command, commandLine())
	o.Lazy = cmp.Or(o.Lazy, 500*time.Millisecond)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Store is the runs of one data folder. Its methods may be called from many
// goroutines.
type Store struct {
	dir string
	// workflows is the folder of the saved workflows; "": none.
	workflows string

	log   *slog.Logger
	lock  *lock
	id    identity
	db    *bolt.DB
	file  *os.File // what bbolt has open, to let go of it when bbolt cannot
	files sync.Mutex

	flusher flusher

	writing sync.Mutex      // held from taking a queue to the end of its commit
	putHere map[string]bool // documents that a run may be about to name

	lazy waiting // its batches come and go with writing held

	mu    sync.Mutex // guards what follows
	queue []*request // wait for the next commit
	// broken is why nothing can be read or written any more.
	broken error
}

// Open opens the store in a folder, and makes it when the folder has none. It
// fails with an Error when the folder cannot be used as it is.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explain(dir, err)
	}
	l, err := lockFolder(dir, o.Wait, o.Command)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, workflows: o.Workflows, log: o.Log, lock: l, putHere: map[string]bool{}}
	if err := s.open(o); err != nil {
		_ = s.letGo()
		_ = l.release(l.last.Closed)
		return nil, err
	}
	s.flusher.start(o.Lazy, s.flush)
	return s, nil
}

func (s *Store) open(o Options) error {
	if err := makeFolders(s.dir); err != nil {
		return err
	}
	id, err := readIdentity(s.dir)
	if err != nil {
		return err
	}
	if err := s.findDatabase(id); err != nil {
		return err
	}
	if err := s.openDatabase(id, o); err != nil {
		return err
	}
	return s.settle(id)
}

// Close writes what is still in memory and gives the folder back.
func (s *Store) Close() error {
	s.flusher.stop()
	err := s.flush()
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == nil {
		return nil
	}
	closed := s.closedState()
	if s.broken != nil {
		closed = nil
	}
	if cerr := s.letGo(); err == nil {
		err = cerr
	}
	s.db = nil
	s.broken = &Error{Path: s.path(), Err: ErrClosed}
	if rerr := s.lock.release(closed); err == nil {
		err = rerr
	}
	return err
}

// letGo closes the database. One that broke may hold bbolt's own locks for
// ever, so only its file is closed.
func (s *Store) letGo() error {
	if s.db != nil && s.broken == nil {
		return s.db.Close()
	}
	if s.file == nil {
		return nil
	}
	err := errors.Join(unlock(s.file), s.file.Close())
	s.file = nil
	return err
}

// closedState is how the database is left, or nil when that is not known.
func (s *Store) closedState() *state {
	if s.file == nil {
		return nil
	}
	m, _, err := readMeta(s.file)
	if err != nil {
		return nil
	}
	info, err := s.file.Stat()
	if err != nil {
		return nil
	}
	return &state{Tx: m.txn, Size: info.Size(), Modified: info.ModTime().UTC()}
}

func (s *Store) path() string { return filepath.Join(s.dir, databaseName) }

// view reads in one transaction. What fn keeps must be copied.
func (s *Store) view(fn func(*bolt.Tx) error) error {
	return s.guard(func(db *bolt.DB) error { return db.View(fn) }, false)
}

// update writes in one transaction, synced when it returns. After a commit
// that failed for another reason than a full disk nobody knows what reached
// the disk, so nothing more is written over it.
func (s *Store) update(fn func(*bolt.Tx) error) error {
	committing := false
	err := s.guard(func(db *bolt.DB) error {
		return db.Update(func(tx *bolt.Tx) error {
			err := fn(tx)
			committing = err == nil
			return err
		})
	}, true)
	if err != nil && committing && !errors.Is(err, engine.ErrFull) {
		s.breakOff(err)
	}
	return err
}

// guard makes an error of a panic and of a memory fault, which is how bbolt
// meets a page that is not what it was. After one in a write bbolt's locks may
// be held for ever, so nothing is asked of it again.
func (s *Store) guard(do func(*bolt.DB) error, write bool) (err error) {
	s.mu.Lock()
	db, broken := s.db, s.broken
	s.mu.Unlock()
	if broken != nil {
		return broken
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{Path: s.path(), Err: ErrDamaged, Found: fmt.Sprint(p), Next: "stop this process, and look with: " + checkCommand}
			if write {
				s.breakOff(err)
			}
		}
	}()
	return explain(s.path(), do(db))
}

func (s *Store) breakOff(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
}
