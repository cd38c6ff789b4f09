package owner

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/steps"
)

// allowByMember returns the function that the engine asks at each step whether the
// member to which the run belongs may use the kind. That is own for the owner itself;
// for a guest, the rights that it sent and the guest itself, if it answers.
func (h *host) allowByMember(own func(run, client string, k steps.Kind) error) func(run, client string, k steps.Kind) error {
	return func(run, client string, k steps.Kind) error {
		a, rights := h.attribution.of(run)
		switch {
		case a.member == h.id && own != nil:
			return own(run, client, k)
		case a.member == h.id:
			return nil
		case rights != nil:
			if err := rights.Allow(client, k); err != nil {
				return err
			}
		}
		return h.ask(a, run, client, k)
	}
}

// attribution knows to which member each run belongs, and what the clients of each
// member may do. Runs that nobody else began or continued belong to the owner.
type attribution struct {
	owner string                          // its id as a member
	inUse func() (runs, members []string) // what must be remembered

	mu     sync.Mutex
	runs   map[string]attributed
	rights map[string]*access.Rights // of members, as they sent them
}

// attributed is what is known of one run.
type attributed struct {
	member  string   // that last began or continued the run
	bound   bool     // the run belongs to a credential
	allowed []string // kinds that its guest has allowed, unless bound
	begun   int      // calls that began or continued the run, or tried to
	pending int      // those of them under way
}

// of returns what is known of a run, and the rights of its member; nil: it sent none.
func (x *attribution) of(run string) (attributed, *access.Rights) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.runs[run]
	a.member = cmp.Or(a.member, x.owner)
	return a, x.rights[a.member]
}

func (x *attribution) runsOf(member string) (runs []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for run, a := range x.runs {
		if a.member == member {
			runs = append(runs, run)
		}
	}
	return runs
}

func (x *attribution) setRights(member string, rights *access.Rights) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rights[member] = rights
}

// note records the answer of a guest for one of its runs, unless another member has continued
// the run meanwhile.
func (x *attribution) note(run, member, kind string, v verdict) {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := x.runs[run]
	if a.member != member {
		return
	}
	if a.bound = v.Bound; v.Why == nil && !v.Bound {
		a.allowed = append(a.allowed, kind)
	}
	x.runs[run] = a
}

// mostNoted is the number of runs above which those at rest are forgotten.
const mostNoted = 1000

// setMember assigns a run to a member.
func (x *attribution) setMember(run, member string) { x.begin(run, member)(nil) }

// begin assigns a run to a member that is about to begin or continue it, until end is called
// with an error: then the run stays with its previous member, unless another call has begun
// or continued it meanwhile.
func (x *attribution) begin(run, member string) (end func(error)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.runs) >= mostNoted {
		x.forget(x.inUse())
	}
	before := x.runs[run]
	begun := before.begun + 1
	x.runs[run] = attributed{member: member, bound: before.bound, begun: begun, pending: before.pending + 1}
	return func(err error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		a := x.runs[run]
		if a.pending--; err != nil && a.begun == begun {
			a.member, a.allowed = before.member, before.allowed
		}
		if x.runs[run] = a; a.member == "" && a.pending == 0 {
			delete(x.runs, run)
		}
	}
}

// forget removes the runs that are not in use, and the rights of members that neither
// are nor have runs. The mutex is held.
func (x *attribution) forget(runs, members []string) {
	maps.DeleteFunc(x.runs, func(run string, a attributed) bool { return a.pending == 0 && !slices.Contains(runs, run) })
	for _, a := range x.runs {
		members = append(members, a.member)
	}
	maps.DeleteFunc(x.rights, func(member string, _ *access.Rights) bool { return !slices.Contains(members, member) })
}

// attributing is a Runs that assigns a run to a member before the first step of the
// run asks for the rights of the member.
type attributing struct {
	engine.Runs
	h      *host
	member string
}

func (n attributing) Start(ctx context.Context, r engine.Request) (engine.Header, error) {
	return n.attribute(r.Key, func() (engine.Header, error) { return n.Runs.Start(ctx, r) })
}

func (n attributing) Resume(ctx context.Context, id string, r engine.ResumeRequest) (engine.Header, error) {
	return n.attribute(id, func() (engine.Header, error) { return n.Runs.Resume(ctx, id, r) })
}

func (n attributing) Fork(ctx context.Context, id, from string, r engine.ResumeRequest) (engine.Header, error) {
	return n.attribute(r.Key, func() (engine.Header, error) { return n.Runs.Fork(ctx, id, from, r) })
}

func (n attributing) Answer(ctx context.Context, id string, a engine.Answer) (engine.Header, error) {
	return n.attribute(id, func() (engine.Header, error) { return n.Runs.Answer(ctx, id, a) })
}

func (n attributing) Continue(ctx context.Context, id string) (engine.Header, error) {
	return n.attribute(id, func() (engine.Header, error) { return n.Runs.Continue(ctx, id) })
}

// attribute begins or continues a run for the member.
func (n attributing) attribute(run string, do func() (engine.Header, error)) (engine.Header, error) {
	end := func(error) {}
	if run != "" {
		end = n.h.attribution.begin(run, n.member)
	}
	h, err := do()
	if end(err); err == nil && h.ID != run {
		n.h.attribution.setMember(h.ID, n.member)
	}
	return h, err
}

// SetRights changes what this process may do.
func (m *Member) SetRights(ctx context.Context, rights access.Rights) error {
	if err := m.lock(ctx); err != nil {
		return err
	}
	m.o.Hello.Rights = &rights
	c := m.now.client
	m.release()
	if c == nil {
		return nil
	}
	_, err := c.call(ctx, rightsPath, rights)
	if isLost(err) {
		return nil // the next owner receives them with the hello
	}
	return err
}
