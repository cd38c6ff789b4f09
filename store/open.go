package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// findDatabase makes sure that there is a database to open: it makes one in a
// folder that never had one, and in no other.
func (s *Store) findDatabase(id *identity) error {
	info, err := os.Stat(s.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && id == nil:
		return s.create()
	case errors.Is(err, fs.ErrNotExist):
		return &Error{
			Path: s.path(), Err: ErrMissing, Found: identityName + " says that there was one",
			Next: id.restoreHint() + ", or delete " + identityName + " to begin without its runs",
		}
	case err != nil:
		return explain(s.path(), err)
	case info.Size() == 0:
		return &Error{
			Path: s.path(), Err: ErrEmpty, Found: "0 bytes",
			Next: id.restoreHint() + ", or delete it and " + identityName + " to begin without runs",
		}
	}
	return nil
}

// create makes a whole database under another name first, so that one which
// has the right name is never half made.
func (s *Store) create() error {
	path := filepath.Join(s.dir, partialName, databaseName)
	db, err := bolt.Open(path, 0o600, boltOptions(0))
	if err != nil {
		return explain(path, err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return makeSchema(tx, newIdentity().Store) })
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = renameDurably(path, s.path())
	}
	return explain(s.path(), err)
}

func boltOptions(maxSize int) *bolt.Options {
	return &bolt.Options{
		Timeout:      100 * time.Millisecond, // 0 would wait for ever
		FreelistType: bolt.FreelistMapType,
		NoStatistics: true,
		MaxSize:      maxSize,
	}
}

// openDatabase checks the file and has bbolt open it. A file that is damaged
// is put aside under another name: what it holds may still be wanted.
func (s *Store) openDatabase(id *identity, o Options) error {
	err := s.examine()
	if err == nil {
		err = s.openBolt(o)
	}
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	e.Next = id.restoreHint()
	aside := s.path() + ".damaged-" + time.Now().UTC().Format("20060102T150405Z")
	_ = s.letGo()
	if rerr := renameDurably(s.path(), aside); rerr != nil {
		e.Found += "; it could not be put aside: " + rerr.Error()
		return e
	}
	e.Found += "; it is put aside as " + aside
	if id == nil { // without an identity the next start would begin anew in silence
		if werr := newIdentity().write(s.dir); werr != nil {
			return errors.Join(e, werr)
		}
	}
	return e
}

// examine reads the file as far as is needed to know that bbolt may map it:
// all of it, unless nobody touched it since it was closed.
func (s *Store) examine() error {
	f, err := os.OpenFile(s.path(), os.O_RDWR, 0)
	if err != nil {
		return explain(s.path(), err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return explain(s.path(), err)
	}
	m, whole, err := readMeta(f)
	if errors.Is(err, errNoMeta) {
		return &Error{Path: s.path(), Err: ErrNotDatabase, Found: err.Error(), Next: "move it away; then " + (*identity)(nil).restoreHint()}
	}
	if err != nil {
		return &Error{Path: s.path(), Err: ErrDamaged, Found: err.Error()}
	}
	closed := s.lock.last.Closed
	if closed != nil && m.txn < closed.Tx {
		return s.older(m.txn, closed, whole)
	}
	if whole == 1 {
		s.log.Warn("one of the two first pages of the database is not whole; its last commit may be missing", "path", s.path())
	}
	untouched := closed != nil && closed.Tx == m.txn && closed.Size == info.Size() && closed.Modified.Equal(info.ModTime())
	if _, err := checkPages(f, info.Size(), m, !untouched); err != nil {
		return &Error{Path: s.path(), Err: ErrDamaged, Found: err.Error()}
	}
	return nil
}

// older refuses a database that lacks commits which it had when it was closed.
func (s *Store) older(txn uint64, closed *state, whole int) error {
	found := fmt.Sprintf("its last commit is %d and was %d", txn, closed.Tx)
	if whole == 1 {
		return &Error{Path: s.path(), Err: ErrDamaged, Found: found + ", and one of its two first pages is not whole"}
	}
	return &Error{
		Path: s.path(), Err: ErrOlder, Found: found,
		Next: "if you mean to use it, delete " + filepath.Join(s.dir, lockName) + "; what was stored later is not in it",
	}
}

// openBolt opens the database and survives a panic in that. The file is opened
// here, because bbolt forgets to let go of it when it panics.
func (s *Store) openBolt(o Options) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &Error{Path: s.path(), Err: ErrDamaged, Found: fmt.Sprint(p)}
		}
	}()
	options := boltOptions(o.maxSize)
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
		s.file = f
		return f, err
	}
	s.db, err = bolt.Open(s.path(), 0o600, options)
	if err != nil {
		s.file = nil // bbolt closed it
	}
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) || errors.Is(err, berrors.ErrVersionMismatch) {
		return &Error{Path: s.path(), Err: ErrDamaged, Found: err.Error()}
	}
	return explain(s.path(), err)
}

// settle makes sure that the open database is the one of this folder, and of
// this version.
func (s *Store) settle(id *identity) error {
	name, version, err := s.readSchema()
	if err != nil {
		return err
	}
	switch {
	case name == "":
		return &Error{Path: s.path(), Err: ErrNotDatabase, Found: "it is a database of another program", Next: "move it away; then " + id.restoreHint()}
	case version > schemaVersion:
		return &Error{
			Path: s.path(), Err: ErrNewer, Found: fmt.Sprintf("it is of version %d, this program knows %d", version, schemaVersion),
			Next: "use the newer understudy",
		}
	case id != nil && id.Store != name:
		return &Error{
			Path: s.path(), Err: ErrOther, Found: fmt.Sprintf("it is %s, %s names %s", name, identityName, id.Store),
			Next: "put the right one back, or delete " + identityName + " to use this one",
		}
	}
	if id == nil {
		id = &identity{Store: name}
		if err := id.write(s.dir); err != nil {
			return err
		}
	}
	s.id = *id
	if version < schemaVersion {
		return s.migrate(version)
	}
	return nil
}
