package cli

import (
	"context"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/recorder"
	"understudy/steps"
)

func (a *app) runsToWorkflow() *cobra.Command {
	var f compileFlags
	var file string
	cmd := a.withRuns(&cobra.Command{
		Use: "to-workflow RUN...", Short: "Make a workflow of what runs did",
		Long: "Make a workflow of the steps that succeeded in runs, one run after the other, such\n" +
			"as the single calls of a model. What only looked is left out.",
		Args: atLeast(1, "the id of a run"),
	}, func(cmd *cobra.Command, runs engine.Runs, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		var calls []recorder.Call
		for _, arg := range args {
			id, err := a.find(cmd.Context(), runs, arg)
			if err != nil {
				return err
			}
			done, err := a.callsOf(cmd.Context(), runs, id)
			if err != nil {
				return err
			}
			calls = append(calls, done...)
		}
		text, notes, err := recorder.FromCalls(calls, a.compileOptions(&f, file, "run"))
		if err != nil {
			return err
		}
		return a.hand(text, notes, file)
	})
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of the standard output")
	f.add(cmd)
	return cmd
}

// callsOf are the steps of a run that succeeded, in their order.
func (a *app) callsOf(ctx context.Context, runs engine.Runs, id string) ([]recorder.Call, error) {
	events, err := runs.Events(ctx, id, 1)
	if err != nil {
		return nil, err
	}
	var calls []recorder.Call
	started := map[string]recorder.Call{}
	for _, ev := range events {
		switch ev.Type {
		case engine.EvStarted:
			st, err := engine.Fact[engine.Started](ev)
			if err != nil {
				return nil, err
			}
			c := recorder.Call{ID: st.ID, Begin: ev.At}
			c.Args, _ = st.Args.(map[string]any)
			c.Kind, _ = steps.Find(a.kinds, st.Kind)
			started[ev.Path] = c
		case engine.EvEnded:
			end, err := engine.Fact[engine.Ended](ev)
			if err != nil {
				return nil, err
			}
			c, ok := started[ev.Path]
			if !ok || c.Kind.Args == nil || end.Outcome.Status != engine.Success {
				continue
			}
			c.Result, c.End = end.Outcome.Result, ev.At
			calls = append(calls, c)
		}
	}
	return calls, nil
}
