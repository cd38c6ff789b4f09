package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	berrors "go.etcd.io/bbolt/errors"

	"understudy/engine"
)

// What can be wrong with a data folder. An Error wraps each of them, names the
// file and says what to do.
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

// Error describes a problem with a file of the store.
type Error struct {
	Path  string
	Err   error
	Found string // what is in its place; may be empty
	Next  string // what to do about it; may be empty
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

// The commands that errors name.
const (
	checkCommand   = "understudy runs check"   // looks for damage
	restoreCommand = "understudy runs restore" // replaces a database by its backup
)

// explain wraps the errors of the system and of bbolt that the engine or a user
// can do something about.
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
		return &Error{Path: path, Err: ErrReadOnly, Found: err.Error(), Next: "give this user write permission, or choose another folder with --home"}
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return &Error{Path: path, Err: ErrClosed}
	case errors.Is(err, berrors.ErrTimeout):
		return &Error{Path: path, Err: ErrLocked, Next: "stop the process that has it"}
	}
	return err
}

// damagedRun returns the error for a record that is not as it was written.
func damagedRun(path, run, format string, args ...any) error {
	return &Error{
		Path: path, Err: ErrDamaged,
		Found: "run " + run + ": " + fmt.Sprintf(format, args...),
		Next:  "see what else is damaged with: " + checkCommand,
	}
}
