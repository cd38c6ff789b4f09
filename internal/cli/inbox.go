package cli

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/inbox"
	"understudy/internal/operations"
)

// auditTrail returns the trail of the data folder.
func auditTrail(home string) *audit.Trail { return audit.New(filepath.Join(home, "audit")) }

// keepAct adds what was done with a run to a trail. A run does not depend on that.
func keepAct(trail *audit.Trail, log *slog.Logger, h engine.Header, ev engine.Event, fact any) {
	if act, ok := audit.Of(h, ev, fact); ok {
		trail.Keep(act, func(err error) {
			log.Warn("an act may be missing in the audit trail", "run", h.ID, "act", act.Verb, "error", err)
		})
	}
}

// keepOwnAct adds what the person at the command line did to the trail of the data folder.
func (a *app) keepOwnAct(act audit.Act) error {
	home, err := a.folder()
	if err == nil {
		act.By = engine.CommandLine
		err = auditTrail(home).Add(act)
	}
	if err != nil {
		return fmt.Errorf("it is done, and missing in the audit trail: %w", err)
	}
	return nil
}

// remove removes a run on behalf of the person at the command line.
func (a *app) remove(ctx context.Context, runs engine.Runs, id string, force bool) error {
	h, err := runs.Get(ctx, id)
	if err == nil {
		err = runs.Remove(ctx, id, force)
	}
	if act, kept := audit.Removal(h, engine.CommandLine); kept && err == nil {
		err = a.keepOwnAct(act)
	}
	return err
}

func inboxCommand(a *app) *cobra.Command {
	all := inbox.Operations()
	cmd := a.ofInbox(all[0])
	cmd.Use, cmd.Short = "inbox", "List what needs you, by cause"
	cmd.AddCommand(a.ofInbox(all[1]))
	return cmd
}

func auditCommand(a *app) *cobra.Command { return a.ofInbox(inbox.Operations()[2]) }

// ofInbox returns the command of an operation on the inbox of the data folder.
func (a *app) ofInbox(o operations.Operation[inbox.Open, inbox.Caller]) *cobra.Command {
	return a.operation(o.Declaration, func(cmd *cobra.Command, values any) (answer operations.Result, err error) {
		err = a.withRuns(cmd, &anyDisplay, func(runs engine.Runs) (err error) {
			answer, err = o.Do(cmd.Context(), a.inboxOf(cmd, runs), inbox.Caller{Name: engine.CommandLine, All: true}, values)
			return err
		})
		return answer, adviseNotFound(err, "`understudy inbox` lists what there is")
	}, nil)
}

func (a *app) inboxOf(cmd *cobra.Command, runs engine.Runs) inbox.Open {
	return func(ctx context.Context) (inbox.Sources, error) {
		home, err := a.folder()
		if err != nil {
			return inbox.Sources{}, err
		}
		on, _, end, err := a.schedules(cmd)
		if err != nil {
			return inbox.Sources{}, err
		}
		defer end()
		all, err := on.List(ctx)
		if all == nil && err != nil {
			return inbox.Sources{}, err
		}
		desktops := operations.MachineDesktops{Machine: a.machine, Dir: desktopsFolder(home)}
		return inbox.Sources{Runs: runs, Desktops: desktops.List(), Schedules: all, Trail: auditTrail(home)}, nil
	}
}
