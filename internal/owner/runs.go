package owner

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"understudy/engine"
)

var _ engine.Runs = (*Member)(nil)

func (m *Member) Start(ctx context.Context, r engine.Request) (engine.Header, error) {
	r.Key = cmp.Or(r.Key, engine.NewKey())
	return call(ctx, m, start, r)
}

func (m *Member) Resume(ctx context.Context, id string, r engine.ResumeRequest) (engine.Header, error) {
	r.Key = cmp.Or(r.Key, engine.NewKey())
	return call(ctx, m, resume, on[engine.ResumeRequest]{id, r})
}

func (m *Member) Fork(ctx context.Context, id, from string, r engine.ResumeRequest) (engine.Header, error) {
	r.Key = cmp.Or(r.Key, engine.NewKey())
	return call(ctx, m, fork, on[forkWith]{id, forkWith{from, r}})
}

func (m *Member) Plan(ctx context.Context, id string, r engine.ResumeRequest) (engine.Plan, error) {
	return call(ctx, m, plan, on[engine.ResumeRequest]{id, r})
}

func (m *Member) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	a.Key = cmp.Or(a.Key, engine.NewKey())
	return call(ctx, m, answer, on[engine.Answer]{id, a})
}

func (m *Member) Stop(ctx context.Context, id string, c engine.Cause, message string) (engine.Header, error) {
	return call(ctx, m, stop, on[stopWith]{id, stopWith{c, message}})
}

func (m *Member) StopAll(ctx context.Context, c engine.Cause, message string) ([]engine.Header, error) {
	return call(ctx, m, stopAll, stopWith{c, message})
}

func (m *Member) Pause(ctx context.Context, id string) error {
	_, err := call(ctx, m, pause, on[none]{Run: id})
	return err
}

func (m *Member) Continue(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, proceed, on[none]{Run: id})
}

func (m *Member) TakeOver(ctx context.Context, id string, t engine.Takeover) (engine.Header, error) {
	return call(ctx, m, takeOver, on[engine.Takeover]{id, t})
}

func (m *Member) HandBack(ctx context.Context, id, by string) (engine.Header, error) {
	if err := m.views.end(ctx, id); err != nil {
		return engine.Header{}, err
	}
	return call(ctx, m, handBack, on[string]{id, by})
}

func (m *Member) Get(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, get, on[none]{Run: id})
}

func (m *Member) List(ctx context.Context, q engine.Query) ([]engine.Header, error) {
	return call(ctx, m, list, q)
}

func (m *Member) Report(ctx context.Context, id string, p engine.Page) (engine.Report, error) {
	r, err := call(ctx, m, report, on[engine.Page]{id, p})
	for _, s := range r.Steps {
		for i, c := range s.Captures { // hashes are not sent
			s.Captures[i].Hash = strings.TrimPrefix(c.URI, engine.CaptureURI(""))
		}
	}
	return r, err
}

func (m *Member) Events(ctx context.Context, id string, from uint64) ([]engine.Event, error) {
	return call(ctx, m, events, on[uint64]{id, from})
}

func (m *Member) File(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	return call(ctx, m, file, fileWith{sort, hash})
}

func (m *Member) Remove(ctx context.Context, id string, force bool) error {
	_, err := call(ctx, m, remove, on[bool]{id, force})
	return err
}

func (m *Member) Prune(ctx context.Context, r engine.Retention) (engine.Pruned, error) {
	return call(ctx, m, prune, r)
}

// Backup copies the store into a folder, relative to the working directory of this
// process.
func (m *Member) Backup(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = call(ctx, m, backup, dir)
	return err
}

func (m *Member) Check(ctx context.Context) (engine.Checkup, error) {
	return call(ctx, m, check, none{})
}

func (m *Member) Places(ctx context.Context) (engine.Places, error) {
	return call(ctx, m, places, none{})
}

func (m *Member) Wait(ctx context.Context, id string) (engine.Header, error) {
	return call(ctx, m, wait, on[none]{Run: id})
}

// Await implements engine.Runs. When another process becomes the owner, a call
// without an id returns the zero header.
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
