package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// Outcome is what came of one attempt of a step.
type Outcome struct {
	Result map[string]any
	Sets   map[string]any // changes of the run's env
	Acted  Acted
	Err    *Error
	// Abandoned says that the attempt did not return when it was told to, and
	// still holds what it used: the connection to the desktop must be closed.
	Abandoned bool
}

// grace is how long a cancelled attempt has to return by itself. Together
// with what surrounds it, it keeps the promise of 250 ms.
const grace = 200 * time.Millisecond

// Bound is a kind with arguments that are checked and decoded.
type Bound struct {
	kind Kind
	args map[string]any
	run  func(context.Context, *Env) (any, error)
}

// Bind checks arguments and decodes them, once for all that is done with them.
func (k Kind) Bind(args map[string]any) (*Bound, *Error) {
	b, problems := k.checked(args)
	if len(problems) > 0 {
		return nil, k.refuse(problems)
	}
	return b, nil
}

func (k Kind) checked(args map[string]any) (*Bound, []Problem) {
	if args == nil {
		args = map[string]any{}
	}
	run, problems := k.check(args, nil)
	return &Bound{k, args, run}, problems
}

// Run binds arguments and makes one attempt.
func (k Kind) Run(ctx context.Context, env *Env, args map[string]any) Outcome {
	b, problems := k.checked(args)
	if len(problems) > 0 {
		return Outcome{Acted: ActedNo, Err: k.refuse(env.withoutSecrets(problems, args))}
	}
	return b.Run(ctx, env)
}

// withoutSecrets are the problems of arguments. Of one that holds a secret it is not
// said what is wrong with it: that might repeat a part of it, such as one key of
// several, and parts are not known to be secrets.
func (e *Env) withoutSecrets(problems []Problem, args map[string]any) []Problem {
	for i, p := range problems {
		if len(p.Path) > 0 && e.IsSecret(fmt.Sprint(args[p.Path[0]])) {
			problems[i].Message, problems[i].Hint = "it holds a secret, and does not fit in a way that would repeat a part of it", ""
		}
	}
	return problems
}

// Run makes one attempt. It returns soon after the context ends, also when
// the kind does not; a panic of the kind is an error of this attempt only.
func (b *Bound) Run(ctx context.Context, env *Env) Outcome {
	env.account()
	done := make(chan Outcome, 1)
	go func() {
		done <- b.keepingFocus(ctx, env, func() Outcome { return b.attempt(ctx, env) })
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o
	case <-time.After(grace):
		return Outcome{Acted: env.Acted(), Err: AsError(Ended(ctx)), Abandoned: true}
	}
}

// attempt calls the kind's function and makes an outcome of what it returns.
func (b *Bound) attempt(ctx context.Context, env *Env) (o Outcome) {
	defer func() {
		if p := recover(); p != nil {
			env.Logger().ErrorContext(ctx, "step panicked", "kind", b.kind.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			o = Outcome{Acted: env.Acted(), Err: Errorf(Internal, "%s failed in a way that it should not: %v", b.kind.Name, p)}
		}
	}()
	value, err := b.run(ctx, env)
	o.Acted = env.Acted()
	if err != nil && ctx.Err() != nil {
		err = late(ctx, err)
	}
	if o.Err = AsError(err); o.Err != nil {
		return o
	}
	if s, ok := value.(Setter); ok {
		o.Sets = s.SetEnv()
	}
	if o.Result, err = asMap(value); err != nil {
		o.Err = Errorf(Internal, "the result of %s: %w", b.kind.Name, err)
	}
	return o
}

// refuse is the error for arguments with problems.
func (k Kind) refuse(problems []Problem) *Error {
	var text strings.Builder
	for i, p := range problems {
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(p.String())
	}
	return Errorf(Invalid, "%s: %s", k.Name, text.String())
}

// late is the error of an attempt whose context ended. When its time was over,
// what it was waiting for then is told as well.
func late(ctx context.Context, err error) error {
	why := AsError(Ended(ctx))
	e, ok := errors.AsType[*Error](err)
	if !ok || why.Code != Timeout || e.Code == Timeout || e.Code == Cancelled {
		return why
	}
	return &Error{Code: Timeout, Err: fmt.Errorf("%w: %w", why.Err, e.Err), Next: e.Next, Candidates: e.Candidates}
}

// Ended is why the context ended, as an error with a code.
func Ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if CodeOf(cause) != Internal {
		return AsError(cause)
	}
	return &Error{Code: Cancelled, Err: cause}
}

func asMap(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	m := map[string]any{}
	err = json.Unmarshal(b, &m)
	return m, err
}
