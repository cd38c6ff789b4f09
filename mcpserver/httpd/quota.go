package httpd

import (
	"fmt"
	"maps"
	"net/http"
	"sync"

	"understudy/mcpserver/auth"
	"understudy/steps"
)

// Bounds of what is in flight; beyond them the server is busy. They are far above any
// ordinary use. A single credential may take only a part.
const (
	MaxCalls    = 256
	MaxSessions = 2_000
	MaxRuns     = 256

	maxCallsEach    = MaxCalls / 4
	maxSessionsEach = MaxSessions / 4
	maxRunsEach     = MaxRuns / 4
	maxRequestsEach = maxConnections / 4
)

// quotas counts what each credential has in flight.
type quotas struct {
	mu       sync.Mutex
	requests map[string]int // by credential; a stream is one as long as it lasts
	calls    map[string]int // by credential
	total    int
	sessions map[string]string // session → credential
	opening  map[string]int    // sessions being opened, by credential
	refused  map[string]uint64 // by the bound that was reached
}

// ownerOf returns the credential of a request; "" if the server asks for none.
func ownerOf(r *http.Request) string {
	g, _ := auth.From(r.Context())
	return g.Name
}

// bounded refuses a credential that has too many requests in flight: each takes a
// connection.
func (q *quotas) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done, err := q.takeRequest(ownerOf(r))
		if err != nil {
			writeError(w, err.status, err.err)
			return
		}
		defer done()
		next.ServeHTTP(w, r)
	})
}

// takeRequest counts a request until done is called, unless there are too many.
func (q *quotas) takeRequest(owner string) (done func(), err *quotaError) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.check("requests", owner, q.requests[owner], maxRequestsEach, 0, 1); err != nil {
		err.err.Next = "end some streams of events, or try again later"
		return nil, err
	}
	addCount(&q.requests, owner, 1)
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		addCount(&q.requests, owner, -1)
	}, nil
}

// take counts the calls of a request and the session that it opens, unless there are
// too many. Live returns the open sessions, and runs counts the runs of a credential
// and of all.
func (q *quotas) take(owner string, calls int, session bool, live func() []string, runs func(owner string) (own, all int)) (release func(), err *quotaError) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if calls > 0 {
		own, all := runs(owner)
		if err := q.check("runs", owner, own, maxRunsEach, all, MaxRuns); err != nil {
			return nil, err
		}
		if err := q.check("calls", owner, q.calls[owner]+calls-1, maxCallsEach, q.total+calls-1, MaxCalls); err != nil {
			return nil, err
		}
	}
	if session {
		own, all := q.countSessions(owner, live())
		if err := q.check("sessions", owner, own, maxSessionsEach, all, MaxSessions); err != nil {
			return nil, err
		}
		addCount(&q.opening, owner, 1)
	}
	addCount(&q.calls, owner, calls)
	q.total += calls
	return func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		addCount(&q.calls, owner, -calls)
		q.total -= calls
		if session {
			addCount(&q.opening, owner, -1)
		}
	}, nil
}

// countSessions counts the sessions of a credential and of all, including those that
// are being opened, and forgets those that ended.
func (q *quotas) countSessions(owner string, live []string) (own, all int) {
	kept := map[string]string{}
	for _, id := range live {
		kept[id] = q.sessions[id]
		if kept[id] == owner {
			own++
		}
	}
	q.sessions = kept
	own, all = own+q.opening[owner], len(live)
	for _, n := range q.opening {
		all += n
	}
	return own, all
}

// noteSession stores the owner of a session.
func (q *quotas) noteSession(id, owner string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.sessions == nil {
		q.sessions = map[string]string{}
	}
	q.sessions[id] = owner
}

// check returns the error for a count that has reached its bound, or nil. The caller
// holds mu.
func (q *quotas) check(what, owner string, own, mostOwn, all, most int) *quotaError {
	if all < most && (owner == "" || own < mostOwn) {
		return nil
	}
	if q.refused == nil {
		q.refused = map[string]uint64{}
	}
	q.refused[what]++
	x := &quotaError{status: http.StatusServiceUnavailable}
	x.err = steps.Errorf(steps.Busy, "there are %d %s, the maximum", all, what)
	if all < most {
		x.status = http.StatusTooManyRequests
		x.err = steps.Errorf(steps.Busy, "this credential has %d %s, the maximum", own, what)
	}
	x.err.Next = fmt.Sprintf("end some %s, or try again later; get_run and stop_execution still work", what)
	return x
}

// quotaError is the error of a bound that is reached, by one credential or by all.
type quotaError struct {
	status int
	err    *steps.Error
}

// refusals returns how many requests were refused, by the bound that was reached.
func (q *quotas) refusals() map[string]uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return maps.Clone(q.refused)
}

func addCount(m *map[string]int, key string, n int) {
	if *m == nil {
		*m = map[string]int{}
	}
	if (*m)[key] += n; (*m)[key] == 0 {
		delete(*m, key)
	}
}
