package steps

import (
	"context"
	"image"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	"understudy/steps/desktop"
)

// Env is what a kind may use. The engine makes one for each attempt.
type Env struct {
	// Desktop is nil for kinds that do not touch one.
	Desktop *desktop.Desktop
	Log     *slog.Logger
	Run     RunInfo
	Folders
	Children
	Try
	// Inputs and Vars are the inputs and the env of the run.
	Inputs, Vars map[string]any
	// Trees remembers the trees whose refs a caller may name.
	Trees Refs

	// Passwords are the password fields that were seen so far, which are blanked
	// on pictures; nil: those that a picture shows as such.
	Passwords PasswordFields

	// Keep stores a picture and says where; nil when pictures are not kept.
	Keep func(ctx context.Context, p *image.RGBA) (uri string, err error)

	// Secret says whether a text holds a secret of the run; nil when it has none.
	Secret func(text string) bool

	// LastAct is when something was last done on the desktop.
	LastAct *LastAct

	acted atomic.Int32
	typed atomic.Int32 // a Typed
	// unaccounted is the desktop without account of what acts; nil before Run.
	unaccounted *desktop.Desktop
}

// Children is what the processes get that a step starts.
type Children struct {
	Environ []string
	// Sandbox says that commands write below Dir and the Roots only.
	Sandbox bool
	// DesktopEnv is what they need to reach the run's desktop, for kinds that have
	// no Desktop; nil or empty when none is open.
	DesktopEnv func(ctx context.Context) []string
}

// Try is what is particular to one try of a step, or to a call of its own.
type Try struct {
	// KeepFocus gives focus and caret back to the user after kinds that are not
	// meant to move them. It is for calls of their own: the steps of a workflow
	// build on the focus that the step before left.
	KeepFocus bool
	// Effects asks actions to say what happened after them. It is for calls of their
	// own, whose caller decides by that what to do next; a workflow has decided.
	Effects bool
	// Refusal is why the one who runs the step may not use the kind with a name;
	// nil: all kinds may be used.
	Refusal func(kind string) error
	// Expects says that the step has an expectation of its own, which decides
	// whether what it brought about is right.
	Expects bool
	// Held is what the field that the step types into held before its first try;
	// nil where a step is tried only once.
	Held *atomic.Pointer[string]
}

// Typed says into what the text of the arguments went.
type Typed int32

// Nowhere is what it is until its target has been seen.
const (
	TypedNowhere Typed = iota
	TypedOpenly
	TypedHidden // into a password field
)

// NoteTyped says whether the text of the arguments goes into a password field. What
// went into one once stays hidden.
func (e *Env) NoteTyped(password bool) {
	if password {
		e.typed.Store(int32(TypedHidden))
	} else {
		e.typed.CompareAndSwap(int32(TypedNowhere), int32(TypedOpenly))
	}
}

// Typed is what NoteTyped said.
func (e *Env) Typed() Typed { return Typed(e.typed.Load()) }

// MayUse is why the one who runs the step may not use another kind; nil: it may.
// A kind asks whose arguments can do what the other kind is for.
func (e *Env) MayUse(kind string) error {
	if e.Refusal == nil {
		return nil
	}
	return e.Refusal(kind)
}

// Folders are where a kind finds files.
type Folders struct {
	// Dir is where relative paths start: the caller's working directory.
	Dir string
	// Document is the folder of the workflow, beside which its pictures may lie.
	Document string
	// Roots are the folders in which files may be read and written.
	Roots []string
	// Private are out of bounds inside the roots too.
	Private []string
	// PictureRoots are folders in which pictures to look for may be read too.
	PictureRoots []string
	// Scripts is where script files are looked for first.
	Scripts string
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
	// Note remembers an element if it is a password field, and reports whether it is
	// or was one.
	Note(d *desktop.Desktop, e *desktop.Element) bool
}

// RunInfo says which step of which run is executed.
type RunInfo struct {
	ID      string
	Attempt int
}

// Logger is the log of the attempt, never nil.
func (e *Env) Logger() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// IsSecret reports whether a text holds a secret of the run.
func (e *Env) IsSecret(text string) bool { return e.Secret != nil && e.Secret(text) }

// Abs is a path of an argument, made absolute.
func (f *Folders) Abs(path Path) string {
	if filepath.IsAbs(string(path)) {
		return filepath.Clean(string(path))
	}
	return filepath.Join(f.Dir, string(path))
}
