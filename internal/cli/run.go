package cli

import (
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/service"
)

type runFlags struct {
	displayFlags
	inputFlags
	showFlags
	From  string   `flag:"from" usage:"begin at the step with this id"`
	To    string   `flag:"to" usage:"end after the step with this id"`
	Dry   bool     `flag:"dry-run" usage:"evaluate conditions and execute steps that only look; show the others"`
	Step  bool     `flag:"step" usage:"pause after each step"`
	Queue bool     `flag:"queue" usage:"wait while another run uses the desktop; with =false, fail as busy"`
	Label []string `flag:"label" usage:"a word by which the run is found and limited; may be given several times"`
	Needs []string `flag:"needs" usage:"in a fleet: labels that the worker must have"`
	eachFlags
	Priority int `flag:"priority" usage:"in a fleet: the priority, from 0, the first, to 9"`
}

func runCommand(a *app) *cobra.Command { return runWith(a, nil) }

// runWith returns the command with inputs that the program itself gives.
func runWith(a *app, inputs map[string]string) *cobra.Command {
	f := runFlags{displayFlags: defaultDisplay(), inputFlags: inputFlags{given: inputs}, Queue: true, Priority: 5}
	return withFlags(&cobra.Command{
		Use:   "run FILE|NAME",
		Short: "Run a workflow",
		Long: "Run a workflow: a file, the name of a saved one, or - for the standard input.\n" +
			"Every step is stored before and after it acts, so a run that is cut short can be\n" +
			"resumed, and no click is done twice.\n\n" +
			"With --each, there is a run for each row of a file; columns are the inputs of the same\n" +
			"names. The same command again goes on where the last one ended, and --failed resumes\n" +
			"the rows that failed.",
		RunE: func(cmd *cobra.Command, args []string) error { return a.runWorkflow(cmd, args[0], &f) },
	}, &f)
}

func (a *app) runWorkflow(cmd *cobra.Command, name string, f *runFlags) error {
	if f.Priority < 0 || f.Priority > 9 {
		return usage(cmd, "--priority %d: wanted 0 to 9", f.Priority)
	}
	src, err := a.workflow(name)
	if err != nil {
		return err
	}
	bundle, program, err := engine.Pack(src, a.kinds, a.load)
	if err != nil {
		return a.invalid(err)
	}
	inputs, secret, err := f.read(a, program)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	choice, err := f.choice(cmd)
	if err != nil {
		return err
	}
	r := engine.Request{
		Bundle: bundle, Inputs: inputs, Secrets: secret, From: f.From, To: f.To, DryRun: f.Dry, StepThrough: f.Step,
		Queue: f.Queue, Environ: os.Environ(),
		Terms: engine.Terms{Client: engine.CommandLine, Dir: dir, Desktop: choice, Roots: []string{dir, src.Dir}, Labels: f.Label, Needs: f.Needs, Priority: f.Priority},
	}
	rows, err := f.rows(a, program, src, r)
	if err != nil {
		return err
	}
	return a.withRuns(cmd, &f.displayFlags, func(runs engine.Runs) error {
		if rows != nil {
			return rows.run(cmd.Context(), runs, &f.showFlags)
		}
		h, err := runs.Start(cmd.Context(), r)
		if err != nil {
			return err
		}
		return a.follow(cmd.Context(), runs, h, 0, &f.showFlags)
	}, func(h *service.Hello) {
		if choice.Display != "" {
			h.Display = ""
		}
	})
}
