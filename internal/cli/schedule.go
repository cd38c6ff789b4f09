package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/internal/schedules"
	"understudy/steps"
)

// schedulesFolder is where the schedules of a data folder are kept.
func schedulesFolder(home string) schedules.Folder {
	return schedules.Folder(filepath.Join(home, "schedules"))
}

func (a *app) schedule() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Run saved workflows at times, for messages, and for files that arrive",
		Long: "Run saved workflows by themselves: at times, when a program sends a message, and when\n" +
			"a file arrives. `understudy serve` begins the runs; what a schedule began is listed by\n" +
			"`understudy runs ls --schedule NAME`.",
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, o := range schedules.Operations() {
		cmd.AddCommand(a.operation(o.Declaration, func(cmd *cobra.Command, values any) (operations.Result, error) {
			if err := a.notOfAFleet(cmd); err != nil {
				return operations.Result{}, err
			}
			home, err := a.folder()
			if err != nil {
				return operations.Result{}, err
			}
			answer, err := o.Do(cmd.Context(), schedulesFolder(home), schedules.Caller{Client: "command line", Check: a.checkScheduled}, values)
			return answer, scheduleError(err)
		}, nil))
	}
	return cmd
}

// checkScheduled checks the inputs of a schedule against its workflow.
func (a *app) checkScheduled(s schedules.Schedule, inputs map[string]any) (map[string]any, error) {
	src, err := a.saved(s.Workflow)
	if err != nil {
		return nil, err
	}
	_, program, err := engine.Pack(src, a.kinds, a.load)
	if err != nil {
		return nil, a.invalid(err)
	}
	return schedules.Accept(s, program, inputs)
}

// scheduleError is the error of an operation as the command line tells it.
func scheduleError(err error) error {
	if steps.CodeOf(err) == steps.NotFound {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "`understudy schedule ls` lists them, `understudy schedule add` makes one"}
	}
	return err
}

func (a *app) completeSchedule(cmd *cobra.Command, _ []string, _ string) (names []string, d cobra.ShellCompDirective) {
	home, err := a.folder()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := schedulesFolder(home).List(cmd.Context())
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeSaved(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names, _ := a.savedNames()
	return names, cobra.ShellCompDirectiveNoFileComp
}
