package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"understudy/internal/desktop"
)

// Outcome is the result of one attempt of a step.
type Outcome struct {
	Result map[string]any
	Sets   map[string]any // changes of the run's env
	Acted  Acted
	Err    *Error
	// Abandoned: the attempt did not return when its context ended and still uses the
	// connection to the desktop, which must be closed.
	Abandoned bool
}

// grace is how long a cancelled attempt has to return by itself; a cancellation takes
// at most 250 ms altogether.
const grace = 200 * time.Millisecond

// restoreWithin bounds restoring the focus. It takes milliseconds, and longer on a busy
// machine.
const restoreWithin = 2 * time.Second

// Run checks and decodes arguments and makes one attempt. It returns soon after the
// context ends, even if the kind does not; a panic of the kind is an error of this
// attempt only.
func (k Kind) Run(ctx context.Context, env *Env, args map[string]any) Outcome {
	if args == nil {
		args = map[string]any{}
	}
	run, problems := k.check(args, nil)
	if len(problems) > 0 {
		return Outcome{Acted: ActedNo, Err: k.refuse(env.withoutSecrets(problems, args))}
	}
	env.account()
	done := make(chan Outcome, 1)
	go func() {
		done <- k.keepingFocus(ctx, env, args, func() Outcome { return k.attempt(ctx, env, run) })
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

// withoutSecrets returns the problems of arguments, without the messages about those
// that hold a secret: a message may quote a part of it, such as one key of several, and
// parts are not recognised as secrets.
func (e *Env) withoutSecrets(problems []Problem, args map[string]any) []Problem {
	for i, p := range problems {
		if e.isSecretAt(args, p.Path) {
			problems[i].Message, problems[i].Hint = "it holds a secret, and does not fit in a way that would repeat a part of it", ""
		}
	}
	return problems
}

// isSecretAt reports whether a value on the way to a place in arguments is a secret.
func (e *Env) isSecretAt(args map[string]any, path []string) bool {
	for _, key := range path {
		if e.IsSecret(fmt.Sprint(args[key])) {
			return true
		}
		args, _ = args[key].(map[string]any)
	}
	return false
}

// keepingFocus runs do and then restores the user's focus and caret, if the arguments
// ask for it, or else the kind and the caller. Failures are only logged.
func (k Kind) keepingFocus(ctx context.Context, env *Env, args map[string]any, do func() Outcome) Outcome {
	wanted := env.KeepFocus && k.Focus == Keep
	if asked, ok := k.Spread(args)["restore_focus"].(bool); ok {
		wanted = asked
	}
	if !wanted || k.Touches != Act || env.Desktop == nil {
		return do()
	}
	saved, err := env.Desktop.SaveFocus(ctx)
	if err != nil {
		env.Logger().WarnContext(ctx, "the focus could not be remembered", "error", err)
		return do()
	}
	defer env.Keyboard.Leave()()
	o := do()
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWithin)
	defer cancel()
	if err := env.Desktop.Do(free, desktop.RestoreFocus{State: saved}); err != nil {
		env.Logger().WarnContext(ctx, "the focus could not be given back", "error", err)
	}
	return o
}

// attempt calls the kind's function and makes an outcome of what it returns.
func (k Kind) attempt(ctx context.Context, env *Env, run func(context.Context, *Env) (any, error)) (o Outcome) {
	defer func() {
		if p := recover(); p != nil {
			env.Logger().ErrorContext(ctx, "step panicked", "kind", k.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			o = Outcome{Acted: env.Acted(), Err: Errorf(Internal, "%s: internal error (panic): %v", k.Name, p)}
		}
	}()
	value, err := run(ctx, env)
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
		o.Err = Errorf(Internal, "the result of %s: %w", k.Name, err)
	}
	if how := env.matched.Load(); how != nil && o.Result != nil && !env.Effects { // no schema of a tool has it
		o.Result["matched"] = *how
	}
	return o
}

// refuse returns the error for arguments with problems.
func (k Kind) refuse(problems []Problem) *Error {
	texts := make([]string, len(problems))
	for i, p := range problems {
		texts[i] = p.String()
	}
	return Errorf(Invalid, "%s: %s", k.Name, strings.Join(texts, "\n"))
}

// late returns the error of an attempt whose context ended. After a timeout it includes
// what the attempt was waiting for.
func late(ctx context.Context, err error) error {
	why := AsError(Ended(ctx))
	e, ok := errors.AsType[*Error](err)
	if !ok || why.Code != Timeout || e.Code == Timeout || e.Code == Cancelled {
		return why
	}
	return e.With(Timeout, fmt.Errorf("%w: %w", why.Err, e.Err))
}

// Ended returns the cause of the end of a context, as an error with a code.
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

// Sleep waits, or returns the cause when the context ends first.
func Sleep(ctx context.Context, d time.Duration) error { return desktop.Sleep(ctx, d) }

// WaitFor waits for a group, but no longer than the context lasts.
func WaitFor(ctx context.Context, wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
