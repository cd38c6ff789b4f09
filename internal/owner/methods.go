package owner

import (
	"context"
	"encoding/json"

	"understudy/engine"
)

// A method is a method of engine.Runs as it goes through the socket: its name,
// whether it may be repeated, and how it is executed with its parameters in one
// value.
type method[P, R any] struct {
	name   string
	repeat repeat
	do     func(context.Context, engine.Runs, P) (R, error)
}

// repeat tells when a call may be repeated if it is unknown whether it was executed.
type repeat int

const (
	reads  repeat = iota // always
	keyed                // always: the engine recognises its key
	acting               // never; only the owner that received it may be asked
)

// on holds the parameters of a method about one run.
type on[T any] struct {
	Run  string `json:"run,omitempty"`
	With T      `json:"with"`
}

type (
	none     struct{}
	forkWith struct {
		From   string               `json:"from"`
		Resume engine.ResumeRequest `json:"resume"`
	}
	stopWith struct {
		Cause   engine.Cause `json:"cause"`
		Message string       `json:"message"`
	}
	fileWith struct {
		Sort engine.FileSort `json:"sort"`
		Hash string          `json:"hash"`
	}
)

// served holds all methods with encoded parameters, by name. Each declaration below
// adds its own.
var served = map[string]method[json.RawMessage, any]{}

var (
	start   = withParams("start", keyed, engine.Runs.Start)
	resume  = ofRunWith("resume", keyed, engine.Runs.Resume)
	plan    = ofRunWith("plan", reads, engine.Runs.Plan)
	answer  = ofRunWith("answer", keyed, engine.Runs.Answer)
	proceed = ofRun("continue", acting, engine.Runs.Continue)
	get     = ofRun("get", reads, engine.Runs.Get)
	list    = withParams("list", reads, engine.Runs.List)
	report  = ofRunWith("report", reads, engine.Runs.Report)
	events  = ofRunWith("events", reads, engine.Runs.Events)
	prune   = withParams("prune", acting, engine.Runs.Prune)
	wait    = ofRun("wait", reads, engine.Runs.Wait)
	await   = ofRunWith("await", reads, engine.Runs.Await)

	takeOver = ofRunWith("take_over", acting, engine.Runs.TakeOver)
	handBack = ofRunWith("hand_back", acting, engine.Runs.HandBack)

	fork = serve("fork", keyed, func(ctx context.Context, r engine.Runs, p on[forkWith]) (engine.Header, error) {
		return r.Fork(ctx, p.Run, p.With.From, p.With.Resume)
	})
	stop = serve("stop", acting, func(ctx context.Context, r engine.Runs, p on[stopWith]) (engine.Header, error) {
		return r.Stop(ctx, p.Run, p.With.Cause, p.With.Message)
	})
	stopAll = serve("stop_all", acting, func(ctx context.Context, r engine.Runs, p stopWith) ([]engine.Header, error) {
		return r.StopAll(ctx, p.Cause, p.Message)
	})
	pause = serve("pause", acting, func(ctx context.Context, r engine.Runs, p on[none]) (none, error) {
		return none{}, r.Pause(ctx, p.Run)
	})
	file = serve("file", reads, func(ctx context.Context, r engine.Runs, p fileWith) ([]byte, error) {
		return r.File(ctx, p.Sort, p.Hash)
	})
	remove = serve("remove", acting, func(ctx context.Context, r engine.Runs, p on[bool]) (none, error) {
		return none{}, r.Remove(ctx, p.Run, p.With)
	})
	backup = serve("backup", acting, func(ctx context.Context, r engine.Runs, p string) (none, error) {
		return none{}, r.Backup(ctx, p)
	})
	check = serve("check", reads, func(ctx context.Context, r engine.Runs, _ none) (engine.Checkup, error) {
		return r.Check(ctx)
	})
	places = serve("places", reads, func(ctx context.Context, r engine.Runs, _ none) (engine.Places, error) {
		return r.Places(ctx)
	})
)

func serve[P, R any](name string, r repeat, do func(context.Context, engine.Runs, P) (R, error)) method[P, R] {
	served[name] = method[json.RawMessage, any]{name, r, func(ctx context.Context, runs engine.Runs, raw json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, malformed(name, err)
		}
		return do(ctx, runs, p)
	}}
	return method[P, R]{name, r, do}
}

func withParams[P, R any](name string, r repeat, do func(engine.Runs, context.Context, P) (R, error)) method[P, R] {
	return serve(name, r, func(ctx context.Context, runs engine.Runs, p P) (R, error) { return do(runs, ctx, p) })
}

func ofRun[R any](name string, r repeat, do func(engine.Runs, context.Context, string) (R, error)) method[on[none], R] {
	return serve(name, r, func(ctx context.Context, runs engine.Runs, p on[none]) (R, error) { return do(runs, ctx, p.Run) })
}

func ofRunWith[P, R any](name string, r repeat, do func(engine.Runs, context.Context, string, P) (R, error)) method[on[P], R] {
	return serve(name, r, func(ctx context.Context, runs engine.Runs, p on[P]) (R, error) { return do(runs, ctx, p.Run, p.With) })
}
