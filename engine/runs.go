package engine

import (
	"context"
	"iter"
)

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
	// TakeOver gives the desktop of a run to a person, and HandBack takes it back.
	TakeOver(ctx context.Context, id string, t Takeover) (Header, error)
	HandBack(ctx context.Context, id, by string) (Header, error)

	Get(ctx context.Context, id string) (Header, error)
	List(ctx context.Context, q Query) ([]Header, error)
	Report(ctx context.Context, id string, p Page) (Report, error)
	Events(ctx context.Context, id string, from uint64) ([]Event, error)
	File(ctx context.Context, sort FileSort, hash string) ([]byte, error)
	Remove(ctx context.Context, id string, force bool) error
	Prune(ctx context.Context, r Retention) (Pruned, error)
	Backup(ctx context.Context, dir string) error
	Check(ctx context.Context) (Checkup, error)
	// Places says which runs act on the desktop, and how many may at once.
	Places(ctx context.Context) (Places, error)
	// Wait returns when a run ends, waits or pauses.
	Wait(ctx context.Context, id string) (Header, error)
	// Await returns when a run has more events than after, or stands still.
	// With no id it returns when any run has had news since the Seq that it
	// gave the last time, and at once when after is of no such header.
	Await(ctx context.Context, id string, after uint64) (Header, error)
}

var _ Runs = (*Engine)(nil)

// History yields all events of a run.
func History(ctx context.Context, runs Runs, id string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for seen := uint64(0); ; {
			events, err := runs.Events(ctx, id, seen+1)
			if err != nil {
				yield(Event{}, err)
				return
			}
			if len(events) == 0 {
				return
			}
			for _, ev := range events {
				if !yield(ev, nil) {
					return
				}
				seen = ev.Seq
			}
		}
	}
}

// Places are those for runs that act on the desktop.
type Places struct {
	Taken []string `json:"taken"` // by these runs
	Total int      `json:"total"`
}

// Places says which runs act on the desktop, and how many may at once.
func (e *Engine) Places(context.Context) (Places, error) {
	taken, total := e.lease().Holders()
	return Places{taken, total}, nil
}
