package engine

import (
	"context"
	"iter"
)

// Runs is the API for runs that the command line and all servers use. It is
// implemented by an Engine in the process that owns the store and the desktop, and by
// a client of its socket in all others.
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
	// Places returns which runs act on desktops, and how many may.
	Places(ctx context.Context) (Places, error)
	// Wait returns when a run ends, waits for an answer or is paused.
	Wait(ctx context.Context, id string) (Header, error)
	// Await returns when a run has more events than after, or is at rest. With an
	// empty id it returns the ID of the next run that has news since the header whose
	// Seq is after; or no ID if any run may have, as when after is not from such a
	// header or too old.
	Await(ctx context.Context, id string, after uint64) (Header, error)
}

var _ Runs = (*Engine)(nil)

// History yields all events of a run.
func History(ctx context.Context, runs Runs, id string) iter.Seq2[Event, error] {
	return historyFrom(ctx, runs, id, 1)
}

func historyFrom(ctx context.Context, runs Runs, id string, from uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for seen := from - 1; ; {
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

// Places tells which runs hold a place of the lease, how many places there are, and which
// runs are being executed, without those that only read.
type Places struct {
	Taken []string `json:"taken"` // ids of runs
	Total int      `json:"total"`
	Busy  []string `json:"busy,omitempty"`
}

// A Workplace is a worker of a fleet, or the machine of a server without one.
type Workplace struct {
	Worker string   `json:"worker"`
	Labels []string `json:"labels,omitempty"`
	Places
}

// Places returns which runs act on desktops, and how many may.
func (e *Engine) Places(context.Context) (Places, error) {
	taken, total := e.Lease.Holders()
	return Places{taken, total, e.busy()}, nil
}
