package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"understudy/engine"
)

// repeat tells whether a call may be repeated if it is unknown whether it was executed.
type repeat int

const (
	never repeat = iota // only the process that received it may be asked
	keyed               // the engine recognises its key
	reads
)

// methods are those of engine.Runs.
var methods = map[string]repeat{
	"Start": keyed, "Resume": keyed, "Fork": keyed, "Answer": keyed,
	"Plan": reads, "Get": reads, "List": reads, "Report": reads, "Events": reads, "File": reads, "Check": reads, "Places": reads, "Wait": reads, "Await": reads,
	"Stop": never, "StopAll": never, "Pause": never, "Continue": never, "TakeOver": never, "HandBack": never, "Remove": never, "Prune": never, "Backup": never,
}

// Reads reports whether a method changes nothing.
func Reads(method string) bool { return methods[method] == reads }

// Repeats reports whether a call of a method may be repeated if it is unknown whether it was
// executed.
func Repeats(method string) bool { return methods[method] != never }

// Invoke calls a method of runs with encoded arguments.
func Invoke(ctx context.Context, runs engine.Runs, method string, raw json.RawMessage) (any, error) {
	m, known := reflect.TypeFor[engine.Runs]().MethodByName(method)
	if !known {
		return nil, Malformed(method, errors.New("there is no such method"))
	}
	in, err := decodeArgs(m.Type, raw)
	if err != nil {
		return nil, Malformed(method, err)
	}
	in[0] = reflect.ValueOf(ctx)
	out := reflect.ValueOf(runs).MethodByName(method).Call(in)
	err, _ = out[len(out)-1].Interface().(error)
	return out[0].Interface(), err // of a method that only returns an error, nobody reads the value
}

// decodeArgs returns the arguments of a function, whose first is left out.
func decodeArgs(f reflect.Type, raw json.RawMessage) ([]reflect.Value, error) {
	var args []json.RawMessage
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	in := make([]reflect.Value, f.NumIn())
	if len(args) != len(in)-1 {
		return nil, fmt.Errorf("wanted %d arguments, found %d", len(in)-1, len(args))
	}
	for i, arg := range args {
		v := reflect.New(f.In(i + 1))
		if err := json.Unmarshal(arg, v.Interface()); err != nil {
			return nil, err
		}
		in[i+1] = v.Elem()
	}
	return in, nil
}
