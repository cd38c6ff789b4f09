// Package cli is the command line: one file for each command, and Main, which
// main and the tests call alike. A command reads its arguments, asks the
// packages that know, and shows what they say: results on the standard output,
// everything else on the error output, an exit status from one table.
//
// It decides nothing about workflows or desktops by itself.
package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"understudy/internal/sandbox"
	"understudy/internal/telemetry"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/kinds"
)

type app struct {
	machine     desktop.Machine
	kinds       []steps.Kind
	in          io.Reader
	out, errOut io.Writer
	home        string // the data folder; empty: the user's own
	fleet       fleetFlags
	quiet       bool
	verbose     bool

	telemetry *telemetry.Telemetry // once it was asked for
}

// Main runs one command and gives its exit status. The first interrupt
// cancels the command; a second one ends the process.
func Main(ctx context.Context, machine desktop.Machine, args []string, in io.Reader, out, errOut io.Writer) int {
	if sandbox.Launched(os.Args) {
		return sandbox.Launch(os.Args)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	a := &app{machine: machine, kinds: kinds.All(), in: in, out: out, errOut: errOut}
	root := a.root()
	if len(args) > 0 && completing(args[0]) {
		a.completeAll(root)
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	return a.end(root.ExecuteContext(ctx))
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "understudy",
		Short: "Record what a person does on a desktop, keep it as a workflow, play it back.",
		Long: "Understudy records what a person does on a desktop, keeps it as a workflow,\n" +
			"and plays it back step by step, for people, operators and language models.\n\n" + statusHelp(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "write results and errors only")
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "write what the program does into its log")
	root.PersistentFlags().StringVar(&a.home, "home", "", "the data folder (default $UNDERSTUDY_HOME, else the user's)")
	a.fleet.add(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, "%w", flagHint(cmd, err)) })
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		a.answer(), a.call(), a.compile(), a.completion(), a.desktop(), a.doctor(), a.fork(), a.format(), a.hub(), a.init(), a.inspect(),
		a.keepDesktop(),
		a.mcp(), a.record(), a.resume(), a.run(), a.runsCommand(), a.schedule(), a.schema(), a.serve(), a.setup(), a.stop(), a.token(), a.tools(),
		a.validate(), a.version(), a.worker(), a.workflowCommand(),
	)
	return root
}

// group is a command that only holds others.
func group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	if near := words.Nearest(args[0], known); near != "" {
		return usage(cmd, "there is no command %q; did you mean %s?", args[0], near)
	}
	return usage(cmd, "there is no command %q", args[0])
}

func flagHint(cmd *cobra.Command, err error) error {
	name, found := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !found {
		return err
	}
	if near := words.Nearest(name, flagNames(cmd)); near != "" {
		return fmt.Errorf("there is no flag --%s; did you mean --%s?", name, near)
	}
	return fmt.Errorf("there is no flag --%s", name)
}

// argumentCount wants so many arguments; what says what they are.
func argumentCount(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > most:
			return usage(cmd, "wanted %s, found %q", what, strings.Join(args[most:], " "))
		case len(args) < least:
			return usage(cmd, "wanted %s", what)
		}
		return nil
	}
}

func exactly(n int, what string) cobra.PositionalArgs { return argumentCount(n, n, what) }
func atMost(n int, what string) cobra.PositionalArgs  { return argumentCount(0, n, what) }
func several(what string) cobra.PositionalArgs        { return argumentCount(1, math.MaxInt, what) }
