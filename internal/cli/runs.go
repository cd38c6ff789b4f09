package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/bulk"
)

func runsCommand(a *app) *cobra.Command {
	return group("runs COMMAND", "List, show, export, repair and remove runs", "",
		runsList(a), runsShow(a), runsLogs(a), runsExport(a), runsRemove(a), runsPrune(a), runsBackup(a), runsRestore(a), runsCheck(a), runsToWorkflow(a), runsRepair(a),
		runsMany(a, bulk.Resume, "Resume"), runsMany(a, bulk.Stop, "Stop"), runsMany(a, bulk.Fork, "Fork"), a.ofPlan("do"), runsPlan(a))
}

// ofRuns makes a command of what it does with the runs.
func (a *app) ofRuns(cmd *cobra.Command, do func(ctx context.Context, runs engine.Runs, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withRuns(cmd, &anyDisplay, func(runs engine.Runs) error { return do(cmd.Context(), runs, args) })
	}
	return cmd
}

// ofRun makes a command of what it does with the run that its first argument names.
func (a *app) ofRun(cmd *cobra.Command, do func(ctx context.Context, runs engine.Runs, id string, args []string) error) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.withRun(cmd, &anyDisplay, args[0], func(ctx context.Context, runs engine.Runs, id string) error { return do(ctx, runs, id, args[1:]) })
	}
	return cmd
}

const whereUsage = `runs for which an expression holds, such as 'status == "failed" && "sap" in labels && started > "yesterday"'`

func runsList(a *app) *cobra.Command {
	var q engine.Query
	var f struct {
		jsonFlag
		Status []string `flag:"status" usage:"only runs with this status"`
	}
	cmd := a.ofRuns(&cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List runs, the newest first",
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			for _, s := range f.Status {
				if known := texts(engine.Statuses()); !slices.Contains(known, s) {
					return unknown(cmd, fmt.Sprintf("--status: there is no status %q", s), s, known)
				}
				q.Status = append(q.Status, engine.Status(s))
			}
			return nil
		},
	}, func(ctx context.Context, runs engine.Runs, _ []string) error {
		list, err := runs.List(ctx, q)
		if err != nil {
			return err
		}
		list = append([]engine.Header{}, list...) // [], not null
		return a.show(f.JSON, list, func(line func(...any)) {
			line("RUN", "WORKFLOW", "STATUS", "STARTED", "STEPS", "NEXT")
			for _, h := range list {
				next := ""
				if h.Status != engine.Succeeded {
					next = h.ResumeFrom
				}
				line(h.ID, h.Workflow, h.Status, h.StartedAt.Local().Format(time.DateTime), h.Executed, next)
			}
		})
	})
	cmd.Flags().StringVar(&q.Workflow, "workflow", "", "only runs of this workflow")
	cmd.Flags().StringVar(&q.WorkflowID, "workflow-id", "", "only runs whose ids.workflow is this")
	cmd.Flags().StringVar(&q.TraceID, "trace-id", "", "only runs whose ids.trace is this")
	cmd.Flags().StringVar(&q.ExecutionID, "execution-id", "", "only runs whose ids.execution is this")
	cmd.Flags().StringVar(&q.Schedule, "schedule", "", "only runs that this schedule began")
	cmd.Flags().StringVar(&q.Where, "where", "", whereUsage)
	cmd.Flags().BoolVar(&q.Calls, "calls", false, "also single steps that were called on their own")
	cmd.Flags().IntVarP(&q.Limit, "limit", "n", 50, "how many at most")
	return withFlags(cmd, &f)
}

func runsShow(a *app) *cobra.Command {
	var f struct {
		jsonFlag
		All    bool `flag:"all" usage:"show all steps, not only the first 200"`
		Offset int  `flag:"offset" usage:"skip this many steps"`
		Limit  int  `flag:"limit" usage:"show at most this many steps (default 200)"`
	}
	return withFlags(a.ofRun(&cobra.Command{
		Use: "show RUN", Short: "Show what a run did",
	}, func(ctx context.Context, runs engine.Runs, id string, _ []string) error {
		r, err := runs.Report(ctx, id, engine.Page{All: f.All, Offset: f.Offset, Limit: f.Limit})
		if err != nil {
			return err
		}
		err = a.show(f.JSON, r, func(line func(...any)) { showSteps(line, r) })
		if err != nil || f.JSON {
			return err
		}
		h, err := runs.Get(ctx, id)
		if err == nil {
			a.lastWords(h, r)
		}
		if err == nil && r.Outcome != "" {
			a.showLines("outcome: " + r.Conclusion.String())
		}
		return err
	}), &f)
}

func showSteps(line func(...any), r engine.Report) {
	line("PATH", "STEP", "KIND", "STATUS", "TRIES", "TIME", "PICTURES", "ERROR")
	for _, s := range r.Steps {
		failure := ""
		if s.Error != nil {
			failure = string(s.Error.Code) + ": " + s.Error.Message
		}
		line(s.Path, s.ID, s.Kind, s.Status, s.Attempts, fmt.Sprint(s.DurationMS, "ms"), len(s.Captures), failure)
	}
	if left := r.StepsTotal - len(r.Steps); left > 0 {
		line(fmt.Sprintf("… %d more; --all shows them", left))
	}
}

func runsLogs(a *app) *cobra.Command {
	var f struct {
		Follow bool `flag:"follow,f" usage:"continue until the run rests"`
		JSON   bool `flag:"json" usage:"print one JSON document per line"`
	}
	return withFlags(a.ofRun(&cobra.Command{
		Use: "logs RUN", Short: "Show the events of a run",
	}, func(ctx context.Context, runs engine.Runs, id string, _ []string) error {
		var seen uint64
		for {
			evs, err := runs.Events(ctx, id, seen+1)
			if err != nil {
				return err
			}
			for _, ev := range evs {
				if seen = ev.Seq; f.JSON {
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
			if !f.Follow {
				return nil
			}
			h, err := runs.Await(ctx, id, seen)
			if ctx.Err() != nil {
				return nil // interrupted by the person
			}
			if err != nil || h.Seq <= seen && h.Status != engine.Running && h.Status != engine.Queued {
				return err
			}
		}
	}), &f)
}

func runsRemove(a *app) *cobra.Command {
	var f struct {
		Force bool `flag:"force" usage:"also remove runs that could still be resumed"`
		manyFlags
	}
	cmd := &cobra.Command{Use: "rm [RUN...]", Aliases: []string{"remove", "delete"}, Short: "Remove runs"}
	return withFlags(a.ofRuns(cmd, func(ctx context.Context, runs engine.Runs, args []string) error {
		switch {
		case f.Where != "" && len(args) > 0, f.Where == "" && len(args) == 0:
			return usage(cmd, "wanted runs, or --where")
		case f.Where != "":
			return a.many(cmd, runs, bulk.Remove, "", f.manyFlags)
		}
		ids, err := findRuns(ctx, runs, args)
		if err != nil {
			return err
		}
		slices.Sort(ids)
		for _, id := range slices.Compact(ids) {
			if err := a.remove(ctx, runs, id, f.Force); err != nil {
				return err
			}
			a.tell("removed %s", id)
		}
		return nil
	}), &f)
}
