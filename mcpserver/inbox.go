package mcpserver

import (
	"context"

	"understudy/internal/access"
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
