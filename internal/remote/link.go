package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"understudy/engine"
)

// A Link sends a message to the process that executes a run, on whatever machine, and
// returns the answer.
type Link func(ctx context.Context, message []byte) (answer []byte, err error)

// version is that of the methods. Processes with different versions refuse each other,
// because a run must not be understood only in part.
const version = 5

type request struct {
	Version int             `json:"version"`
	Method  string          `json:"method"`
	Args    json.RawMessage `json:"args"`
}

type result struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
}

// Runs are those of the other process, of which it executes only some methods.
func (l Link) Runs() Runs {
	return Runs{func(ctx context.Context, method string, args []byte) ([]byte, error) {
		return Ask[json.RawMessage](ctx, l, request{version, method, args})
	}}
}

// Ask sends a question to another process, which answers with Reply.
func Ask[R any](ctx context.Context, l Link, question any) (out R, err error) {
	message, err := json.Marshal(question)
	if err != nil {
		return out, err
	}
	raw, err := l(ctx, message)
	if err != nil {
		return out, err
	}
	var a result
	if err := json.Unmarshal(raw, &a); err != nil {
		return out, Malformed("of another process", err)
	}
	if a.Failure != nil {
		return out, a.Failure.Err()
	}
	return out, json.Unmarshal(a.Value, &out)
}

// Reply decodes a question, executes it, and returns the encoded answer.
func Reply[Q, R any](message []byte, do func(Q) (R, error)) []byte {
	var q Q
	var value R
	err := json.Unmarshal(message, &q)
	if err != nil {
		err = Malformed("of another process", err)
	} else {
		value, err = do(q)
	}
	a := result{Failure: FailureOf(err)}
	if err == nil {
		a.Value, err = json.Marshal(value)
		a.Failure = FailureOf(err)
	}
	raw, _ := json.Marshal(a) // cannot fail: strings, and encoded values
	return raw
}

// Answer executes a call that came over a Link, if its method is among some, and returns the
// answer.
func Answer(ctx context.Context, runs engine.Runs, message []byte, some ...string) []byte {
	return Reply(message, func(r request) (any, error) {
		if !slices.Contains(some, r.Method) || r.Version != version {
			return nil, Malformed(r.Method, fmt.Errorf("it is of version %d, and this process has version %d", r.Version, version))
		}
		return Invoke(ctx, runs, r.Method, r.Args)
	})
}
