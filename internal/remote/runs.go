package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"understudy/engine"
)

// Runs are those of another process. Call has that process call a method with encoded
// arguments, and returns the encoded result.
type Runs struct {
	Call func(ctx context.Context, method string, args []byte) ([]byte, error)
}

var _ engine.Runs = Runs{}

func call[R any](ctx context.Context, r Runs, method string, args ...any) (out R, err error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return out, Malformed(method, err)
	}
	answer, err := r.Call(ctx, method, raw)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		return out, Malformed(method, err)
	}
	return out, nil
}

func (r Runs) Start(ctx context.Context, q engine.Request) (engine.Header, error) {
	q.Key = cmp.Or(q.Key, engine.NewKey())
	return call[engine.Header](ctx, r, "Start", q)
}

func (r Runs) Resume(ctx context.Context, id string, q engine.ResumeRequest) (engine.Header, error) {
	q.Key = cmp.Or(q.Key, engine.NewKey())
	return call[engine.Header](ctx, r, "Resume", id, q)
}

func (r Runs) Fork(ctx context.Context, id, from string, q engine.ResumeRequest) (engine.Header, error) {
	q.Key = cmp.Or(q.Key, engine.NewKey())
	return call[engine.Header](ctx, r, "Fork", id, from, q)
}

func (r Runs) Plan(ctx context.Context, id string, q engine.ResumeRequest) (engine.Plan, error) {
	return call[engine.Plan](ctx, r, "Plan", id, q)
}

func (r Runs) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	a.Key = cmp.Or(a.Key, engine.NewKey())
	return call[engine.Header](ctx, r, "Answer", id, a)
}

func (r Runs) Stop(ctx context.Context, id string, c engine.Cause, message string) (engine.Header, error) {
	return call[engine.Header](ctx, r, "Stop", id, c, message)
}

func (r Runs) StopAll(ctx context.Context, c engine.Cause, message string) ([]engine.Header, error) {
	return call[[]engine.Header](ctx, r, "StopAll", c, message)
}

func (r Runs) Pause(ctx context.Context, id string) error {
	_, err := call[any](ctx, r, "Pause", id)
	return err
}

func (r Runs) Continue(ctx context.Context, id string) (engine.Header, error) {
	return call[engine.Header](ctx, r, "Continue", id)
}

func (r Runs) TakeOver(ctx context.Context, id string, t engine.Takeover) (engine.Header, error) {
	return call[engine.Header](ctx, r, "TakeOver", id, t)
}

func (r Runs) HandBack(ctx context.Context, id, by string) (engine.Header, error) {
	return call[engine.Header](ctx, r, "HandBack", id, by)
}

func (r Runs) Get(ctx context.Context, id string) (engine.Header, error) {
	return call[engine.Header](ctx, r, "Get", id)
}

func (r Runs) List(ctx context.Context, q engine.Query) ([]engine.Header, error) {
	return call[[]engine.Header](ctx, r, "List", q)
}

func (r Runs) Report(ctx context.Context, id string, p engine.Page) (engine.Report, error) {
	report, err := call[engine.Report](ctx, r, "Report", id, p)
	for _, s := range report.Steps {
		for i, c := range s.Captures { // hashes are not sent
			s.Captures[i].Hash = strings.TrimPrefix(c.URI, engine.CaptureURI(""))
		}
	}
	return report, err
}

func (r Runs) Events(ctx context.Context, id string, from uint64) ([]engine.Event, error) {
	return call[[]engine.Event](ctx, r, "Events", id, from)
}

func (r Runs) File(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	return call[[]byte](ctx, r, "File", sort, hash)
}

func (r Runs) Remove(ctx context.Context, id string, force bool) error {
	_, err := call[any](ctx, r, "Remove", id, force)
	return err
}

func (r Runs) Prune(ctx context.Context, q engine.Retention) (engine.Pruned, error) {
	return call[engine.Pruned](ctx, r, "Prune", q)
}

// Backup copies the store into a folder, relative to the working directory of this
// process.
func (r Runs) Backup(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	_, err = call[any](ctx, r, "Backup", dir)
	return err
}

func (r Runs) Check(ctx context.Context) (engine.Checkup, error) {
	return call[engine.Checkup](ctx, r, "Check")
}

func (r Runs) Places(ctx context.Context) (engine.Places, error) {
	return call[engine.Places](ctx, r, "Places")
}

func (r Runs) Wait(ctx context.Context, id string) (engine.Header, error) {
	return call[engine.Header](ctx, r, "Wait", id)
}

func (r Runs) Await(ctx context.Context, id string, after uint64) (engine.Header, error) {
	return call[engine.Header](ctx, r, "Await", id, after)
}
