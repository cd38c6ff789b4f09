package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"understudy/engine"
)

// stopReason is the reason that is stored with runs which are stopped here.
const stopReason = "stopped from the command line"

func stopCommand(a *app) *cobra.Command {
	f := struct {
		displayFlags
		All bool `flag:"all" usage:"every run that is being executed"`
	}{displayFlags: defaultDisplay()}
	show := func(stopped ...engine.Header) {
		for _, h := range stopped {
			fmt.Fprintf(a.out, "%s %s\n", h.ID, h.Status)
		}
	}
	return withFlags(&cobra.Command{
		Use:   "stop [RUN]",
		Short: "Stop a run; it can be resumed",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.All == (len(args) == 1) {
				return usage(cmd, "wanted the id of one run, or --all")
			}
			if f.All {
				return a.withRuns(cmd, &f.displayFlags, func(runs engine.Runs) error {
					stopped, err := runs.StopAll(cmd.Context(), engine.ByUser, stopReason)
					show(stopped...)
					return err
				})
			}
			return a.withRun(cmd, &f.displayFlags, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				h, err := runs.Stop(ctx, id, engine.ByUser, stopReason)
				if err == nil {
					show(h)
				}
				return err
			})
		},
	}, &f)
}
