package store

import (
	"cmp"
	"log/slog"
	"os"
	"time"

	"understudy/engine"
)

var (
	_ engine.Store = (*Store)(nil)
	_ engine.Files = (*Store)(nil)
)

// Options says how to open a store. The zero value is ready to use.
type Options struct {
	// Workflows is the folder of the saved workflows. Prune removes the pictures
	// of recordings in it that nothing names; if it is empty, they stay.
	Workflows string
	// Wait is how long to wait for another process to close the store; 0 means
	// one second.
	Wait time.Duration
	// Command names this process to others that find the store locked; empty
	// means its command line without the arguments.
	Command string
	// Lazy is how long a lazy batch may wait for a commit; 0 means half a second.
	Lazy time.Duration
	// Log receives what cannot be returned to a caller; nil discards it.
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

// Store keeps the runs of one data folder. Its methods may be called from many
// goroutines.
type Store struct {
	writer
	workflows string // the folder of the saved workflows, or empty
	id        identity
}

// Open opens the store in a folder, and creates it if the folder has none. It
// returns an Error if the folder cannot be used as it is.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explain(dir, err)
	}
	l, err := lockFolder(dir, o.Wait, o.Command)
	if err != nil {
		return nil, err
	}
	s := &Store{workflows: o.Workflows, writer: writer{
		database: database{dir: dir, log: o.Log, lock: l}, files: files{dir: dir}, putHere: map[string]bool{}, lazyTime: o.Lazy,
	}}
	if err := s.open(o); err != nil {
		_ = s.letGo()
		_ = l.release(l.last.Closed)
		return nil, err
	}
	return s, nil
}

func (s *Store) open(o Options) error {
	if err := makeFolders(s.dir); err != nil {
		return err
	}
	id, err := readIdentity(s.dir)
	if err == nil {
		err = s.findDatabase(id)
	}
	if err == nil {
		err = s.openDatabase(id, o)
	}
	if err != nil {
		return err
	}
	return s.settle(id)
}

// Close writes what is still in memory, closes the database and unlocks the
// folder.
func (s *Store) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.flushNow()
	s.lazy.take() // what could not be written is not tried again
	return cmp.Or(err, s.database.close())
}
