package cli

import (
	"context"

	"github.com/spf13/cobra"

	"understudy/engine"
)

func (a *app) fork() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "fork RUN --from STEP",
		Short: "Start a new run from what a run knew before a step",
		Args:  exactly(1, "the id of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from == "" {
				return usage(cmd, "wanted --from STEP")
			}
			return a.onRun(cmd, &f.display, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				r, err := a.resumption(ctx, cmd, runs, id, &f)
				if err != nil {
					return err
				}
				h, err := runs.Fork(ctx, id, f.from, r)
				if err != nil {
					return a.invalid(err)
				}
				return a.follow(ctx, runs, h, &f.show)
			})
		},
	}
	f.display.add(cmd)
	f.inputs.add(cmd)
	f.show.add(cmd)
	cmd.Flags().StringVar(&f.from, "from", "", "begin at the step with this id or path")
	cmd.Flags().StringVar(&f.workflow, "workflow", "", "take this file; executed steps must be the same")
	cmd.Flags().BoolVar(&f.force, "force", false, "take the file although executed steps differ")
	return cmd
}
