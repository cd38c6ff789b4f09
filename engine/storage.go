package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"understudy/steps"
)

// Storage limits how many bytes the runs of a credential may store; 0: no limit.
type Storage struct {
	Run int64 `json:"run,omitempty"` // by one run, in all its attempts
	Day int64 `json:"day,omitempty"` // by all runs of the owner, in a day of UTC
}

// storedToday counts the bytes that the runs of each owner have stored today.
type storedToday struct {
	mu  sync.Mutex
	day time.Time
	by  map[string]int64
}

// start starts a new day when it has come. The mutex is held.
func (x *storedToday) start(now time.Time) {
	if day := now.UTC().Truncate(24 * time.Hour); !day.Equal(x.day) || x.by == nil {
		x.day, x.by = day, map[string]int64{}
	}
}

// add adds bytes of an owner who is being counted.
func (x *storedToday) add(owner string, n int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.start(time.Now())
	if _, counted := x.by[owner]; counted {
		x.by[owner] += n
	}
}

// of returns how much an owner has stored today. The first call for an owner reads
// the headers of today's runs.
func (x *storedToday) of(ctx context.Context, st Store, owner string) (int64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.start(time.Now())
	n, counted := x.by[owner]
	if counted {
		return n, nil
	}
	for h, err := range st.Runs(ctx, Query{Owner: owner, Since: x.day, Calls: true}) {
		if err != nil {
			return 0, err
		}
		n += h.Bytes
	}
	x.by[owner] = n
	return n, nil
}

// checkQuota returns an error if a credential has stored as much as it may today; nil: it
// has not.
func (x *storedToday) checkQuota(ctx context.Context, st Store, owner string, most Storage, more int64) *steps.Error {
	if owner == "" || most.Day == 0 {
		return nil
	}
	n, err := x.of(ctx, st, owner)
	switch {
	case err != nil:
		return steps.AsError(fmt.Errorf("counting what the runs of %s have stored: %w", owner, err))
	case n+more < most.Day:
		return nil
	}
	return steps.Errorf(steps.Busy, "the runs of %s have stored %s today, the limit of one credential", owner, megabytes(n+more)).
		WithNext("retry after 00:00 UTC, or ask the operator to start the server with a larger --max-day-mb")
}

// quotaStop returns the stop of a run that has stored as much as it may; nil: it has not.
// Its finally may store a quarter more.
func (v *evaluator) quotaStop() *Stopping {
	c := &v.s.Created
	if c.Owner == "" || c.Storage == (Storage{}) {
		return nil
	}
	n := v.header.Bytes + v.uncounted.Load()
	why := v.e.today.checkQuota(context.Background(), v.e.Store, c.Owner, c.Storage, v.uncounted.Load())
	if c.Storage.Run > 0 && n >= c.Storage.Run {
		why = steps.Errorf(steps.Unavailable, "the run has stored %s, the limit of one run of a credential", megabytes(n)).
			WithNext("log less, take fewer pictures, put large values into files; or ask the operator to start the server with a larger --max-run-mb")
	}
	if why == nil {
		return nil
	}
	return &Stopping{Cause: BySpace, Error: *v.errorRecord(why, ""), Abort: v.s.Stop != nil && c.Storage.Run > 0 && n >= c.Storage.Run+c.Storage.Run/4}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
