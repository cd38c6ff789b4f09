package cli

import (
	"context"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/mcpserver"
	"understudy/recorder/compile"
)

func runsToWorkflow(a *app) *cobra.Command {
	f := struct {
		compileFlags
		outputFlag
	}{compileFlags: defaultCompile()}
	return withFlags(a.ofRuns(&cobra.Command{
		Use: "to-workflow RUN...", Short: "Make a workflow of what runs did",
		Long: "Make a workflow of the steps that succeeded in runs, one run after the other, such\n" +
			"as the single calls of a model. What only looked is left out.",
		Args:    several("the id of a run"),
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
	}, func(ctx context.Context, runs engine.Runs, args []string) error {
		var calls []compile.Call
		for _, arg := range args {
			id, err := findRun(ctx, runs, arg)
			if err != nil {
				return err
			}
			done, err := mcpserver.CallsOf(ctx, runs, a.kinds, id)
			if err != nil {
				return err
			}
			calls = append(calls, done...)
		}
		text, notes, err := compile.Calls(calls, a.compileOptions(&f.compileFlags, f.File, "run"))
		if err != nil {
			return err
		}
		return a.writeCompiled(text, notes, f.File)
	}), &f)
}
