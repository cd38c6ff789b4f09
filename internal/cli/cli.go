// Package cli is the command line: one file for each command, and Main, which main
// and the tests call. A command reads its arguments, calls the packages that do the
// work, and shows the result: results on the standard output, everything else on the
// error output, and an exit status from one table.
//
// A command is declared once. Its flags are the tagged fields of a struct (addFlags),
// whose values are the defaults; its usage names its arguments, and the completion of
// a shell is derived from these names and those of the flags (completer).
//
// It decides nothing about workflows or desktops by itself.
package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/extension"
	"understudy/internal/sandbox"
	"understudy/internal/telemetry"
	"understudy/steps/kinds"
)

// app is what all commands share. Its tagged fields are the flags that every
// command has.
type app struct {
	console
	library
	fleetFlags
	Verbose bool `flag:"verbose,v" usage:"log what the program does"`

	machine   desktop.Machine
	telemetry *telemetry.Telemetry // nil until it is first used

	engine *engine.Engine // while this process is the service of its data folder
	caller *caller        // for which it works then
}

// Main runs one command and returns its exit status. The first interrupt cancels
// the command; a second one ends the process.
func Main(ctx context.Context, machine desktop.Machine, args []string, in io.Reader, out, errOut io.Writer) int {
	if sandbox.Launched(os.Args) {
		return sandbox.Launch(os.Args)
	}
	if extension.Launched(args) {
		return hostExtension(in, out, errOut)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	a := &app{machine: machine, library: library{kinds: kinds.All()}, console: console{in: in, out: out, errOut: errOut}, fleetFlags: fleetFromEnvironment()}
	root := a.root()
	if len(args) > 0 && completing(args[0]) {
		completer{a}.completeAll(root)
	}
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		about, rest, _ := root.Find(args)
		return unknownCommand(about, rest)
	}
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	return a.end(root.ExecuteContext(ctx))
}

func (a *app) root() *cobra.Command {
	root := group("understudy", "Record what a person does on a desktop, keep it as a workflow, play it back.",
		"Understudy records what a person does on a desktop, keeps it as a workflow,\n"+
			"and plays it back step by step, for people, operators and language models.\n\n"+statusHelp())
	root.Version = thisVersion().Version // for --version
	root.SilenceErrors, root.SilenceUsage = true, true
	addFlags(root.PersistentFlags(), a)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	for _, command := range []func(*app) *cobra.Command{
		answerCommand, auditCommand, callCommand, compileCommand, completionCommand, desktopCommand, doctorCommand, forkCommand, formatCommand, hubCommand,
		inboxCommand, initCommand, inspectCommand, keepDesktop, keepFolder, mcpCommand, migrateCommand, notifyCommand, proxyCommand, recordCommand, resumeCommand, runCommand, runsCommand, scheduleCommand,
		schemaCommand, serveCommand, serviceCommand, setupCommand, stopCommand, tokenCommand, toolsCommand, tourCommand, validateCommand, versionCommand, workerCommand,
		workflowCommand,
	} {
		root.AddCommand(command(a))
	}
	checkArguments(root, completer{a}.arguments())
	return root
}
