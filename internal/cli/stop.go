package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"understudy/engine"
)

func (a *app) stop() *cobra.Command {
	var display displayFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "stop RUN",
		Short: "Stop a run; it can be resumed",
		Args:  atMost(1, "the id of one run, or --all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usage(cmd, "wanted the id of one run, or --all")
			}
			if all {
				return a.stopAll(cmd, &display)
			}
			return a.onRun(cmd, &display, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				h, err := runs.Stop(ctx, id, engine.ByUser, stopWords)
				if err != nil {
					return err
				}
				a.tellStopped(h)
				return nil
			})
		},
	}
	display.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every run that is executed")
	return cmd
}

// stopWords are what a run that is stopped here says of its end.
const stopWords = "stopped from the command line"

func (a *app) stopAll(cmd *cobra.Command, display *displayFlags) error {
	runs, leave, err := a.runs(cmd, display)
	if err != nil {
		return err
	}
	defer leave()
	stopped, err := runs.StopAll(cmd.Context(), engine.ByUser, stopWords)
	a.tellStopped(stopped...)
	return err
}

func (a *app) tellStopped(stopped ...engine.Header) {
	for _, h := range stopped {
		fmt.Fprintf(a.out, "%s %s\n", h.ID, h.Status)
	}
}
