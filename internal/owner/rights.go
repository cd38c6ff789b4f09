package owner

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"understudy/engine"
	"understudy/mcpserver/access"
	"understudy/steps"
)

// allowByMember returns the function that the engine asks at each step whether the
// member to which the run belongs may use the kind. That is own for the owner itself;
// for a guest, the rights that it sent and the guest itself, if it answers.
func (h *host) allowByMember(own func(run, client string, k steps.Kind) error) func(run, client string, k steps.Kind) error {
	return func(run, client string, k steps.Kind) error {
		member, rights := h.rightsOf(run)
		switch {
		case member == h.id && own != nil:
			return own(run, client, k)
		case member == h.id:
			return nil
		case rights != nil:
			if err := rights.Allow(client, k); err != nil {
				return err
			}
		}
		return h.ask(member, run, client, k)
	}
}

// rightsOf returns the member to which a run belongs, and its rights; nil: it sent
// none.
func (h *host) rightsOf(run string) (member string, rights *access.Rights) {
	h.mu.Lock()
	defer h.mu.Unlock()
	member = cmp.Or(h.began[run], h.id)
	return member, h.rights[member]
}

func (h *host) setRights(member string, rights *access.Rights) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rights[member] = rights
}

// mostNoted is the number of runs above which those at rest are forgotten.
const mostNoted = 1000

// setMember assigns a run to a member, and returns the one to which it belonged
// before.
func (h *host) setMember(run, member string) (before string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.allowed, run)
	if before = h.began[run]; member == "" {
		delete(h.began, run)
		return before
	}
	if len(h.began) >= mostNoted {
		h.forgetInactive()
	}
	h.began[run] = member
	return before
}

// forgetInactive removes the runs that are not being executed, and the rights of
// members that have gone.
func (h *host) forgetInactive() {
	active := h.local.Engine.Active()
	maps.DeleteFunc(h.began, func(run, _ string) bool { return !slices.Contains(active, run) })
	maps.DeleteFunc(h.bound, func(run string, _ bool) bool { return !slices.Contains(active, run) })
	maps.DeleteFunc(h.allowed, func(run string, _ []string) bool { return !slices.Contains(active, run) })
	here := slices.Collect(maps.Values(h.began))
	for g := range h.guests {
		here = append(here, g.ID)
	}
	maps.DeleteFunc(h.rights, func(member string, _ *access.Rights) bool { return !slices.Contains(here, member) })
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

// attribute begins or continues a run for the member. If that fails, the run stays
// with its previous member.
func (n attributing) attribute(run string, do func() (engine.Header, error)) (engine.Header, error) {
	before := ""
	if run != "" {
		before = n.h.setMember(run, n.member)
	}
	h, err := do()
	switch {
	case err != nil && run != "":
		n.h.setMember(run, before)
	case err == nil && h.ID != run:
		n.h.setMember(h.ID, n.member)
	}
	return h, err
}

// SetRights changes what this process may do.
func (m *Member) SetRights(ctx context.Context, rights access.Rights) error {
	select {
	case m.mutex <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
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
