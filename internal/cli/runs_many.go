package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/bulk"
	"understudy/internal/operations"
)

// plansFolder returns the folder that keeps what is to be done with many runs.
func plansFolder(home string) bulk.Folder { return bulk.Folder(filepath.Join(home, "plans")) }

// manyFlags are those of commands that do something with many runs.
type manyFlags struct {
	Where  string `flag:"where" usage:"all runs for which an expression holds, such as 'status == \"failed\" && started > \"yesterday\"'"`
	AtOnce int    `flag:"at-once" usage:"with --where: how many runs are under way at a time (default 4)"`
	Yes    bool   `flag:"yes" usage:"with --where: do it, instead of only showing the plan"`
}

// runsMany returns the command that does one thing with many runs.
func runsMany(a *app, act bulk.Act, verb string) *cobra.Command {
	var f struct {
		manyFlags
		From string `flag:"from" usage:"continue at the step with this id"`
	}
	word := strings.ToLower(verb)
	cmd := &cobra.Command{
		Use: word + " --where EXPR", Short: verb + " all runs for which an expression holds",
		Long: "Make a plan of what would happen to each run for which an expression holds, and show\n" +
			"it. Nothing is done before --yes, or `understudy runs do PLAN`. A plan that was cut\n" +
			"short goes on where it ended with the same command, and nothing is done twice.",
	}
	return withFlags(a.ofRuns(cmd, func(_ context.Context, runs engine.Runs, _ []string) error {
		if f.Where == "" {
			return usage(cmd, "wanted --where EXPR; one run alone is for `understudy %s RUN`", word)
		}
		return a.many(cmd, runs, act, f.From, f.manyFlags)
	}), &f)
}

// bulkCaller returns the person at the command line, as who does something with many runs.
func (a *app) bulkCaller(runs engine.Runs) bulk.Caller {
	return bulk.Caller{
		Name: engine.CommandLine, All: true, Runs: func(context.Context) (engine.Runs, error) { return runs, nil },
		Do: func(ctx context.Context, runs engine.Runs, p bulk.Plan, i bulk.Item) error {
			if p.Act == bulk.Remove {
				return a.remove(ctx, runs, i.Run, true)
			}
			return bulk.Do(ctx, runs, p, i, engine.ResumeRequest{By: engine.CommandLine, Environ: os.Environ()})
		},
	}
}

// many makes a plan, shows it, and carries it out if that is wanted.
func (a *app) many(cmd *cobra.Command, runs engine.Runs, act bulk.Act, from string, f manyFlags) error {
	home, err := a.folder()
	if err != nil {
		return err
	}
	p, err := bulk.Make(cmd.Context(), plansFolder(home), a.bulkCaller(runs), bulk.Plan{Act: act, Where: f.Where, From: from, AtOnce: f.AtOnce})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, cleanLines(p.Text()))
	if !f.Yes {
		a.tell("nothing is done yet; to do it: understudy runs do %s", p.ID)
		return nil
	}
	answer, err := bulk.CarryOut(cmd.Context(), plansFolder(home), a.bulkCaller(runs), p.ID)
	fmt.Fprintln(a.out, answer.Text)
	return err
}

// ofPlan returns the command of an operation on a plan.
func (a *app) ofPlan(name string) *cobra.Command {
	all := bulk.Operations()
	o := all[slices.IndexFunc(all, func(o bulk.PlanOperation) bool { return o.Command == name })]
	cmd := a.operation(o.Declaration, func(cmd *cobra.Command, values any) (answer operations.Result, err error) {
		home, err := a.folder()
		if err != nil {
			return answer, err
		}
		err = a.withRuns(cmd, &anyDisplay, func(runs engine.Runs) (err error) {
			answer, err = o.Do(cmd.Context(), plansFolder(home), a.bulkCaller(runs), values)
			return err
		})
		return answer, adviseNotFound(err, "`understudy runs resume --where EXPR` makes a plan")
	}, nil)
	return cmd
}

// runsPlan returns the command that shows a plan; `runs show` shows a run.
func runsPlan(a *app) *cobra.Command {
	cmd := a.ofPlan("show")
	cmd.Use = "plan PLAN"
	return cmd
}
