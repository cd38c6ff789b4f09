// Package pool says which of a number of desktops a run has to itself, and when
// one must be made clean before.
//
// It keeps account only: it starts and ends no desktop. Whoever does tells it.
package pool

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Who wants a desktop.
type Who struct {
	Run    string
	Client string
	Single bool   // the run is a single call
	On     string // the desktop of the pool that it is on already, or empty
}

// Pool is a number of desktops, each started when it is first needed.
type Pool struct {
	// Alive says whether a desktop that is kept for a run is still there.
	Alive func(name string) bool
	// Now is the time.
	Now func() time.Time

	mu    sync.Mutex
	slots []*slot
	clock uint64
}

// slot is one desktop of a pool.
type slot struct {
	name    string
	started bool
	run     string            // that acts there; empty: none
	lookers map[string]string // runs that look there, with their clients
	client  string            // whose traces are on it; empty: it is clean
	kept    string            // the run that it is kept for
	used    uint64
	rested  time.Time // when it was used last
}

// New is a pool of n desktops, none of which is started.
func New(n int) *Pool {
	p := &Pool{Alive: func(string) bool { return true }, Now: time.Now}
	for i := range n {
		p.slots = append(p.slots, &slot{name: fmt.Sprintf("pool-%d", i+1), lookers: map[string]string{}})
	}
	return p
}

func (p *Pool) Names() (all []string) {
	for _, s := range p.slots {
		all = append(all, s.name)
	}
	return all
}

// Has says whether a desktop with a name belongs to the pool.
func (p *Pool) Has(name string) bool { return p.named(name) != nil }

func (p *Pool) named(name string) *slot {
	for _, s := range p.slots {
		if s.name == name {
			return s
		}
	}
	return nil
}

// Found tells of a desktop that is started, with whose traces are on it and the
// run that it is kept for, if any.
func (p *Pool) Found(name, client, run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.started, s.client, s.kept = true, client, run
		p.touch(s)
	}
}

// Ended tells that a desktop has ended: the next that is started is clean.
func (p *Pool) Ended(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.started, s.client, s.kept = false, "", ""
	}
}

func (p *Pool) touch(s *slot) {
	p.clock++
	s.used, s.rested = p.clock, p.Now()
}

// Claim takes a desktop on which a run will act, if one is free.
func (p *Pool) Claim(w Who) (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.choose(w, true)
	if s == nil {
		return nil, false
	}
	before := s.run
	s.run = w.Run
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.run = before
	}, true
}

// Of is the desktop of a run: the one that it claimed, or, for one that only
// looks, the one that its client used last.
func (p *Pool) Of(w Who) (name string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if w.Run != "" && s.run == w.Run {
			return s.name, true
		}
	}
	s := p.choose(w, false)
	if s == nil {
		return "", false
	}
	if w.Run != "" && w.On == "" {
		s.lookers[w.Run] = w.Client
	}
	return s.name, true
}

// The order in which desktops are chosen.
const (
	own      = iota // with what the client did before
	clean           // ready
	absent          // to be started
	foreign         // to be made clean: the one that was used longest ago
	keptSlot        // kept for a run, which then can only begin again: the oldest
	none            // not at all
)

// choose is the best desktop for a run, or nil.
func (p *Pool) choose(w Who, acts bool) *slot {
	if w.On != "" {
		if s := p.named(w.On); s != nil && (!acts || s.run == "" || s.run == w.Run) {
			return s
		}
		return nil
	}
	var best *slot
	rank := none
	for _, s := range p.slots {
		r := p.rank(s, w, acts)
		better := r < rank || r == rank && best != nil && (s.used < best.used) != (r == own)
		if r != none && better {
			best, rank = s, r
		}
	}
	return best
}

func (p *Pool) rank(s *slot, w Who, acts bool) int {
	if s.kept != "" && !p.Alive(s.name) {
		s.started, s.client, s.kept = false, "", ""
	}
	mine := s.started && s.client == w.Client && s.client != ""
	switch {
	case mine && !acts:
		return own
	case s.run != "" && s.run != w.Run || p.watched(s, w):
		return none
	case mine && (s.kept == "" || w.Single || s.kept == w.Run): // a call may mend what a run failed at
		return own
	case !s.started:
		return absent
	case s.client == "":
		return clean
	case s.kept == "":
		return foreign
	}
	return keptSlot
}

// watched says whether a run of another client looks at a desktop.
func (p *Pool) watched(s *slot, w Who) bool {
	for _, client := range s.lookers {
		if client != w.Client {
			return true
		}
	}
	return false
}

// Enter notes that a run uses a desktop from now on. When that is not to see
// what is there, it says why the desktop must end, and be started anew, before.
func (p *Pool) Enter(name string, w Who) (renew string, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.named(name)
	p.touch(s)
	switch {
	case w.On != "":
		return "", false
	case !s.started || s.client == "":
	case s.kept != "" && s.kept != w.Run && !(w.Single && s.client == w.Client):
		renew = fmt.Sprintf("all %d desktops of the server were kept for runs or in use, and another run needed one", len(p.slots))
	case s.client != w.Client:
		renew = "a run of another client needed it"
	}
	if renew != "" {
		s.kept = ""
	}
	s.started, s.client = true, w.Client
	return renew, true
}

// Rest notes that a run has come to rest, and whether its desktop is to be kept
// for it. It says whether that is now kept, for this run or another.
func (p *Pool) Rest(w Who, keep bool) (kept bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		delete(s.lookers, w.Run)
		if s.name != w.On {
			continue
		}
		p.touch(s)
		switch {
		case keep:
			s.kept = w.Run
		case s.kept == w.Run:
			s.kept = ""
		}
		kept = s.kept != ""
	}
	return kept
}

// Wanted are the desktops to start so that so many are clean and ready.
func (p *Pool) Wanted(ready int) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.started && s.client == "" && s.run == "" {
			ready--
		}
	}
	for _, s := range p.slots {
		if len(names) < ready && !s.started && s.run == "" {
			names = append(names, s.name)
		}
	}
	return names
}

// Stale are the desktops to end so that so many can be clean and ready: those that
// nobody needs and that no run has used for so long, the oldest first. It says too
// when to look again, if more are wanted.
func (p *Pool) Stale(ready int, idle time.Duration) (names []string, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var resting []*slot
	for _, s := range p.slots {
		switch {
		case s.run != "" || s.kept != "" || len(s.lookers) > 0:
		case !s.started || s.client == "":
			ready--
		default:
			resting = append(resting, s)
		}
	}
	slices.SortFunc(resting, func(a, b *slot) int { return cmp.Compare(a.used, b.used) })
	for _, s := range resting[:max(0, min(ready, len(resting)))] {
		if at := s.rested.Add(idle); at.After(p.Now()) {
			return names, at
		}
		names = append(names, s.name)
	}
	return names, time.Time{}
}

// Leave is for a client that is gone: it gives the desktops that nobody needs any
// more, which may end.
func (p *Pool) Leave(client string) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.started && s.client == client && s.run == "" && s.kept == "" && len(s.lookers) == 0 {
			names = append(names, s.name)
		}
	}
	return slices.Clip(names)
}
