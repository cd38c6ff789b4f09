package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/mcpserver"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps"
	"understudy/workflows"
)

func compileCommand(a *app) *cobra.Command {
	f := defaultCompile()
	return withFlags(&cobra.Command{
		Use:   "compile EVENTS",
		Short: "Make a workflow from the events of a recording",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			seen, err := readEvents(args[0])
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file that `understudy record` wrote, ending in .events.jsonl"}
			}
			return a.compileEvents(seen, args[0], &f)
		},
	}, &f)
}

func runsToWorkflow(a *app) *cobra.Command {
	f := defaultCompile()
	return withFlags(a.ofRuns(&cobra.Command{
		Use: "to-workflow RUN...", Short: "Make a workflow from the steps of runs",
		Long: "Make a workflow from the steps that succeeded in runs, one run after the other, such\n" +
			"as the single calls of a model. Steps that only looked are left out.",
		PreRunE: func(cmd *cobra.Command, _ []string) error { return f.check(cmd) },
	}, func(ctx context.Context, runs engine.Runs, args []string) error {
		ids, err := findRuns(ctx, runs, args)
		if err != nil {
			return err
		}
		var calls []compile.Call
		for _, id := range ids {
			done, err := mcpserver.CallsOf(ctx, runs, a.kinds, id)
			if err != nil {
				return err
			}
			calls = append(calls, done...)
		}
		text, notes, err := compile.Calls(calls, a.compileOptions(&f, "run"))
		if err != nil {
			return err
		}
		return a.writeCompiled(text, notes, f.File)
	}), &f)
}

// refuseOverwriting fails if a file is there, unless it may be replaced.
func refuseOverwriting(cmd *cobra.Command, file string, may bool) error {
	switch info, err := os.Stat(file); {
	case err == nil && info.IsDir():
		return usage(cmd, "%s is a folder; name a file in it", file)
	case err == nil && info.Mode().IsRegular() && !may:
		return usage(cmd, "%s is there already; name another file, or replace it with --force", file)
	}
	return nil
}

func readEvents(path string) ([]recorder.Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	events, err := recorder.ReadEvents(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return events, nil
}

// compileFlags say how a workflow is made, or where in a workflow the new steps go.
type compileFlags struct {
	File        string `flag:"output,o" usage:"write to this file instead of the standard output"`
	Force       bool   `flag:"force" usage:"replace an existing file"`
	Name        string `flag:"name" usage:"the name of the workflow (default that of the file)"`
	Description string `flag:"description" usage:"what the workflow does"`
	Parametrize string `flag:"parametrize" words:"all,none,ask" usage:"which typed values become variables: all, none, or ask"`
	Onto        string `flag:"onto" usage:"insert the steps into this workflow"`
	At          string `flag:"at" usage:"with --onto: the id of the step before which they are inserted"`
	Fallback    bool   `flag:"fallback" usage:"with --onto: insert them as the fallback of that step"`

	onto []byte // the text of Onto
}

func defaultCompile() compileFlags { return compileFlags{Parametrize: "all"} }

// check also reads the workflow into which the steps go. They may be written into its own
// file, and no other file that is there is replaced without --force.
func (f *compileFlags) check(cmd *cobra.Command) error {
	if err := refuseOverwriting(cmd, f.File, f.Force || f.File == f.Onto); err != nil {
		return err
	}
	if f.Onto == "" {
		if f.At != "" || f.Fallback {
			return usage(cmd, "--at and --fallback need the workflow too: --onto FILE")
		}
		return nil
	}
	src, err := fileSource(f.Onto)
	if err != nil {
		return err
	}
	if ids, _ := workflows.NamesIn(src.Text); !slices.Contains(ids, f.At) {
		return usage(cmd, "--at: wanted a step of %s, one of %s, found %q", f.Onto, strings.Join(ids, ", "), f.At)
	}
	f.onto = src.Text
	return nil
}

func (a *app) compileEvents(seen []recorder.Event, events string, f *compileFlags) error {
	text, notes, err := compile.Events(seen, a.compileOptions(f, events))
	if err != nil {
		return err
	}
	return a.writeCompiled(text, notes, f.File)
}

func (a *app) compileOptions(f *compileFlags, events string) compile.Options {
	o := compile.Options{Kinds: a.kinds, Name: f.Name, Description: f.Description, Literal: f.Parametrize == "none", Pictures: picturesBeside(f.File, events), Onto: f.onto, At: workflows.Insertion{Step: f.At, Fallback: f.Fallback}}
	if o.Name == "" {
		file := cmp.Or(f.File, strings.TrimSuffix(events, recorder.Ending))
		o.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if f.Parametrize == "ask" {
		in := bufio.NewReader(a.in)
		o.Ask = func(proposed, value string) string { return a.askName(in, proposed, value) }
	}
	return o
}

// askName asks which variable a typed value becomes; "" if none.
func (c *console) askName(in *bufio.Reader, proposed, value string) string {
	fmt.Fprintf(c.errOut, "%q was typed: a variable's name for it, Enter for %s, or - to keep it as it is: ", clean(value), proposed)
	line, err := in.ReadString('\n')
	switch line = strings.TrimSpace(line); {
	case err != nil && line == "", line == "-":
		return ""
	case line == "":
		return proposed
	}
	return line
}

// writeCompiled writes a new workflow to its file, or to the standard output if there
// is none, and tells what is uncertain and how to play it.
func (a *app) writeCompiled(text []byte, notes []compile.Note, file string) error {
	p, err := a.checked(text, file)
	if err != nil {
		return err
	}
	if file == "" {
		_, err := a.out.Write(text)
		return err
	}
	if err := writeDocument(file, text); err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	for _, n := range notes {
		a.tell("  %s: %s", n.Step, n.Text)
	}
	if len(p.Steps) == 0 {
		a.tell("no action was recorded that makes a step, so there is nothing to play")
		return nil
	}
	a.tell("%s; play it with: %s", count(len(p.Steps), "step"), strings.Join(append([]string{"understudy run", file}, secretInputs(p)...), " "))
	return nil
}

// checked compiles a new workflow.
func (l *library) checked(text []byte, file string) (*workflows.Program, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	p, err := workflows.Compile(workflows.Source{Name: file, Dir: dir, Text: text}, workflows.CompileOptions{Kinds: l.kinds, Load: l.loadFile})
	if err != nil {
		return nil, compile.ErrInvalid(err)
	}
	return p, nil
}

// secretInputs returns the arguments that ask for the secrets of a workflow.
func secretInputs(p *workflows.Program) (args []string) {
	for _, v := range p.Variables {
		if v.Secret {
			args = append(args, "--input", v.Name+"=-")
		}
	}
	return args
}
