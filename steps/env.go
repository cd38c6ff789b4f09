package steps

import (
	"context"
	"errors"
	"image"
	"log/slog"
	"sync/atomic"

	"understudy/steps/desktop"
)

// Env is what a kind may use. The engine makes one for each attempt.
type Env struct {
	// Desktop is nil for kinds that do not touch one.
	Desktop *desktop.Desktop
	Log     *slog.Logger
	Run     RunInfo
	// Dir is where relative paths start: the caller's working directory.
	Dir string
	// Roots are the folders in which files may be read and written.
	Roots []string
	// PictureRoots are folders in which pictures to look for may be read too.
	PictureRoots []string
	// Scripts is where script files are looked for first.
	Scripts string
	// Environ is the environment of child processes.
	Environ []string
	// DesktopEnv is what child processes need to reach the run's desktop, for
	// kinds that have no Desktop; nil or empty when none is open.
	DesktopEnv func(ctx context.Context) []string
	// Inputs and Vars are the inputs and the env of the run.
	Inputs, Vars map[string]any
	// Trees remembers the trees whose refs a caller may name.
	Trees Refs

	// Passwords are the password fields that were seen so far, which are blanked
	// on pictures; nil: those that a picture shows as such.
	Passwords PasswordFields

	// KeepFocus gives focus and caret back to the user after kinds that are not
	// meant to move them. It is for calls of their own: the steps of a workflow
	// build on the focus that the step before left.
	KeepFocus bool
	// Keep stores a picture and says where; nil when pictures are not kept.
	Keep func(ctx context.Context, p *image.RGBA) (uri string, err error)

	// Stirred is when something was last done on the desktop.
	Stirred *Stirred

	acted atomic.Int32
	// seen remembers what the elements that are pictures look like.
	seen map[*desktop.Element]pictured
	// cameFrom is where the pointer was before it was moved to have a tooltip give
	// way; nil when it was not.
	cameFrom *desktop.Point
	// lasting are popups that do not give way to the pointer.
	lasting map[desktop.WindowID]bool
	// met remembers how elements can be reached.
	met map[*desktop.Element]encounter
	// behind is the desktop without account of what acts, for what only makes
	// ready for an act: a window is raised, an element is brought into view.
	behind *desktop.Desktop
}

// watch puts a watched desktop into the place of the plain one.
func (e *Env) watch() {
	if e.Desktop != nil && e.behind == nil {
		plain := e.Desktop
		e.behind, e.Desktop = Watch(plain, e.Stirred.Stir), Watch(plain, e.Act)
	}
}

// Refs are the names by which a caller may speak of elements that it was shown.
type Refs interface {
	// Keep remembers a tree, and gives its elements their refs.
	Keep(tree *desktop.Tree)
	// Name gives the elements of a tree that is not shown the refs that they have.
	Name(tree *desktop.Tree)
	// Element is the element that a ref names; nil when none has it.
	Element(ref string) *desktop.Element
}

// PasswordFields are the fields that are blanked on pictures.
type PasswordFields interface {
	// Where is where the fields must be that were seen the last time.
	Where(ctx context.Context, d *desktop.Desktop) []desktop.Rect
	// Find is where the fields are that show now.
	Find(ctx context.Context, d *desktop.Desktop) []desktop.Rect
	// Note remembers an element if it is a password field.
	Note(d *desktop.Desktop, e *desktop.Element)
}

// RunInfo says which step of which run is executed.
type RunInfo struct {
	ID       string
	Workflow string
	Step     string // the step's id, or its path
	Attempt  int
}

// Acted says whether the world outside was changed.
type Acted string

// No: nothing was done. Yes: it was done. Maybe: it was begun, and no one
// knows whether it came about.
const (
	ActedNo    Acted = "no"
	ActedMaybe Acted = "maybe"
	ActedYes   Acted = "yes"
)

const (
	actedNo int32 = iota
	actedYes
	actedMaybe // the largest: doubt about one act is doubt about the attempt
)

// Act does something that changes the world, and keeps account of it: from
// before the call until it returns well, the attempt may have acted. An error
// of a call leaves that doubt, unless it says that nothing was begun.
func (e *Env) Act(do func() error) error {
	before := e.acted.Swap(actedMaybe)
	err := e.Stirred.Stir(do)
	switch {
	case err == nil && before != actedMaybe:
		e.acted.Store(actedYes)
	case err != nil && notBegun(err):
		e.acted.Store(before)
	}
	return err
}

// Acted says whether this attempt has changed the world so far.
func (e *Env) Acted() Acted {
	switch e.acted.Load() {
	case actedYes:
		return ActedYes
	case actedMaybe:
		return ActedMaybe
	}
	return ActedNo
}

// notBegun says that an error came before anything could be done.
func notBegun(err error) bool {
	if _, missing := errors.AsType[*desktop.MissingError](err); missing {
		return true
	}
	switch CodeOf(err) {
	case Invalid, NotFound, Denied:
		return true
	}
	return errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrMoved)
}

// Logger is the log of the attempt, never nil.
func (e *Env) Logger() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}
