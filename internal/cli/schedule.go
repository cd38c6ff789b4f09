package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/fleet"
	"understudy/internal/operations"
	"understudy/internal/schedules"
)

func schedulesFolder(home string) *schedules.Folder {
	return schedules.NewFolder(filepath.Join(home, "schedules"))
}

// scheduled reports whether schedules of a data folder are to begin runs.
func scheduled(ctx context.Context, home string) bool {
	all, err := schedulesFolder(home).List(ctx)
	return err == nil && slices.ContainsFunc(all, func(e schedules.Entry) bool { return !e.Paused })
}

func scheduleCommand(a *app) *cobra.Command {
	cmd := group("schedule", "Run saved workflows at set times, on webhooks, and when files arrive",
		"Run saved workflows automatically: at times, when a program sends a message, and when\n"+
			"a file arrives. `understudy serve`, or the service, begins the runs; what a schedule began is listed by\n"+
			"`understudy runs ls --schedule NAME`.")
	for _, o := range schedules.Operations() {
		cmd.AddCommand(a.operation(o.Declaration, func(cmd *cobra.Command, values any) (operations.Result, error) {
			on, server, end, err := a.schedules(cmd)
			if err != nil {
				return operations.Result{}, err
			}
			defer end()
			var kept error
			changed := func(s schedules.Schedule, what string) {
				kept = a.keepOwnAct(audit.Act{Owner: s.Owner, Verb: audit.ChangedSchedule, Thing: s.Name, Detail: what})
			}
			answer, err := o.Do(cmd.Context(), on, schedules.Caller{Client: "command line", Check: a.checkScheduled, Server: server, Changed: changed}, values)
			return answer, adviseNotFound(cmp.Or(err, kept), "`understudy schedule ls` lists them, `understudy schedule add` makes one")
		}, nil))
	}
	return cmd
}

// schedules returns the schedules of the data folder, or those of the fleet and the
// name of the server over the data folder.
func (a *app) schedules(cmd *cobra.Command) (on schedules.Store, server string, end func(), err error) {
	home, err := a.folder()
	if err != nil {
		return nil, "", nil, err
	}
	if a.Fleet == "" {
		return schedulesFolder(home), "", func() {}, nil
	}
	if server, err = serverName(home); err != nil {
		return nil, "", nil, err
	}
	runs, end, err := a.fleetRuns(cmd, nil)
	if err != nil {
		return nil, "", nil, err
	}
	return &fleet.Schedules{Client: func(context.Context) (*fleet.Client, error) { return runs, nil }}, server, end, nil
}

func (a *app) checkScheduled(s schedules.Schedule, inputs map[string]any) (map[string]any, *engine.Bundle, error) {
	src, err := a.saved(s.Workflow)
	if err != nil {
		return nil, nil, err
	}
	bundle, program, err := engine.Pack(src, a.kinds, a.load)
	if err != nil {
		return nil, nil, a.invalid(err)
	}
	accepted, err := schedules.Accept(s, program, inputs)
	return accepted, &bundle, err
}
