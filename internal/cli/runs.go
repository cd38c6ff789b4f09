package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
)

func (a *app) runsCommand() *cobra.Command {
	return group("runs COMMAND", "List, show, export, repair and remove runs", "",
		a.runsList(), a.runsShow(), a.runsLogs(), a.runsExport(), a.runsRemove(), a.runsPrune(), a.runsBackup(), a.runsRestore(), a.runsCheck(), a.runsToWorkflow(), a.runsRepair())
}

func (a *app) withRuns(cmd *cobra.Command, do func(cmd *cobra.Command, runs engine.Runs, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		runs, leave, err := a.runs(cmd, &displayFlags{display: "auto"})
		if err != nil {
			return err
		}
		defer leave()
		return do(cmd, runs, args)
	}
	return cmd
}

// withRun makes a command of what is done with the run that its first argument names.
func (a *app) withRun(cmd *cobra.Command, do func(ctx context.Context, runs engine.Runs, id string, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.onRun(cmd, &displayFlags{display: "auto"}, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
			return do(ctx, runs, id, args[1:])
		})
	}
	return cmd
}

func (a *app) runsList() *cobra.Command {
	var q engine.Query
	var asJSON bool
	var status []string
	cmd := a.withRuns(&cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List runs, the newest first", Args: exactly(0, "no argument"),
	}, func(cmd *cobra.Command, runs engine.Runs, _ []string) error {
		for _, s := range status {
			q.Status = append(q.Status, engine.Status(s))
		}
		list, err := runs.List(cmd.Context(), q)
		if err != nil {
			return err
		}
		if asJSON {
			if list == nil {
				list = []engine.Header{}
			}
			return a.document(list)
		}
		return a.table(func(w io.Writer) {
			fmt.Fprintln(w, "RUN\tWORKFLOW\tSTATUS\tSTARTED\tSTEPS\tNEXT")
			for _, h := range list {
				next := ""
				if h.Status != engine.Succeeded {
					next = h.ResumeFrom
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", h.ID, clean(h.Workflow), h.Status, h.StartedAt.Local().Format(time.DateTime), h.Executed, clean(next))
			}
		})
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON document")
	cmd.Flags().StringSliceVar(&status, "status", nil, "only runs with this status")
	cmd.Flags().StringVar(&q.Workflow, "workflow", "", "only runs of this workflow")
	cmd.Flags().StringVar(&q.WorkflowID, "workflow-id", "", "only runs with this workflow_id")
	cmd.Flags().StringVar(&q.TraceID, "trace-id", "", "only runs with this trace_id")
	cmd.Flags().StringVar(&q.ExecutionID, "execution-id", "", "only runs with this execution_id")
	cmd.Flags().StringVar(&q.Schedule, "schedule", "", "only runs that this schedule began")
	cmd.Flags().BoolVar(&q.Calls, "calls", false, "also single steps that were called on their own")
	cmd.Flags().IntVarP(&q.Limit, "limit", "n", 50, "how many at most")
	return cmd
}

func (a *app) runsShow() *cobra.Command {
	var asJSON bool
	var page engine.Page
	cmd := a.withRun(&cobra.Command{
		Use: "show RUN", Short: "Show what a run did", Args: exactly(1, "the id of one run"),
	}, func(ctx context.Context, runs engine.Runs, id string, _ []string) error {
		r, err := runs.Report(ctx, id, page)
		if err != nil {
			return err
		}
		if asJSON {
			return a.document(r)
		}
		h, err := runs.Get(ctx, id)
		if err != nil {
			return err
		}
		if err := a.table(func(w io.Writer) { showSteps(w, r) }); err != nil {
			return err
		}
		a.lastWords(h, r)
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "as one JSON document")
	cmd.Flags().BoolVar(&page.All, "all", false, "every step, not only the first 200")
	cmd.Flags().IntVar(&page.Offset, "offset", 0, "leave out this many steps")
	cmd.Flags().IntVar(&page.Limit, "limit", 0, "show at most this many steps (default 200)")
	return cmd
}

func showSteps(w io.Writer, r engine.Report) {
	fmt.Fprintln(w, "PATH\tSTEP\tKIND\tSTATUS\tTRIES\tTIME\tPICTURES\tERROR")
	for _, s := range r.Steps {
		failure := ""
		if s.Error != nil {
			failure = string(s.Error.Code) + ": " + clean(s.Error.Message)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%dms\t%d\t%s\n", s.Path, clean(s.ID), s.Kind, s.Status, s.Attempts, s.DurationMS, len(s.Captures), failure)
	}
	if left := r.StepsTotal - len(r.Steps); left > 0 {
		fmt.Fprintf(w, "… %d more; --all shows them\n", left)
	}
}

func (a *app) runsLogs() *cobra.Command {
	var follow, asJSON bool
	cmd := a.withRun(&cobra.Command{
		Use: "logs RUN", Short: "Show the events of a run", Args: exactly(1, "the id of one run"),
	}, func(ctx context.Context, runs engine.Runs, id string, _ []string) error {
		var seen uint64
		for {
			evs, err := runs.Events(ctx, id, seen+1)
			if err != nil {
				return err
			}
			for _, ev := range evs {
				if seen = ev.Seq; asJSON {
					err = a.line(ev)
				} else {
					_, err = fmt.Fprintf(a.out, "%s %5d %-10s %-10s %s\n", ev.At.Local().Format("15:04:05.000"), ev.Seq, ev.Type, ev.Path, clean(string(ev.Data)))
				}
				if err != nil {
					return err
				}
			}
			if len(evs) > 0 {
				continue
			}
			if !follow {
				return nil
			}
			h, err := runs.Await(ctx, id, seen)
			if ctx.Err() != nil {
				return nil // the person has seen enough
			}
			if err != nil || h.Seq <= seen && h.Status != engine.Running && h.Status != engine.Queued {
				return err
			}
		}
	})
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the run stands still")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON document a line")
	return cmd
}

func (a *app) runsRemove() *cobra.Command {
	var force bool
	cmd := a.withRuns(&cobra.Command{
		Use: "rm RUN...", Aliases: []string{"remove", "delete"}, Short: "Remove runs", Args: several("the id of a run"),
	}, func(cmd *cobra.Command, runs engine.Runs, args []string) error {
		for _, arg := range args {
			id, err := a.find(cmd.Context(), runs, arg)
			if err != nil {
				return err
			}
			if err := runs.Remove(cmd.Context(), id, force); err != nil {
				return err
			}
			if !a.quiet {
				fmt.Fprintf(a.errOut, "removed %s\n", id)
			}
		}
		return nil
	})
	cmd.Flags().BoolVar(&force, "force", false, "also a run that could still be resumed")
	return cmd
}
