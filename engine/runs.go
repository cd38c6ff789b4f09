package engine

import "context"

// Runs is what the command line and each server use: all that can be done
// with runs. It is an Engine in the process that owns the store and the
// desktop, and goes through a socket in every other.
type Runs interface {
	Start(ctx context.Context, r Request) (Header, error)
	Resume(ctx context.Context, id string, r ResumeRequest) (Header, error)
	Fork(ctx context.Context, id, from string, r ResumeRequest) (Header, error)
	Plan(ctx context.Context, id string, r ResumeRequest) (Plan, error)
	Answer(ctx context.Context, id string, a Answer) (Header, error)
	Stop(ctx context.Context, id string, c Cause, message string) (Header, error)
	StopAll(ctx context.Context, c Cause, message string) ([]Header, error)
	Pause(ctx context.Context, id string) error
	Continue(ctx context.Context, id string) (Header, error)

	Get(ctx context.Context, id string) (Header, error)
	List(ctx context.Context, q Query) ([]Header, error)
	Report(ctx context.Context, id string, p Page) (Report, error)
	Events(ctx context.Context, id string, from uint64) ([]Event, error)
	File(ctx context.Context, sort FileSort, hash string) ([]byte, error)
	Remove(ctx context.Context, id string, force bool) error
	Prune(ctx context.Context, r Retention) (Pruned, error)
	Backup(ctx context.Context, dir string) error
	Check(ctx context.Context) (Checkup, error)
	// Wait returns when a run ends, waits or pauses.
	Wait(ctx context.Context, id string) (Header, error)
	// Await returns when a run has more events than after, or stands still;
	// with no id, when any run has news.
	Await(ctx context.Context, id string, after uint64) (Header, error)
}

var _ Runs = (*Engine)(nil)

// Await returns when a run has more events than after, or stands still.
func (e *Engine) Await(ctx context.Context, id string, after uint64) (Header, error) {
	e.open()
	news, end := e.hub.watch(id)
	defer end()
	for {
		if id != "" {
			h, err := e.Get(ctx, id)
			if err != nil || h.Seq > after || h.Status != Running && h.Status != Queued {
				return h, err
			}
		}
		select {
		case <-news:
			if id == "" {
				return Header{}, nil
			}
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
}
