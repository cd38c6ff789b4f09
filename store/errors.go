package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
)

// What can be wrong with a data folder. Each comes inside an Error, which
// names the file and says what to do.
const (
	ErrLocked                   = engine.ErrLocked
	ErrNotDatabase engine.Error = "not a database of runs"
	ErrEmpty       engine.Error = "the database has no content"
	ErrMissing     engine.Error = "the database is missing"
	ErrOther       engine.Error = "the database belongs to another store"
	ErrOlder       engine.Error = "the database is older than when it was closed"
	ErrNewer       engine.Error = "the database was written by a newer version"
	ErrReadOnly    engine.Error = "the folder cannot be written"
	ErrDamaged     engine.Error = "the database is damaged"
	ErrClosed      engine.Error = "the store is closed"
)

// Error is what is wrong with a file of the store: what was wanted is in Err,
// what was found in Found, what to do about it in Next.
type Error struct {
	Path  string
	Err   error
	Found string
	Next  string
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %v", e.Path, e.Err)
	if e.Found != "" {
		text += ": " + e.Found
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

// checkCommand is what looks for damage, and restoreCommand what replaces a
// database by its backup.
const (
	checkCommand   = "understudy runs check"
	restoreCommand = "understudy runs restore"
)

// explain gives the errors of the system and of bbolt the names that the
// engine and the user know.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case isFull(err), errors.Is(err, berrors.ErrMaxSizeReached):
		return &Error{
			Path: path, Err: engine.ErrFull, Found: err.Error(),
			Next: "make room, for example with understudy runs prune, and resume the run",
		}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return &Error{Path: path, Err: ErrReadOnly, Found: err.Error(), Next: "give this user the right to write there, or choose another folder with --home"}
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return &Error{Path: path, Err: ErrClosed}
	case errors.Is(err, berrors.ErrTimeout):
		return &Error{Path: path, Err: ErrLocked, Next: "stop the process that has it"}
	}
	return err
}

// damagedRun is the error of a record that is not what was written.
func damagedRun(path, run, format string, args ...any) error {
	return &Error{
		Path: path, Err: ErrDamaged,
		Found: "run " + run + ": " + fmt.Sprintf(format, args...),
		Next:  "see what else is with: " + checkCommand,
	}
}
