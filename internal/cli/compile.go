package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps"
	"understudy/workflows"
)

func (a *app) compile() *cobra.Command {
	var f compileFlags
	var file string
	cmd := &cobra.Command{
		Use:   "compile EVENTS",
		Short: "Make a workflow of the events of a recording",
		Args:  exactly(1, "the file of a recording's events"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			seen, err := readEvents(args[0])
			if err != nil {
				return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file that `understudy record` wrote, ending in .events.jsonl"}
			}
			return a.understand(seen, file, args[0], &f)
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to this file instead of the standard output")
	f.add(cmd)
	return cmd
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

type compileFlags struct {
	name, description, parametrize string

	into string // the file of a workflow into which the steps go
	at   workflows.Insertion
	onto []byte // its text
}

func (f *compileFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "name", "", "the workflow's name (default: the file's)")
	cmd.Flags().StringVar(&f.description, "description", "", "what the workflow does")
	cmd.Flags().StringVar(&f.parametrize, "parametrize", "all", "which typed values become variables: all, none or ask")
	cmd.Flags().StringVar(&f.into, "onto", "", "put the steps into this workflow")
	cmd.Flags().StringVar(&f.at.Step, "at", "", "with --onto, the id of the step before which they are put")
	cmd.Flags().BoolVar(&f.at.Fallback, "fallback", false, "with --onto, make them what is done when that step has failed")
}

func (f *compileFlags) check(cmd *cobra.Command) error {
	switch f.parametrize {
	case "all", "none", "ask":
		return f.checkPlace(cmd)
	}
	return usage(cmd, "--parametrize: wanted all, none or ask, found %q", f.parametrize)
}

// checkPlace reads the workflow into which the steps go, and looks for their place.
func (f *compileFlags) checkPlace(cmd *cobra.Command) error {
	if f.into == "" {
		if f.at != (workflows.Insertion{}) {
			return usage(cmd, "--at and --fallback want the workflow too: --onto FILE")
		}
		return nil
	}
	src, err := fileSource(f.into)
	if err != nil {
		return err
	}
	if ids, _ := workflows.NamesIn(src.Text); !slices.Contains(ids, f.at.Step) {
		return usage(cmd, "--at: wanted a step of %s, one of %s, found %q", f.into, strings.Join(ids, ", "), f.at.Step)
	}
	f.onto = src.Text
	return nil
}

func (a *app) understand(seen []recorder.Event, file, events string, f *compileFlags) error {
	text, notes, err := compile.Events(seen, a.compileOptions(f, file, events))
	if err != nil {
		return err
	}
	return a.hand(text, notes, file)
}

func (a *app) compileOptions(f *compileFlags, file, events string) compile.Options {
	o := compile.Options{Name: f.name, Description: f.description, Literal: f.parametrize == "none", Pictures: picturesBeside(file, events), Onto: f.onto, At: f.at}
	if o.Name == "" {
		file = cmp.Or(file, strings.TrimSuffix(events, endingOfEvents))
		o.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	if f.parametrize == "ask" {
		in := bufio.NewReader(a.in)
		o.Ask = func(proposed, value string) string { return a.askName(in, proposed, value) }
	}
	return o
}

func (a *app) askName(in *bufio.Reader, proposed, value string) string {
	fmt.Fprintf(a.errOut, "%q was typed: a variable's name for it, Enter for %s, or - to keep it as it is: ", clean(value), proposed)
	line, err := in.ReadString('\n')
	switch line = strings.TrimSpace(line); {
	case err != nil && line == "", line == "-":
		return ""
	case line == "":
		return proposed
	}
	return line
}

// hand writes a workflow that was made to its file, or on the standard output
// when there is none, and says what is uncertain and how to play it.
func (a *app) hand(text []byte, notes []compile.Note, file string) error {
	p, err := a.checked(text, file)
	if err != nil {
		return err
	}
	if file == "" {
		_, err := a.out.Write(text)
		return err
	}
	if err := writeWorkflow(text, file); err != nil {
		return err
	}
	fmt.Fprintln(a.out, file)
	for _, n := range notes {
		a.tell("  %s: %s", n.Step, clean(n.Text))
	}
	a.tell("%s; play it with: %s", count(len(p.Steps), "step"), strings.Join(append([]string{"understudy run", file}, secretInputs(p)...), " "))
	return nil
}

// checked is the program of a workflow that was made.
func (a *app) checked(text []byte, file string) (*workflows.Program, error) {
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	p, err := workflows.Compile(workflows.Source{Name: file, Dir: dir, Text: text}, workflows.CompileOptions{Kinds: a.kinds, Load: a.loadFile})
	if err != nil {
		return nil, compile.ErrInvalid(err)
	}
	return p, nil
}

func writeWorkflow(text []byte, file string) error {
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a file in a folder that can be written"}
	}
	return nil
}

// secretInputs are the arguments that ask for the secrets of a workflow.
func secretInputs(p *workflows.Program) (args []string) {
	for _, v := range p.Variables {
		if v.Secret {
			args = append(args, "--input", v.Name+"=-")
		}
	}
	return args
}
