package cli

import (
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
)

type runFlags struct {
	display displayFlags
	inputs  inputFlags
	show    showFlags
	from    string
	to      string
	dry     bool
	step    bool
	queue   bool
	needs   []string
	urgency int
}

func (a *app) run() *cobra.Command { return a.runGiven(nil) }

// runGiven is the command with inputs that the program has itself.
func (a *app) runGiven(inputs map[string]string) *cobra.Command {
	f := runFlags{inputs: inputFlags{given: inputs}}
	cmd := &cobra.Command{
		Use:   "run FILE|NAME",
		Short: "Run a workflow",
		Long: "Run a workflow: a file, the name of a saved one, or - for the standard input.\n" +
			"Every step is stored before and after it acts, so a run that is cut short can be\n" +
			"resumed, and no click is done twice.",
		Args: exactly(1, "the file or the name of one workflow"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runOne(cmd, args[0], &f) },
	}
	f.display.add(cmd)
	f.inputs.add(cmd)
	f.show.add(cmd)
	cmd.Flags().StringVar(&f.from, "from", "", "begin at the step with this id")
	cmd.Flags().StringVar(&f.to, "to", "", "end after the step with this id")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "evaluate conditions and look, but only show what would act")
	cmd.Flags().BoolVar(&f.step, "step", false, "pause after each step")
	cmd.Flags().BoolVar(&f.queue, "queue", true, "wait while another run has the desktop; with =false, say busy")
	cmd.Flags().StringSliceVar(&f.needs, "needs", nil, "labels of the worker that executes it, in a fleet")
	cmd.Flags().IntVar(&f.urgency, "priority", 5, "from 0, which goes first, to 9, in a fleet")
	return cmd
}

func (a *app) runOne(cmd *cobra.Command, name string, f *runFlags) error {
	if f.urgency < 0 || f.urgency > 9 {
		return usage(cmd, "--priority %d: wanted 0 to 9", f.urgency)
	}
	src, err := a.workflow(name)
	if err != nil {
		return err
	}
	bundle, program, err := engine.Pack(src, a.kinds, a.load)
	if err != nil {
		return a.invalid(err)
	}
	inputs, secret, err := f.inputs.read(a, program)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	choice, err := f.display.choice(cmd)
	if err != nil {
		return err
	}
	runs, leave, err := a.runs(cmd, &f.display, func(m *membership) { m.anyDisplay = choice.Display != "" })
	if err != nil {
		return err
	}
	defer leave()
	h, err := runs.Start(cmd.Context(), engine.Request{
		Bundle: bundle, Inputs: inputs, Secrets: secret, From: f.from, To: f.to, DryRun: f.dry, StepThrough: f.step,
		Queue: f.queue, Client: "command line", Dir: dir, Desktop: choice, Roots: []string{dir, src.Dir}, Environ: os.Environ(),
		Needs: f.needs, Priority: f.urgency,
	})
	if err != nil {
		return err
	}
	return a.follow(cmd.Context(), runs, h, &f.show)
}
