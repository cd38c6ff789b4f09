package access

import (
	"context"
	"fmt"
	"sync"

	"understudy/engine"
	"understudy/steps"
)

// Runs restricts engine.Runs to what a subject may see and change. It embeds no
// interface, so that a new method of engine.Runs does not compile until its rights are
// stated here.
type Runs struct {
	all      engine.Runs
	subject  Subject
	tool     Tool // that the subject uses
	pictures *Pictures
}

var _ engine.Runs = (*Runs)(nil)

// RunsFor returns the runs for a subject that uses a tool. Pictures may be nil where
// everybody may see all.
func RunsFor(all engine.Runs, who Subject, tool Tool, pictures *Pictures) engine.Runs {
	if who.Owner == "" {
		return all
	}
	return &Runs{all, who, tool, pictures}
}

// checkRun checks the right to one run. A run that the subject may not see is reported like
// one that does not exist.
func (r *Runs) checkRun(ctx context.Context, id string, change bool) error {
	if r.subject.All && !(change && r.subject.Mode == Ask) {
		return nil
	}
	h, err := r.all.Get(ctx, id)
	if err != nil {
		return err
	}
	if why := r.subject.May(r.tool, Thing{"run " + id, h.Owner, change}); why != nil {
		if why.hidden {
			return errNoRun(id)
		}
		return why.Denied()
	}
	return nil
}

func errNoRun(id string) error {
	return &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%w: %s", engine.ErrNoRun, id), Next: "list the existing runs"}
}

// ifAllowed calls do if the subject may see or change a run.
func ifAllowed[T any](ctx context.Context, r *Runs, id string, change bool, do func() (T, error)) (v T, err error) {
	if err := r.checkRun(ctx, id, change); err != nil {
		return v, err
	}
	return do()
}

// Start begins a run that belongs to the subject.
func (r *Runs) Start(ctx context.Context, q engine.Request) (engine.Header, error) {
	q.Owner = r.subject.Owner
	return r.all.Start(ctx, q)
}

func (r *Runs) Resume(ctx context.Context, id string, q engine.ResumeRequest) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.Resume(ctx, id, q) })
}

// Fork begins a new run of a run's document; it belongs to the subject.
func (r *Runs) Fork(ctx context.Context, id, from string, q engine.ResumeRequest) (engine.Header, error) {
	q.Owner = r.subject.Owner
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.Fork(ctx, id, from, q) })
}

func (r *Runs) Plan(ctx context.Context, id string, q engine.ResumeRequest) (engine.Plan, error) {
	return ifAllowed(ctx, r, id, false, func() (engine.Plan, error) { return r.all.Plan(ctx, id, q) })
}

func (r *Runs) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.Answer(ctx, id, a) })
}

func (r *Runs) Stop(ctx context.Context, id string, c engine.Cause, message string) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.Stop(ctx, id, c, message) })
}

// StopAll stops every unfinished run of the subject.
func (r *Runs) StopAll(ctx context.Context, c engine.Cause, message string) ([]engine.Header, error) {
	return StopOwn(ctx, r.all, func(h engine.Header) bool { return h.Owner == r.subject.Owner }, c, message)
}

// StopOwn stops the unfinished runs for which own reports true.
func StopOwn(ctx context.Context, runs engine.Runs, own func(engine.Header) bool, c engine.Cause, message string) (stopped []engine.Header, err error) {
	list, err := runs.List(ctx, engine.Query{Status: []engine.Status{engine.Running, engine.Queued}, Calls: true})
	for _, h := range list {
		if !own(h) {
			continue
		}
		switch h, err := runs.Stop(ctx, h.ID, c, message); {
		case err == nil:
			stopped = append(stopped, h)
		case steps.CodeOf(err) != steps.Invalid: // Invalid: the run has ended in the meantime
			return stopped, err
		}
	}
	return stopped, err
}

func (r *Runs) Pause(ctx context.Context, id string) error {
	_, err := ifAllowed(ctx, r, id, true, func() (struct{}, error) { return struct{}{}, r.all.Pause(ctx, id) })
	return err
}

func (r *Runs) Continue(ctx context.Context, id string) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.Continue(ctx, id) })
}

func (r *Runs) TakeOver(ctx context.Context, id string, t engine.Takeover) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.TakeOver(ctx, id, t) })
}

func (r *Runs) HandBack(ctx context.Context, id, by string) (engine.Header, error) {
	return ifAllowed(ctx, r, id, true, func() (engine.Header, error) { return r.all.HandBack(ctx, id, by) })
}

func (r *Runs) Get(ctx context.Context, id string) (engine.Header, error) {
	return ifAllowed(ctx, r, id, false, func() (engine.Header, error) { return r.all.Get(ctx, id) })
}

// List lists the runs that the subject may see, the newest first.
func (r *Runs) List(ctx context.Context, q engine.Query) ([]engine.Header, error) {
	if !r.subject.All {
		q.Owner = r.subject.Owner
	}
	return r.all.List(ctx, q)
}

func (r *Runs) Report(ctx context.Context, id string, p engine.Page) (engine.Report, error) {
	return ifAllowed(ctx, r, id, false, func() (engine.Report, error) { return r.all.Report(ctx, id, p) })
}

func (r *Runs) Events(ctx context.Context, id string, from uint64) ([]engine.Event, error) {
	return ifAllowed(ctx, r, id, false, func() ([]engine.Event, error) { return r.all.Events(ctx, id, from) })
}

// File reads a stored file by its hash. Only pictures have addresses that clients give;
// other files belong to a run whose rights were checked before.
func (r *Runs) File(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if sort == engine.Captures && !r.subject.All {
		if err := r.pictures.checkOwner(ctx, r, hash); err != nil {
			return nil, err
		}
	}
	return r.all.File(ctx, sort, hash)
}

func (r *Runs) Remove(ctx context.Context, id string, force bool) error {
	_, err := ifAllowed(ctx, r, id, true, func() (struct{}, error) { return struct{}{}, r.all.Remove(ctx, id, force) })
	return err
}

func (*Runs) Prune(context.Context, engine.Retention) (engine.Pruned, error) {
	return engine.Pruned{}, errPersonOnly("removing old runs")
}

func (*Runs) Backup(context.Context, string) error { return errPersonOnly("copying the store") }

func (*Runs) Check(context.Context) (engine.Checkup, error) {
	return engine.Checkup{}, errPersonOnly("checking the store")
}

func errPersonOnly(what string) error {
	return steps.Errorf(steps.Denied, "%s is for the person at the machine", what)
}

// Places returns which runs act on the desktop. Everybody may know how many.
func (r *Runs) Places(ctx context.Context) (engine.Places, error) { return r.all.Places(ctx) }

func (r *Runs) Wait(ctx context.Context, id string) (engine.Header, error) {
	return ifAllowed(ctx, r, id, false, func() (engine.Header, error) { return r.all.Wait(ctx, id) })
}

// Await returns when a run has changed. Of any run, it returns when one has that the
// subject may see.
func (r *Runs) Await(ctx context.Context, id string, after uint64) (engine.Header, error) {
	for id == "" {
		h, err := r.all.Await(ctx, "", after)
		if err != nil || h.ID == "" || steps.CodeOf(r.checkRun(ctx, h.ID, false)) != steps.NotFound {
			return h, err
		}
		after = h.Seq
	}
	return ifAllowed(ctx, r, id, false, func() (engine.Header, error) { return r.all.Await(ctx, id, after) })
}

// Pictures remembers which owners have which pictures. Pictures are addressed by their
// content, so the same one can belong to the runs of several owners.
type Pictures struct {
	mu      sync.Mutex
	byOwner map[string]map[string]bool // owner → hashes
	seen    map[string]uint64          // run → number of events read
}

// maxPictures bounds the cache of an owner; a full one is dropped and filled again.
const maxPictures = 100_000

// checkOwner returns nil if a picture belongs to a run of the subject.
func (p *Pictures) checkOwner(ctx context.Context, r *Runs, hash string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	owner := r.subject.Owner
	if len(p.byOwner[owner]) > maxPictures || p.byOwner == nil {
		p.byOwner, p.seen = map[string]map[string]bool{}, map[string]uint64{}
	}
	if p.byOwner[owner] == nil {
		p.byOwner[owner] = map[string]bool{}
	}
	if p.byOwner[owner][hash] {
		return nil
	}
	list, err := r.List(ctx, engine.Query{Calls: true})
	if err != nil {
		return err
	}
	for _, h := range list {
		if p.seen[h.ID] == h.Seq {
			continue
		}
		if err := p.read(ctx, r.all, h, p.byOwner[owner]); err != nil {
			return err
		}
		if p.byOwner[owner][hash] {
			return nil
		}
	}
	return &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%w: %s", engine.ErrNoFile, hash)}
}

// read notes the pictures of a run.
func (p *Pictures) read(ctx context.Context, runs engine.Runs, h engine.Header, hashes map[string]bool) error {
	for p.seen[h.ID] < h.Seq {
		events, err := runs.Events(ctx, h.ID, p.seen[h.ID]+1)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, ev := range events {
			p.seen[h.ID] = ev.Seq
			for _, hash := range engine.PicturesOf(ev) {
				hashes[hash] = true
			}
		}
	}
	return nil
}
