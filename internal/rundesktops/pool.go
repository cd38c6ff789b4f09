package rundesktops

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"understudy/engine"
)

// pool assigns a fixed number of desktops to runs, and decides when a desktop must be
// restarted so that a client finds no traces of another. It starts and ends none itself:
// its caller does, and reports that.
type pool struct {
	alive func(name string) bool // reports whether a desktop that is kept for a run still exists
	now   func() time.Time

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
	used    uint64            // pool.clock at its last use
	rested  time.Time         // the time of its last use
}

// newPool returns a pool of n desktops, none of which is started.
func newPool(n int) *pool {
	p := &pool{alive: func(string) bool { return true }, now: time.Now}
	for i := range n {
		p.slots = append(p.slots, &slot{name: fmt.Sprintf("pool-%d", i+1), lookers: map[string]string{}})
	}
	return p
}

// has reports whether a desktop belongs to the pool.
func (p *pool) has(name string) bool { return p.named(name) != nil }

func (p *pool) named(name string) *slot {
	if i := slices.IndexFunc(p.slots, func(s *slot) bool { return s.name == name }); i >= 0 {
		return p.slots[i]
	}
	return nil
}

// found reports a running desktop, with the client that used it last and the run for
// which it is kept, if any.
func (p *pool) found(name, client, run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.started, s.client, s.kept = true, client, run
		p.touch(s)
	}
}

// ended reports that a desktop has ended. When it is started again it is clean.
func (p *pool) ended(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.named(name); s != nil {
		s.ended()
	}
}

func (s *slot) ended() { s.started, s.client, s.kept = false, "", "" }

func (p *pool) touch(s *slot) {
	p.clock++
	s.used, s.rested = p.clock, p.now()
}

// claim assigns a desktop to a run that will act on it, if one is free.
func (p *pool) claim(r engine.DesktopRequest) (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.choose(r, true)
	if s == nil {
		return nil, false
	}
	before := s.run
	s.run = r.Run
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		s.run = before
	}, true
}

// of returns the desktop of a run: the one that it claimed, or, for a run that only
// looks, the one that its client used last.
func (p *pool) of(r engine.DesktopRequest) (name string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.run == r.Run {
			return s.name, true
		}
	}
	s := p.choose(r, false)
	if s == nil {
		return "", false
	}
	if r.On == nil {
		s.lookers[r.Run] = r.Client
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
func (p *pool) choose(r engine.DesktopRequest, acts bool) *slot {
	if r.On != nil {
		if s := p.named(r.On.Name); s != nil && (!acts || s.run == "" || s.run == r.Run) {
			return s
		}
		return nil
	}
	var best *slot
	rank := none
	for _, s := range p.slots {
		n := p.rank(s, r, acts)
		better := n < rank || n == rank && best != nil && (s.used < best.used) != (n == own)
		if n != none && better {
			best, rank = s, n
		}
	}
	return best
}

func (p *pool) rank(s *slot, r engine.DesktopRequest, acts bool) int {
	if s.kept != "" && !p.alive(s.name) {
		s.ended()
	}
	mine := s.started && s.client == r.Client && s.client != ""
	switch {
	case mine && !acts:
		return own
	case s.run != "" && s.run != r.Run || s.watched(r.Client):
		return none
	case mine && (s.kept == "" || r.Single || s.kept == r.Run): // a call may repair what a run failed at
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

// watched reports whether a run of a client other than this one looks at a desktop.
func (s *slot) watched(by string) bool {
	for _, client := range s.lookers {
		if client != by {
			return true
		}
	}
	return false
}

// enter notes that a run uses a desktop from now on. If the run may not see what is
// there, renew says why the desktop must be restarted before. It reports whether the
// desktop is new to the client, so that none of its runs can be there.
func (p *pool) enter(name string, r engine.DesktopRequest) (renew string, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.named(name)
	p.touch(s)
	switch {
	case r.On != nil:
		return "", false
	case !s.started || s.client == "":
		fresh = true
	case s.client == r.Client && (r.Single || s.run != r.Run): // it only looks, or may repair what a run failed at
	case s.kept != "" && s.kept != r.Run:
		renew = fmt.Sprintf("all %d desktops of the server were kept for runs or in use, and another run needed one", len(p.slots))
	case s.client != r.Client:
		renew = "a run of another client needed it"
	}
	if renew != "" {
		s.kept, fresh = "", true
	}
	s.started, s.client = true, r.Client
	return renew, fresh
}

// rest notes that a run has come to rest, and whether its desktop shall be kept for it.
// It reports whether the desktop is now kept, for this run or another, and whether another
// run uses it.
func (p *pool) rest(r engine.DesktopRequest, keep bool) (kept, used bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		delete(s.lookers, r.Run)
		if r.On == nil || s.name != r.On.Name {
			continue
		}
		p.touch(s)
		switch {
		case keep:
			s.kept = r.Run
		case s.kept == r.Run:
			s.kept = ""
		}
		kept, used = s.kept != "", s.run != "" && s.run != r.Run || len(s.lookers) > 0
	}
	return kept, used
}

// wanted returns the desktops to start so that the given number is clean and started.
func (p *pool) wanted(ready int) (names []string) {
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

// stale returns the desktops to end so that the given number can be clean and started:
// those that are not needed and were not used for the time idle, the least recently used
// first. If more will be stale later, next is when.
func (p *pool) stale(ready int, idle time.Duration) (names []string, next time.Time) {
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
		if at := s.rested.Add(idle); at.After(p.now()) {
			return names, at
		}
		names = append(names, s.name)
	}
	return names, time.Time{}
}

// needed reports whether a run uses a desktop or needs it later.
func (s *slot) needed() bool { return s.run != "" || s.kept != "" || len(s.lookers) > 0 }

// leave returns the desktops that a client used last and that are not needed any more
// once the client is gone.
func (p *pool) leave(client string) (names []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.started && s.client == client && !s.needed() {
			names = append(names, s.name)
		}
	}
	return names
}
