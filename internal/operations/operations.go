// Package operations says what an operation is: something that can be done with a
// sort of things, declared once. The commands, the tools and the addresses of a
// server are made of the declarations.
//
// It does nothing by itself, and does not decide who may do what.
package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"strings"
	"time"

	"understudy/steps"
)

// A Declaration is what everybody has to know of an operation.
type Declaration struct {
	Command string // its name below the command of its things, and in the addresses of a server
	Tool    string // its name among the tools
	Summary string
	Details string // for people

	Reads       bool // it changes nothing
	Idempotent  bool // doing it again does no harm
	Destructive bool // what it ends is lost

	// Lists is what its answer is called, a list, where an answer must be an object.
	Lists string

	// New makes arguments to fill in, a pointer to a struct. Beside their names
	// and descriptions, fields say with the tag `arg` that the command takes them
	// by their place.
	New func() any
}

// An Operation is something that can be done on things, on behalf of somebody.
type Operation[On, By any] struct {
	Declaration
	do func(ctx context.Context, on On, by By, args any) (Result, error)
}

// New makes an operation of what it does with its arguments.
func New[On, By, A any](d Declaration, do func(ctx context.Context, on On, by By, args *A) (Result, error)) Operation[On, By] {
	d.New = func() any { return new(A) }
	return Operation[On, By]{d, func(ctx context.Context, on On, by By, args any) (Result, error) {
		return do(ctx, on, by, args.(*A))
	}}
}

// Do does it, with arguments that New made.
func (o Operation[On, By]) Do(ctx context.Context, on On, by By, args any) (Result, error) {
	if any(on) == nil {
		return Result{}, steps.Errorf(steps.Unavailable, "%s cannot be done here: this server keeps no such things", o.Tool)
	}
	return o.do(ctx, on, by, args)
}

// Result is what came of an operation.
type Result struct {
	Value   any         // for programs
	Text    string      // for people and models
	Picture image.Image // of the screen, or nil
}

// Object is the answer as an object.
func (d Declaration) Object(a Result) any {
	if d.Lists == "" {
		return a.Value
	}
	return map[string]any{d.Lists: a.Value}
}

// Decode reads arguments from JSON; what is not known is refused.
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
