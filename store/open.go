package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// damagedMark follows the path of a database in that of a damaged one, before the time.
const damagedMark = ".damaged-"

// findDatabase creates the database in a folder that never had one. In any
// other folder the database must be there.
func (d *database) findDatabase(id *identity) error {
	info, err := os.Stat(d.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && id == nil:
		return d.create()
	case errors.Is(err, fs.ErrNotExist):
		found := identityName + " says that there was one"
		if aside, _ := filepath.Glob(d.path() + damagedMark + "*"); len(aside) > 0 {
			found += "; it was damaged, and is put aside as " + aside[len(aside)-1]
		}
		return &Error{
			Path: d.path(), Err: ErrMissing, Found: found,
			Next: id.restoreHint() + ", or delete " + identityName + " to begin without its runs",
		}
	case err != nil:
		return explain(d.path(), err)
	case info.Size() == 0:
		return &Error{
			Path: d.path(), Err: ErrEmpty, Found: "0 bytes",
			Next: id.restoreHint() + ", or delete it and " + identityName + " to begin without runs",
		}
	}
	return nil
}

// create writes the whole database under another name first, so that the right
// name never belongs to a partial one.
func (d *database) create() error {
	path := filepath.Join(d.dir, partialName, databaseName)
	db, err := bolt.Open(path, 0o600, boltOptions(0))
	if err != nil {
		return explain(path, err)
	}
	err = db.Update(func(tx *bolt.Tx) error { return makeSchema(tx, newIdentity().Store) })
	if err = cmp.Or(err, db.Close()); err == nil {
		err = renameDurably(path, d.path())
	}
	return explain(d.path(), err)
}

// openDatabase checks the file and opens it with bbolt. A damaged file is
// renamed, not deleted: its content may still be wanted.
func (d *database) openDatabase(id *identity, o Options) error {
	half, err := checkFile(d.path(), d.lock.last.Closed)
	if half {
		d.log.Warn("one of the two first pages of the database is not whole; its last commit may be missing", "path", d.path())
	}
	if err == nil {
		err = d.openBolt(o.maxSize)
	}
	e, ok := errors.AsType[*Error](err)
	if errors.Is(err, ErrNotDatabase) {
		e.Next = "move it away; then " + (*identity)(nil).restoreHint()
	}
	if !ok || !errors.Is(err, ErrDamaged) {
		return err
	}
	e.Next = id.restoreHint()
	aside := d.path() + damagedMark + time.Now().UTC().Format("20060102T150405Z")
	_ = d.letGo()
	if id == nil { // without an identity the next start would silently begin anew
		if werr := newIdentity().write(d.dir); werr != nil {
			return errors.Join(e, werr)
		}
	}
	if rerr := renameDurably(d.path(), aside); rerr != nil {
		e.Found += "; it could not be put aside: " + rerr.Error()
		return e
	}
	e.Found += "; it is put aside as " + aside
	return e
}

// checkFile reads a database file as far as is needed before bbolt may map it:
// all of it, unless it is unchanged since it was closed. It reports whether one
// of the first two pages is damaged, and returns an error if the file is
// damaged, no database, or lacks commits that it had when it was closed.
func checkFile(path string, closed *fileState) (half bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, explain(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, explain(path, err)
	}
	m, whole, err := readMeta(f)
	now := stateOf(m, info)
	if errors.Is(err, errNoMeta) {
		return false, &Error{Path: path, Err: ErrNotDatabase, Found: err.Error()}
	}
	if err == nil && closed != nil && now.Tx < closed.Tx {
		err = fmt.Errorf("its last commit is %d and was %d", now.Tx, closed.Tx)
		if whole > 1 {
			return false, &Error{
				Path: path, Err: ErrOlder, Found: err.Error(),
				Next: "if you mean to use it, delete " + filepath.Join(filepath.Dir(path), lockName) + "; what was stored later is not in it",
			}
		}
		err = fmt.Errorf("%w, and one of its two first pages is not whole", err)
	}
	if err == nil {
		half = whole == 1
		untouched := closed != nil && closed.Tx == now.Tx && closed.Size == now.Size && closed.Modified.Equal(now.Modified)
		_, err = checkPages(f, now.Size, m, !untouched)
	}
	if err != nil {
		return half, &Error{Path: path, Err: ErrDamaged, Found: err.Error()}
	}
	return half, nil
}

// settle verifies that the open database belongs to this folder and has this
// version.
func (s *Store) settle(id *identity) error {
	name, version, err := s.readSchema()
	if err != nil {
		return err
	}
	switch {
	case name == "", version < schemaVersion:
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
	return nil
}
