package mcpserver

import (
	"cmp"
	"context"
	"strings"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/inbox"
	"understudy/steps"
)

// inboxTools makes a tool, and an address of the server, of each operation on what needs
// a person.
type inboxTools struct{ *runner }

func (s inboxTools) operations() []operation {
	return operationsOn("inbox", steps.Runs, inbox.Operations(), func(who caller, t access.Tool) (inbox.Open, inbox.Caller) {
		may := func(e inbox.Need) error {
			return who.May(t, access.Thing{Name: e.Key, Owner: e.Owner, Change: true}).Denied()
		}
		open := func(ctx context.Context) (inbox.Sources, error) { return s.sources(ctx, who, t) }
		return open, inbox.Caller{Name: who.id(), Owner: who.Owner, All: who.Owner == "" || who.All, May: may}
	})
}

// keepAct adds an act to the audit trail, if there is one. What was done stays done.
func (r *runner) keepAct(a audit.Act) {
	if r.o.Audit == nil {
		return
	}
	if err := r.o.Audit.Add(a); err != nil {
		r.o.Log.Warn("an act may be missing in the audit trail", "act", a.Verb, "error", err)
	}
}

// changeMode sets the mode of a client on behalf of an operator.
func (s *Server) changeMode(by, client string, mode access.Limits) {
	s.clients.modes.Set(client, mode)
	detail := string(mode.Mode) + " mode"
	if len(mode.Blocked) > 0 {
		detail += ", without " + strings.Join(mode.Blocked, ", ")
	}
	s.keepAct(audit.Act{By: cmp.Or(by, engine.CommandLine), Owner: client, Verb: audit.ChangedRights, Thing: client, Detail: detail})
}

// sources returns what a caller may see of the places where an inbox looks.
func (s inboxTools) sources(ctx context.Context, who caller, t access.Tool) (src inbox.Sources, err error) {
	if s.o.Audit == nil {
		return src, steps.Errorf(steps.Unavailable, "this server keeps no audit trail, which the inbox needs")
	}
	if src.Runs, err = s.clients.runsFor(ctx, who.Subject, t); err != nil {
		return src, err
	}
	sees := func(owner string) bool { return who.May(t, access.Thing{Owner: owner}) == nil }
	if s.o.Desktops != nil {
		for _, k := range s.o.Desktops.List() {
			if sees(k.Owner) {
				src.Desktops = append(src.Desktops, k)
			}
		}
	}
	if s.o.Schedules != nil {
		all, err := s.o.Schedules.List(ctx)
		if all == nil && err != nil {
			return src, err
		}
		for _, e := range all { // those that cannot be read are in the log
			if sees(e.Owner) {
				src.Schedules = append(src.Schedules, e)
			}
		}
	}
	src.Trail = s.o.Audit
	return src, nil
}
