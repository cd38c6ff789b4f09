// Package pool assigns a fixed number of desktops to runs, and decides when a desktop
// must be restarted so that a client finds no traces of another.
//
// It starts and ends no desktop itself: its caller does, and reports that.
package pool

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Who is a run that wants a desktop.
type Who struct {
	Run    string
	Client string
	Single bool   // the run is a single call
	On     string // the desktop of the pool that the run uses already, or empty
}

// Pool is a number of desktops, each started when it is first needed.
type Pool struct {
	// Alive reports whether a desktop that is kept for a run still exists.
	Alive func(name string) bool
	// Now returns the time.
	Now func() time.Time

	mu    sync.Mutex
	slots []*slot
	clock uint64
}

// slot is one desktop of a pool.
type slot struct {
	name    string
	started bool
	run     string            // the run that acts on it, or empty
	lookers map[string]string // the runs that look at it, with their clients
	client  string            // the client that used it last; empty if it is clean
	kept    string            // the run for which it is kept, or empty
	used    uint64            // Pool.clock at its last use
	rested  time.Time         // the time of its last use
}

// New returns a pool of n desktops, none of which is started.
func New(n int) *Pool {
	p := &Pool{Alive: func(string) bool { return true }, Now: time.Now}
	for i := range n {
		p.slots = append(p.slots, &slot{name: fmt.Sprintf("pool-%d", i+1), lookers: map[string]string{}})
	}
	return p
}

// Names returns the names of all desktops.
func (p *Pool) Names() (all []string) {
	for _, s := range p.slots {
		all = append(all, s.name)
	}
	return all
}

// Has reports whether a desktop belongs to the pool.
func (p *Pool) Has(name string) bool { return p.named(name) != nil }

func (p *Pool) named(name string) *slot {
	if i := slices.IndexFunc(p.slots, func(s *slot) bool { return s.name == name }); i >= 0 {
		return p.slots[i]
	}
	return nil
}

// Found reports a running desktop, with the client that used it last and the run for
// which it is kept, if any.
func (p *Pool) Found(name, client, run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.started, s.client, s.kept = true, client, run
		p.touch(s)
	}
}

// Ended reports that a desktop has ended. When it is started again it is clean.
func (p *Pool) Ended(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.ended()
	}
}

func (s *slot) ended() { s.started, s.client, s.kept = false, "", "" }

func (p *Pool) touch(s *slot) {
	p.clock++
	s.used, s.rested = p.clock, p.Now()
}

// Claim assigns a desktop to a run that will act on it, if one is free.
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

// Of returns the desktop of a run: the one that it claimed, or, for a run that only
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
	own      = iota // used last by this client
	clean           // started
	absent          // must be started
	foreign         // must be restarted: the least recently used one
	keptSlot        // kept for a run, which can then only begin again: the least recently used one
	none            // cannot be used
)

// choose returns the best desktop for a run, or nil.
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
		s.ended()
	}
	mine := s.started && s.client == w.Client && s.client != ""
	switch {
	case mine && !acts:
		return own
	case s.run != "" && s.run != w.Run || s.watched(w):
		return none
	case mine && (s.kept == "" || w.Single || s.kept == w.Run): // a call may repair what a run failed at
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

// watched reports whether a run of another client looks at a desktop.
func (s *slot) watched(w Who) bool {
	for _, client := range s.lookers {
		if client != w.Client {
			return true
		}
	}
	return false
}

// Enter notes that a run uses a desktop from now on. If the run may not see what is
// there, renew says why the desktop must be restarted before. It reports whether the
// desktop is new to the client, so that none of its runs can be there.
func (p *Pool) Enter(name string, w Who) (renew string, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.named(name)
	p.touch(s)
	switch {
	case w.On != "":
		return "", false
	case !s.started || s.client == "":
		fresh = true
	case s.kept != "" && s.kept != w.Run && !(w.Single && s.client == w.Client):
		renew = fmt.Sprintf("all %d desktops of the server were kept for runs or in use, and another run needed one", len(p.slots))
	case s.client != w.Client:
		renew = "a run of another client needed it"
	}
	if renew != "" {
		s.kept, fresh = "", true
	}
	s.started, s.client = true, w.Client
	return renew, fresh
}

// Rest notes that a run has come to rest, and whether its desktop shall be kept for it.
// It reports whether the desktop is now kept, for this run or another.
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

// Wanted returns the desktops to start so that the given number is clean and started.
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

// Stale returns the desktops to end so that the given number can be clean and started:
// those that are not needed and were not used for the time idle, the least recently used
// first. If more will be stale later, next is when.
func (p *Pool) Stale(ready int, idle time.Duration) (names []string, next time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var resting []*slot
	for _, s := range p.slots {
		switch {
		case s.needed():
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

// needed reports whether a run uses a desktop or needs it later.
func (s *slot) needed() bool { return s.run != "" || s.kept != "" || len(s.lookers) > 0 }

// Leave returns the desktops that a client used last and that are not needed any more
// once the client is gone.
func (p *Pool) Leave(client string) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.started && s.client == client && !s.needed() {
			names = append(names, s.name)
		}
	}
	return names
}
