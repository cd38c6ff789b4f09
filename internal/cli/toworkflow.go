package cli

import (
	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/mcpserver"
	"understudy/recorder/compile"
)

func (a *app) runsToWorkflow() *cobra.Command {
	var f compileFlags
	var file string
	cmd := a.withRuns(&cobra.Command{
		Use: "to-workflow RUN...", Short: "Make a workflow of what runs did",
		Long: "Make a workflow of the steps that succeeded in runs, one run after the other, such\n" +
			"as the single calls of a model. What only looked is left out.",
		Args: several("the id of a run"),
	}, func(cmd *cobra.Command, runs engine.Runs, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		var calls []compile.Call
		for _, arg := range args {
			id, err := a.find(cmd.Context(), runs, arg)
			if err != nil {
				return err
			}
			done, err := mcpserver.CallsOf(cmd.Context(), runs, a.kinds, id)
			if err != nil {
				return err
			}
			calls = append(calls, done...)
		}
		text, notes, err := compile.Calls(calls, a.compileOptions(&f, file, "run"))
		if err != nil {
			return err
		}
		return a.hand(text, notes, file)
	})
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of the standard output")
	f.add(cmd)
	return cmd
}
