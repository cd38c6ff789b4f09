package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/workflows"
)

// storedRights is stored with a run that resumes by itself: the rights of its caller,
// which cannot be determined any more after a restart of the server.
type storedRights struct {
	access.Policy
	Signed bool `json:"signed,omitempty"` // the credential is a signed token, of which nothing else is stored
}

func (c caller) rightsToStore() json.RawMessage {
	raw, err := json.Marshal(storedRights{c.Policy, c.grant != nil && c.grant.Signed})
	if err != nil {
		return nil // then only the rights of the server and the credential apply
	}
	return raw
}

// ResumeInterrupted resumes the interrupted runs whose documents have resume: auto, the
// oldest first. The next one begins when the one before has its desktop, or comes to
// rest. Each has the current rights of its caller. ResumeInterrupted returns at once;
// Close waits for its end.
func (s *Server) ResumeInterrupted() {
	s.inflight.detached.Go(func() {
		if err := s.resumer.resumeInterrupted(s.inflight.life); err != nil && s.inflight.life.Err() == nil {
			s.o.Log.Error("interrupted runs could not be resumed automatically", "error", err)
		}
	})
}

// resumer resumes interrupted runs.
type resumer struct{ *runner }

func (s resumer) resumeInterrupted(ctx context.Context) error {
	runs, err := s.runs.get(ctx)
	if err != nil {
		return err
	}
	list, err := runs.List(ctx, engine.Query{Status: []engine.Status{engine.Interrupted}})
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b engine.Header) int { return a.StartedAt.Compare(b.StartedAt) })
	for _, h := range list {
		if !h.Auto || ctx.Err() != nil {
			continue
		}
		if err := s.resumeOne(ctx, runs, h); err != nil {
			s.o.Log.Warn("interrupted run was not resumed automatically", "run", h.ID, "workflow", h.Workflow, "because", err)
		}
	}
	return nil
}

// resumeOne resumes one run, and waits until it has its desktop.
func (s resumer) resumeOne(ctx context.Context, runs engine.Runs, h engine.Header) error {
	who, err := s.clients.starterOf(ctx, runs, h)
	if err != nil {
		return err
	}
	program, err := compiledDocument(ctx, runs, h, s.o.Kinds)
	if err != nil {
		return err
	}
	if err := s.clients.permitProgram(who, program); err != nil {
		return err
	}
	now, err := s.startUnattended(ctx, runs, h.ID, who, func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		return runs.Resume(ctx, h.ID, engine.ResumeRequest{
			Auto: true, Queue: true, Environ: s.o.Environ, Within: &engine.Bounds{Roots: s.o.Roots, Private: s.o.Private},
		})
	})
	if err != nil {
		return err
	}
	s.o.Log.Info("interrupted run was resumed automatically", "run", h.ID, "workflow", h.Workflow, "from", h.ResumeFrom)
	return awaitDesktop(ctx, runs, now, program)
}

// permitProgram returns an error if the program does something that its caller may not
// do by now, or that the server permits nobody.
func (s *clients) permitProgram(who caller, p *workflows.Program) error {
	for _, subject := range []access.Subject{s.subjectNow(who), {Policy: s.policy}} {
		if why := subject.MayRun(p); why != nil {
			return why.Denied()
		}
	}
	return nil
}

// awaitDesktop waits until a run that acts has its desktop, or comes to
// rest.
func awaitDesktop(ctx context.Context, runs engine.Runs, h engine.Header, p *workflows.Program) error {
	acts := false
	p.WalkAll(func(n *workflows.Node) { acts = acts || n.Kind != nil && n.Kind.Touches == steps.Act })
	for acts && !atRest(h.Status) {
		places, err := runs.Places(ctx)
		if err != nil || slices.Contains(places.Taken, h.ID) {
			return err
		}
		if h, err = runs.Await(ctx, h.ID, h.Seq); err != nil {
			return err
		}
	}
	return nil
}

// starterOf returns the caller that began a run, with the rights that were stored, as far
// as its credential still has them.
func (s *clients) starterOf(ctx context.Context, runs engine.Runs, h engine.Header) (caller, error) {
	events, err := runs.Events(ctx, h.ID, 1)
	if err != nil || len(events) == 0 {
		return caller{}, errors.Join(err, fmt.Errorf("run %s has no beginning", h.ID))
	}
	fact, err := engine.Fact(events[0])
	created, ok := fact.(engine.Created)
	if err != nil || !ok {
		return caller{}, errors.Join(err, fmt.Errorf("run %s does not say who began it", h.ID))
	}
	return s.makerOf("run "+h.ID, h.Client, h.Owner, created.Rights, h.StartedAt)
}

// makerOf returns the caller that made a run or schedule, with the rights that were
// stored, as far as its credential still has them.
func (s *clients) makerOf(what, client, owner string, rights json.RawMessage, at time.Time) (caller, error) {
	name, _, _ := strings.Cut(client, "#")
	c := caller{name: name, self: strings.TrimPrefix(name, owner+"/")}
	var kept storedRights
	if len(rights) > 0 {
		if err := json.Unmarshal(rights, &kept); err != nil {
			return c, fmt.Errorf("the rights of %s: %w", what, err)
		}
	}
	if owner != "" {
		grant, err := s.grantOf(what, owner, kept.Signed, at)
		if err != nil {
			return c, err
		}
		c.grant = &grant
	}
	if c.Subject = s.subject(c.grant); len(rights) > 0 {
		c.Policy = kept.Policy
	}
	return c, nil
}

// grantOf returns the current grant of the credential that made a thing.
func (s *clients) grantOf(what, owner string, signed bool, at time.Time) (auth.Grant, error) {
	grant, err := auth.Grant{}, auth.ErrRefused
	if s.gate != nil {
		grant, err = s.gate.Of(owner, signed, at)
	}
	if errors.Is(err, auth.ErrRefused) {
		return grant, steps.Errorf(steps.Denied, "%s was begun by %s, whose token is no longer valid", what, owner)
	}
	return grant, err
}
