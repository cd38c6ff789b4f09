package steps

import (
	"context"
	"fmt"
	"image"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	"understudy/internal/desktop"
)

// Env is the environment of a kind. The engine makes one for each attempt.
type Env struct {
	// Desktop is nil for kinds that do not use one.
	Desktop *desktop.Desktop
	Log     *slog.Logger
	Run     RunInfo
	Folders
	Children
	Try
	// Inputs and Vars are the inputs and the env of the run.
	Inputs, Vars map[string]any
	// Named holds every bare name that an expression of the step could use and that has
	// a value, for kinds that run code.
	Named map[string]any
	// Call lets a script use another kind with the rights of the run; nil: it may not.
	Call func(ctx context.Context, kind string, args map[string]any) Outcome
	// Trees keeps the trees whose refs a caller may use.
	Trees Refs

	// Passwords are the password fields seen so far, which are blanked on pictures; nil:
	// only those that show in the picture.
	Passwords PasswordFields

	// Keep stores a picture and returns its URI; nil when pictures are not kept.
	Keep func(ctx context.Context, p *image.RGBA) (uri string, err error)

	// Secret reports whether a text holds a secret of the run; nil when it has none.
	Secret func(text string) bool

	// LastAct is the time of the last act on the desktop; nil: always now.
	LastAct *LastAct
	// Keyboard knows which windows may get keys; nil: every window may.
	Keyboard *Keyboard

	acted atomic.Int32 // an index of acted
	typed atomic.Int32 // a Typed
	// matched says how an element was matched, unless as the selector says.
	matched atomic.Pointer[string]
	// keysTo is the window that got the last keys.
	keysTo atomic.Pointer[desktop.Window]
	// unaccounted is the desktop that does not record acts; nil before Run.
	unaccounted *desktop.Desktop
}

// Children configures the processes that a step starts.
type Children struct {
	Environ []string
	// StartDir is where programs with windows start; empty: in the working folder of this
	// process, as for runs of a fleet, which have none.
	StartDir string
	// Sandbox: commands may write only below the Roots.
	Sandbox bool
	// Applications are programs and desktop files that a caller may start who may not run
	// commands.
	Applications []string
	// NoTerminals: such a caller may not act in terminals.
	NoTerminals bool
	// DesktopEnv returns the variables of the run's desktop, for kinds that have no
	// Desktop; nil or empty when none is open.
	DesktopEnv func(ctx context.Context) []string
}

// Try configures one try of a step, or a single call.
type Try struct {
	// KeepFocus restores the user's focus and caret after kinds that are not meant to
	// move them. It is for single calls: the steps of a workflow build on the focus
	// that the step before left.
	KeepFocus bool
	// Effects asks actions to report what happened after them. It is for single calls and
	// the last act of a document, whose caller decides by that what to do next.
	Effects bool
	// Refusal returns why the caller may not use the kind with a name; nil: all kinds
	// may be used.
	Refusal func(kind string) error
	// Expects: the step has an expectation of its own, which decides whether its effect
	// is right.
	Expects bool
	// Held is the text of the field before the first try of a step that types into it;
	// nil where a step is tried only once.
	Held *atomic.Pointer[string]
	// Field gets the field of the step and its text before the first try; nil where nobody
	// compares it with what it becomes.
	Field *atomic.Pointer[FieldText]
}

// FieldText is the text of a field at some time.
type FieldText struct {
	Field desktop.Handle
	Text  string
}

// Typed is the sort of field into which the text of the arguments went.
type Typed int32

// TypedNowhere is the value until the target has been seen.
const (
	TypedNowhere Typed = iota
	TypedOpenly
	TypedHidden // into a password field
)

// NoteTyped notes whether the text of the arguments goes into a password field. Once
// text went into one, it stays hidden.
func (e *Env) NoteTyped(password bool) {
	if password {
		e.typed.Store(int32(TypedHidden))
	} else {
		e.typed.CompareAndSwap(int32(TypedNowhere), int32(TypedOpenly))
	}
}

// NoteMatch notes how an element was matched, for the result of the step.
func (e *Env) NoteMatch(how string) { e.matched.Store(&how) }

// Typed returns what NoteTyped noted.
func (e *Env) Typed() Typed { return Typed(e.typed.Load()) }

// MayUse returns why the caller may not use another kind; nil if it may. It is for
// kinds whose arguments can do what the other kind does.
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
	// Document is the folder of the workflow, where its pictures may be.
	Document string
	// Roots are the folders in which files may be read and written.
	Roots []string
	// Private are folders inside the roots that may not be used.
	Private []string
	// PictureRoots are folders in which pictures to look for may be read too.
	PictureRoots []string
	// Scripts is the first folder in which script files are searched.
	Scripts string
}

// Refs are names for the elements that a caller was shown.
type Refs interface {
	// Keep keeps a tree and assigns refs to its elements.
	Keep(tree *desktop.Tree)
	// Name sets the known refs of the elements of a tree that is not shown.
	Name(tree *desktop.Tree)
	// Element returns the element of a ref, or nil.
	Element(ref string) *desktop.Element
}

// PasswordFields are the fields that are blanked on pictures.
type PasswordFields interface {
	// Where returns where the fields that were found last must be now.
	Where(ctx context.Context, d *desktop.Desktop) []desktop.Rect
	// Find returns where the fields are that show now.
	Find(ctx context.Context, d *desktop.Desktop) []desktop.Rect
	// Note keeps an element if it is a password field, and reports whether it is or was
	// one.
	Note(d *desktop.Desktop, e *desktop.Element) bool
}

// RunInfo identifies the run and the attempt.
type RunInfo struct {
	ID      string
	Attempt int
}

// Setting returns where the programs of the step start, and with which environment.
func (e *Env) Setting() desktop.Setting { return desktop.Setting{Dir: e.StartDir, Environ: e.Environ} }

// Logger returns the log of the attempt, never nil.
func (e *Env) Logger() *slog.Logger {
	if e.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Log
}

// IsSecret reports whether a text holds a secret of the run.
func (e *Env) IsSecret(text string) bool { return e.Secret != nil && e.Secret(text) }

// Quote returns a value as messages show it, unless it holds a secret: a part of one, as a
// value that is shortened may be, is not recognised as a secret.
func (e *Env) Quote(v any) string {
	if e.IsSecret(fmt.Sprint(v)) {
		return "a value that holds a secret"
	}
	return Quote(v)
}

// Abs returns a path of an argument as an absolute one.
func (f *Folders) Abs(path Path) string {
	if filepath.IsAbs(string(path)) {
		return filepath.Clean(string(path))
	}
	return filepath.Join(f.Dir, string(path))
}

// TemplateVariable begins the names of the variables through which the values of templates
// reach a command or a script.
const TemplateVariable = "UNDERSTUDY_VALUE_"
