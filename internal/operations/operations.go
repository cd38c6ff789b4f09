// Package operations defines what an operation is: something that can be done with
// things of one sort, declared once. Commands, tools and the paths of a server are
// derived from the declarations. It declares those on lasting desktops and on versions
// of saved workflows.
//
// It does not decide who may do what: its callers supply functions for that.
package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"strings"
	"text/tabwriter"
	"time"

	"understudy/steps"
)

// A Declaration describes an operation.
type Declaration struct {
	Command string // the name of the subcommand, and in the paths of a server
	Tool    string // the name of the tool
	Summary string
	Details string // for people

	Reads       bool // it changes nothing
	Idempotent  bool // repeating it has no further effect
	Destructive bool // what it ends is lost

	// Lists is the name of the result in an object, if the result is a list.
	Lists string

	// New returns arguments to fill in, a pointer to a struct. Fields with the tag
	// `arg` are positional arguments of the command.
	New func() any
}

// An Operation is something that can be done with things on behalf of a caller.
type Operation[On, By any] struct {
	Declaration
	do func(ctx context.Context, on On, by By, args any) (Result, error)
}

// New returns an operation that calls do.
func New[On, By, A any](d Declaration, do func(ctx context.Context, on On, by By, args *A) (Result, error)) Operation[On, By] {
	d.New = func() any { return new(A) }
	return Operation[On, By]{d, func(ctx context.Context, on On, by By, args any) (Result, error) {
		return do(ctx, on, by, args.(*A))
	}}
}

// Do performs an operation with arguments from New or Decode.
func (o Operation[On, By]) Do(ctx context.Context, on On, by By, args any) (Result, error) {
	if any(on) == nil {
		return Result{}, steps.Errorf(steps.Unavailable, "%s: not supported by this server", o.Tool)
	}
	return o.do(ctx, on, by, args)
}

// Result is the result of an operation.
type Result struct {
	Value   any         // for programs
	Text    string      // for people and models
	Picture image.Image // of the screen, or nil
}

// Object returns the value of a result as an object.
func (d Declaration) Object(a Result) any {
	if d.Lists == "" {
		return a.Value
	}
	return map[string]any{d.Lists: a.Value}
}

// Table lays out lines of cells, which are separated by tabs.
func Table(lines []string) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, strings.Join(lines, "\n"))
	_ = w.Flush() // memory does not fail
	return text.String()
}

// Decode reads arguments from JSON. It refuses unknown members.
func (d Declaration) Decode(raw []byte) (any, error) {
	args := d.New()
	if len(raw) == 0 {
		return args, nil
	}
	r := json.NewDecoder(strings.NewReader(string(raw)))
	r.DisallowUnknownFields()
	if err := r.Decode(args); err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("the arguments of %s: %w", d.Tool, err)}
	}
	return args, nil
}

// A Period is a time such as 8h or 30m.
type Period time.Duration

// String implements pflag.Value.
func (p *Period) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Set implements pflag.Value.
func (p *Period) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q: wanted a time such as 8h or 30m", text)
	}
	*p = Period(d)
	return nil
}

// Type implements pflag.Value.
func (*Period) Type() string { return "duration" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Period) UnmarshalText(text []byte) error { return p.Set(string(text)) }

// MarshalText implements encoding.TextMarshaler.
func (p Period) MarshalText() ([]byte, error) { return []byte(time.Duration(p).String()), nil }

// Values are inputs by their names.
type Values map[string]any

// String implements pflag.Value.
func (*Values) String() string { return "" }

// Set implements pflag.Value.
func (v *Values) Set(pair string) error {
	name, text, ok := strings.Cut(pair, "=")
	if !ok || name == "" {
		return fmt.Errorf("%q: wanted name=value", pair)
	}
	if *v == nil {
		*v = Values{}
	}
	(*v)[name] = text
	return nil
}

// Type implements pflag.Value.
func (*Values) Type() string { return "name=value" }
