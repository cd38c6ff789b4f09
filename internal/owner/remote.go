package owner

import (
	"context"
	"encoding/json"
	"fmt"

	"understudy/engine"
)

// Remote sends a message to the process that executes a run, on whatever machine, and
// returns the answer. Its methods are those that only that process can execute.
type Remote func(ctx context.Context, message []byte) (answer []byte, err error)

func (r Remote) Stop(ctx context.Context, run string, c engine.Cause, message string) (engine.Header, error) {
	return ask(ctx, r, stop, on[stopWith]{run, stopWith{c, message}})
}

func (r Remote) Pause(ctx context.Context, run string) error {
	_, err := ask(ctx, r, pause, on[none]{Run: run})
	return err
}

func (r Remote) TakeOver(ctx context.Context, run string, t engine.Takeover) (engine.Header, error) {
	return ask(ctx, r, takeOver, on[engine.Takeover]{run, t})
}

func (r Remote) HandBack(ctx context.Context, run, by string) (engine.Header, error) {
	return ask(ctx, r, handBack, on[string]{run, by})
}

type remoteRequest struct {
	Version int             `json:"version"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type remoteAnswer struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Failure *failure        `json:"failure,omitempty"`
}

func ask[P, R any](ctx context.Context, r Remote, m method[P, R], p P) (out R, err error) {
	params, err := json.Marshal(p)
	if err != nil {
		return out, err
	}
	return Ask[R](ctx, r, remoteRequest{version, m.name, params})
}

// Ask sends a question to another process, which answers with Reply.
func Ask[R any](ctx context.Context, r Remote, question any) (out R, err error) {
	message, err := json.Marshal(question)
	if err != nil {
		return out, err
	}
	raw, err := r(ctx, message)
	if err != nil {
		return out, err
	}
	var a remoteAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return out, malformed("of another process", err)
	}
	if a.Failure != nil {
		return out, a.Failure.error()
	}
	return out, json.Unmarshal(a.Value, &out)
}

// Reply decodes a question, executes it, and returns the encoded answer.
func Reply[Q, R any](message []byte, do func(Q) (R, error)) []byte {
	var q Q
	var value R
	err := json.Unmarshal(message, &q)
	if err != nil {
		err = malformed("of another process", err)
	} else {
		value, err = do(q)
	}
	a := remoteAnswer{Failure: failureOf(err)}
	if err == nil {
		a.Value, err = json.Marshal(value)
		a.Failure = failureOf(err)
	}
	raw, _ := json.Marshal(a) // cannot fail: strings, and encoded values
	return raw
}

// remotely are the methods that may be called through a Remote.
var remotely = []string{stop.name, pause.name, takeOver.name, handBack.name}

// AnswerRemote executes a call from a Remote, and returns the answer.
func AnswerRemote(ctx context.Context, runs engine.Runs, message []byte) []byte {
	return Reply(message, func(r remoteRequest) (any, error) {
		for _, name := range remotely {
			if r.Method == name && r.Version == version {
				return served[name].do(ctx, runs, r.Params)
			}
		}
		return nil, malformed(r.Method, fmt.Errorf("it is of version %d, and this process has version %d", r.Version, version))
	})
}
