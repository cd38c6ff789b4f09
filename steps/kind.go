// Package steps defines what a kind of step is: its name, how it behaves, its typed
// arguments and results, and how one attempt of it runs and ends. Define makes a
// kind from a declaration; schemas, checks, tools, commands and the reference are
// derived from it. Package kinds has them all.
//
// A kind knows nothing of workflows, runs or clients: it gets arguments and an
// Env, and returns a result.
package steps

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Kind is one sort of step: its name, how it behaves, and how it runs.
type Kind struct {
	Name    string
	Summary string // one sentence: the tool's description
	Details string // what else a caller should know; may be empty
	Toolset Toolset

	// Reads: it changes nothing, so it may be repeated at will.
	Reads bool
	// Checks: it fails unless things are as its arguments say, so it proves the step before it.
	Checks bool
	// Idempotent: repeating it does no harm.
	Idempotent bool
	// Asks: the engine runs it, and the run waits for the answer of a person.
	Asks bool
	// Touches is what it needs of the desktop. By default a kind of the toolsets core,
	// desktop, vision and browser looks if it Reads, and acts otherwise.
	Touches Touch
	// Focus says whether the user's focus is meant to move.
	Focus Focus
	// Risk is what a policy can forbid.
	Risk Risk
	// ByHand: a person who has taken over the desktop can do the same there.
	ByHand bool
	// Beyond names an argument whose values can have a higher risk.
	Beyond *Beyond
	// Timeout is the default limit of one attempt.
	Timeout time.Duration

	// Picture says whether its answer can hold a picture.
	Picture Picture
	// Calls: it uses other kinds by Env.Call.
	Calls bool
	// Whole: a text of its result shows all values in full, not shortened.
	Whole bool

	derived func() *shape

	say func(result map[string]any) (string, bool)

	// bind decodes arguments, validates them, and returns the function that runs with
	// them.
	bind func(json.RawMessage) (func(context.Context, *Env) (any, error), error)
}

// Beyond is an argument with which a kind can do what kinds of another risk do. Without
// the right to use those, a caller may only give harmless values. It becomes a command
// line, so nobody may give a secret.
type Beyond struct {
	Argument string
	Risk     Risk
	Harmless func(value string) bool
}

// SecretExposed says why the argument of Beyond holds no secret, and SecretElsewhere what
// to do instead.
const (
	SecretExposed   = "a secret cannot be given here: this becomes a command line, which every user of the machine can read"
	SecretElsewhere = "open it without the secret, and type the secret into its field with type_into_element"
)

// Toolset is the group that a kind belongs to.
type Toolset string

// The toolsets. Core is offered to every client that asks for nothing else.
const (
	Core    Toolset = "core"
	Desktop Toolset = "desktop"
	Files   Toolset = "files"
	Shell   Toolset = "shell"
	Vision  Toolset = "vision"
	Browser Toolset = "browser"
	Record  Toolset = "record"
	Flow    Toolset = "flow" // only of use inside a workflow
	Runs    Toolset = "runs"
	// Desktops has the tools for lasting desktops, and no kinds.
	Desktops Toolset = "desktops"
	// Schedules start runs at times, for messages and for files.
	Schedules Toolset = "schedules"
)

// Touch is what a kind needs of the desktop.
type Touch string

// What a kind may need: nothing, to look, or to act. Only Act takes the lease.
const (
	None Touch = "none"
	Look Touch = "look"
	Act  Touch = "act"
)

// Focus is what a kind does to the user's focus.
type Focus string

// Keep restores focus and caret after a single call; Take moves them on purpose.
const (
	Keep Focus = "keep"
	Take Focus = "take"
)

// Risk is what a kind can do beyond the desktop.
type Risk string

// The risks that a policy can switch off.
const (
	Normal      Risk = "normal"
	RunsShell   Risk = "shell"
	WritesFiles Risk = "files"
	RunsScripts Risk = "scripts" // in pages, with the rights of who is logged in there
	Destructive Risk = "destructive"
	// ReadsPrivate reads what the desktop does not show: files, the clipboard.
	ReadsPrivate Risk = "private"
)

// RunsCode reports whether a kind runs a script or a command that its caller wrote.
func (k Kind) RunsCode() bool { return k.Risk == RunsShell || k.Risk == RunsScripts }

// Picture says whether the answer of a kind can hold a picture.
type Picture string

// A kind's answer can be a picture, or can include one on request. Define derives the
// latter for kinds that act.
const (
	NoPicture     Picture = ""
	IsPicture     Picture = "is"
	PictureBeside Picture = "beside"
)

// PictureArgument asks a kind for a picture in addition.
const PictureArgument = "include_window_screenshot"

// DiffArgument asks a kind that acts for all changes in the window.
const DiffArgument = "ui_diff_before_after"

// DefaultTimeout is the default limit of one attempt.
const DefaultTimeout = 30 * time.Second

// Define completes a kind with the default values of its arguments and the function
// that runs it. With a nil run the kind is unavailable. Types without a schema are a mistake
// of the declaration, at which the first use panics.
func Define[A, R any](k Kind, defaults A, run func(context.Context, *Env, A) (R, error)) Kind {
	k.derived = sync.OnceValue(func() *shape { return shapeOf[A, R](defaults) })
	k.Timeout = cmp.Or(k.Timeout, DefaultTimeout)
	if k.Touches == "" {
		k.Touches = touchOf(k)
	}
	k.Focus = cmp.Or(k.Focus, Keep)
	k.Risk = cmp.Or(k.Risk, Normal)
	if k.Picture == NoPicture && k.Touches == Act && hasField(reflect.TypeFor[A](), PictureArgument) {
		k.Picture = PictureBeside
	}
	if _, ok := any(*new(R)).(Sayer); ok {
		k.say = say[R]
	}
	k.bind = func(raw json.RawMessage) (func(context.Context, *Env) (any, error), error) {
		args := defaults
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, Errorf(Invalid, "reading the arguments of %s: %w", k.Name, err)
		}
		if v, ok := any(&args).(Validator); ok {
			if err := v.Validate(); err != nil {
				return nil, &Error{Code: Invalid, Err: err}
			}
		}
		return func(ctx context.Context, env *Env) (any, error) {
			if run == nil {
				return nil, Errorf(Unavailable, "%s is not available on this system", k.Name)
			}
			return run(ctx, env, args)
		}, nil
	}
	return k
}

// Changed returns the kind with a change of the schema of its arguments, such as a text of its own for
// one that it shares with others.
func (k Kind) Changed(change func(*Schema)) Kind {
	derived := k.derived
	k.derived = sync.OnceValue(func() *shape {
		s := derived()
		change(s.fields) // args has the same properties
		return s
	})
	return k
}

// touchOf returns what a kind needs of the desktop by its toolset. The toolsets of a
// desktop act on it unless they only read.
func touchOf(k Kind) Touch {
	switch {
	case !slices.Contains([]Toolset{Core, Desktop, Vision, Browser}, k.Toolset):
		return None
	case k.Reads:
		return Look
	}
	return Act
}

// A Validator is arguments with rules that a schema cannot express, such as "exactly
// one of these". It is called after decoding.
type Validator interface{ Validate() error }

// A Setter is a result that changes the environment of the run: later steps
// read the values as env.NAME.
type Setter interface{ SetEnv() map[string]any }

// A Sayer is a result with a text that is better than the list of its fields.
type Sayer interface{ Say() string }

// Say returns a result in words; false if the kind has no better words than the names
// and values of its fields.
func (k Kind) Say(result map[string]any) (string, bool) {
	if k.say == nil {
		return "", false
	}
	return k.say(result)
}

func say[R any](result map[string]any) (string, bool) {
	var r R
	raw, err := json.Marshal(result)
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return "", false
	}
	return any(r).(Sayer).Say(), true
}

// Repeatable reports whether a step of this kind may be repeated without asking.
func (k Kind) Repeatable() bool { return k.Reads || k.Idempotent }

// Find returns the kind with a name.
func Find(kinds []Kind, name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Names returns the names of kinds, in their order.
func Names(kinds []Kind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.Name
	}
	return names
}

func defaultsOf(v any, s *jsonschema.Schema) map[string]any {
	m, err := asMap(v)
	if err != nil {
		panic(fmt.Sprintf("steps: defaults of %T: %v", v, err))
	}
	for name, d := range m {
		p := s.Properties[name]
		if p == nil || slices.Contains(s.Required, name) {
			delete(m, name)
			continue
		}
		if p.Default, err = json.Marshal(d); err != nil {
			panic(err)
		}
	}
	return m
}
