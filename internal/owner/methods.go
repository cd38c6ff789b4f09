package owner

import (
	"context"
	"encoding/json"

	"understudy/engine"
)

// A method is one of engine.Runs as it goes through the socket: what it is
// called there, how its parameters are packed, and how the engine does it.
type method[P, R any] struct {
	name string
	sort sort
	do   func(context.Context, engine.Runs, P) (R, error)
}

// sort says what may be done when nobody knows whether a call arrived.
type sort int

const (
	reads  sort = iota // it may be sent again
	keyed              // it may be sent again: its key tells the engine
	acting             // it may be sent again only to the owner that got it
)

// on is the parameters of a method about one run.
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

var (
	start = method[engine.Request, engine.Header]{"start", keyed, func(ctx context.Context, r engine.Runs, p engine.Request) (engine.Header, error) {
		return r.Start(ctx, p)
	}}
	resume = method[on[engine.ResumeRequest], engine.Header]{"resume", keyed, func(ctx context.Context, r engine.Runs, p on[engine.ResumeRequest]) (engine.Header, error) {
		return r.Resume(ctx, p.Run, p.With)
	}}
	fork = method[on[forkWith], engine.Header]{"fork", keyed, func(ctx context.Context, r engine.Runs, p on[forkWith]) (engine.Header, error) {
		return r.Fork(ctx, p.Run, p.With.From, p.With.Resume)
	}}
	plan = method[on[engine.ResumeRequest], engine.Plan]{"plan", reads, func(ctx context.Context, r engine.Runs, p on[engine.ResumeRequest]) (engine.Plan, error) {
		return r.Plan(ctx, p.Run, p.With)
	}}
	answer = method[on[engine.Answer], engine.Header]{"answer", keyed, func(ctx context.Context, r engine.Runs, p on[engine.Answer]) (engine.Header, error) {
		return r.Answer(ctx, p.Run, p.With)
	}}
	stop = method[on[stopWith], engine.Header]{"stop", acting, func(ctx context.Context, r engine.Runs, p on[stopWith]) (engine.Header, error) {
		return r.Stop(ctx, p.Run, p.With.Cause, p.With.Message)
	}}
	stopAll = method[stopWith, []engine.Header]{"stop_all", acting, func(ctx context.Context, r engine.Runs, p stopWith) ([]engine.Header, error) {
		return r.StopAll(ctx, p.Cause, p.Message)
	}}
	pause = method[on[none], none]{"pause", acting, func(ctx context.Context, r engine.Runs, p on[none]) (none, error) {
		return none{}, r.Pause(ctx, p.Run)
	}}
	proceed = method[on[none], engine.Header]{"continue", acting, func(ctx context.Context, r engine.Runs, p on[none]) (engine.Header, error) {
		return r.Continue(ctx, p.Run)
	}}
	get = method[on[none], engine.Header]{"get", reads, func(ctx context.Context, r engine.Runs, p on[none]) (engine.Header, error) {
		return r.Get(ctx, p.Run)
	}}
	list = method[engine.Query, []engine.Header]{"list", reads, func(ctx context.Context, r engine.Runs, p engine.Query) ([]engine.Header, error) {
		return r.List(ctx, p)
	}}
	report = method[on[engine.Page], engine.Report]{"report", reads, func(ctx context.Context, r engine.Runs, p on[engine.Page]) (engine.Report, error) {
		return r.Report(ctx, p.Run, p.With)
	}}
	events = method[on[uint64], []engine.Event]{"events", reads, func(ctx context.Context, r engine.Runs, p on[uint64]) ([]engine.Event, error) {
		return r.Events(ctx, p.Run, p.With)
	}}
	file = method[fileWith, []byte]{"file", reads, func(ctx context.Context, r engine.Runs, p fileWith) ([]byte, error) {
		return r.File(ctx, p.Sort, p.Hash)
	}}
	remove = method[on[bool], none]{"remove", acting, func(ctx context.Context, r engine.Runs, p on[bool]) (none, error) {
		return none{}, r.Remove(ctx, p.Run, p.With)
	}}
	prune = method[engine.Retention, engine.Pruned]{"prune", acting, func(ctx context.Context, r engine.Runs, p engine.Retention) (engine.Pruned, error) {
		return r.Prune(ctx, p)
	}}
	backup = method[string, none]{"backup", acting, func(ctx context.Context, r engine.Runs, p string) (none, error) {
		return none{}, r.Backup(ctx, p)
	}}
	check = method[none, engine.Checkup]{"check", reads, func(ctx context.Context, r engine.Runs, _ none) (engine.Checkup, error) {
		return r.Check(ctx)
	}}
	places = method[none, engine.Places]{"places", reads, func(ctx context.Context, r engine.Runs, _ none) (engine.Places, error) {
		return r.Places(ctx)
	}}
	wait = method[on[none], engine.Header]{"wait", reads, func(ctx context.Context, r engine.Runs, p on[none]) (engine.Header, error) {
		return r.Wait(ctx, p.Run)
	}}
	await = method[on[uint64], engine.Header]{"await", reads, func(ctx context.Context, r engine.Runs, p on[uint64]) (engine.Header, error) {
		return r.Await(ctx, p.Run, p.With)
	}}
)

// served is a method as the owner sees it: bytes in, a value out.
type served struct {
	sort sort
	do   func(context.Context, engine.Runs, json.RawMessage) (any, error)
}

// methods are all that the owner serves.
func methods() map[string]served {
	all := map[string]served{}
	serve(all, start)
	serve(all, resume)
	serve(all, fork)
	serve(all, plan)
	serve(all, answer)
	serve(all, stop)
	serve(all, stopAll)
	serve(all, pause)
	serve(all, proceed)
	serve(all, get)
	serve(all, list)
	serve(all, report)
	serve(all, events)
	serve(all, file)
	serve(all, remove)
	serve(all, prune)
	serve(all, backup)
	serve(all, check)
	serve(all, places)
	serve(all, wait)
	serve(all, await)
	return all
}

func serve[P, R any](all map[string]served, m method[P, R]) {
	all[m.name] = served{m.sort, func(ctx context.Context, r engine.Runs, raw json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, malformed(m.name, err)
		}
		return m.do(ctx, r, p)
	}}
}
