package owner

import (
	"context"
	"path/filepath"
	"strings"

	"understudy/engine"
)

var _ engine.Runs = (*Member)(nil)

// Start begins a run.
func (m *Member) Start(ctx context.Context, r engine.Request) (engine.Header, error) {
	if r.Key == "" {
		r.Key = engine.NewKey()
	}
	return call(ctx, m, start, r)
}

// Resume continues a run that ended.
func (m *Member) Resume(ctx context.Context, id string, r engine.ResumeRequest) (engine.Header, error) {
	if r.Key == "" {
		r.Key = engine.NewKey()
	}
	return call(ctx, m, resume, on[engine.ResumeRequest]{id, r})
}

// Fork makes a new run of a run's document.
func (m *Member) Fork(ctx context.Context, id, from string, r engine.ResumeRequest) (engine.Header, error) {
	if r.Key == "" {
		r.Key = engine.NewKey()
	}
	return call(ctx, m, fork, on[forkWith]{id, forkWith{from, r}})
}

// Plan tells what Resume would do.
func (m *Member) Plan(ctx context.Context, id string, r engine.ResumeRequest) (engine.Plan, error) {
	return call(ctx, m, plan, on[engine.ResumeRequest]{id, r})
}

// Answer continues a waiting run.
func (m *Member) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	if a.Key == "" {
		a.Key = engine.NewKey()
	}
	return call(ctx, m, answer, on[engine.Answer]{id, a})
}

// Stop ends a run.
func (m *Member) Stop(ctx context.Context, id string, c engine.Cause, message string) (engine.Header, error) {
	return call(ctx, m, stop, on[stopWith]{id, stopWith{c, message}})
}

// StopAll stops every run that is executed.
func (m *Member) StopAll(ctx context.Context, c engine.Cause, message string) ([]engine.Header, error) {
	return call(ctx, m, stopAll, stopWith{c, message})
}

// Pause holds a run at the next boundary between steps.
func (m *Member) Pause(ctx context.Context, id string) error {
	_, err := call(ctx, m, pause, on[none]{Run: id})
	return err
}

// Continue lets a paused run go on.
func (m *Member) Continue(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, proceed, on[none]{Run: id})
}

// Get is the header of a run.
func (m *Member) Get(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, get, on[none]{Run: id})
}

// List lists runs, the newest first.
func (m *Member) List(ctx context.Context, q engine.Query) ([]engine.Header, error) {
	return call(ctx, m, list, q)
}

// Report tells what a run did.
func (m *Member) Report(ctx context.Context, id string, p engine.Page) (engine.Report, error) {
	r, err := call(ctx, m, report, on[engine.Page]{id, p})
	for _, s := range r.Steps {
		for i, c := range s.Captures { // the hash is not in the document
			s.Captures[i].Hash = strings.TrimPrefix(c.URI, engine.CaptureURI(""))
		}
	}
	return r, err
}

// Events are the events of a run from a number on.
func (m *Member) Events(ctx context.Context, id string, from uint64) ([]engine.Event, error) {
	return call(ctx, m, events, on[uint64]{id, from})
}

// File reads what is stored under a hash.
func (m *Member) File(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	return call(ctx, m, file, fileWith{sort, hash})
}

// Remove removes a run.
func (m *Member) Remove(ctx context.Context, id string, force bool) error {
	_, err := call(ctx, m, remove, on[bool]{id, force})
	return err
}

// Prune removes what is past the bounds.
func (m *Member) Prune(ctx context.Context, r engine.Retention) (engine.Pruned, error) {
	return call(ctx, m, prune, r)
}

// Backup copies the store into a folder, as seen from this process.
func (m *Member) Backup(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = call(ctx, m, backup, dir)
	return err
}

// Check verifies what is stored.
func (m *Member) Check(ctx context.Context) (engine.Checkup, error) {
	return call(ctx, m, check, none{})
}

// Places says which runs act on the desktop.
func (m *Member) Places(ctx context.Context) (engine.Places, error) {
	return call(ctx, m, places, none{})
}

// Wait returns when a run ends, waits or pauses.
func (m *Member) Wait(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, wait, on[none]{Run: id})
}

// Await returns when a run has news; with no id, when any run has. When
// another process takes the folder over, what it gives is of no header.
func (m *Member) Await(ctx context.Context, id string, after uint64) (engine.Header, error) {
	if id != "" {
		return call(ctx, m, await, on[uint64]{id, after})
	}
	s, err := m.connect(ctx)
	if err != nil {
		return engine.Header{}, err
	}
	h, err := callAt(ctx, s, await, on[uint64]{"", after})
	if isLost(err) && ctx.Err() == nil {
		return engine.Header{}, nil
	}
	return h, err
}
