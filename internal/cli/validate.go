package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/workflows"
)

type checked struct {
	File     string              `json:"file"`
	Valid    bool                `json:"valid"`
	Name     string              `json:"name,omitempty"`
	Steps    int                 `json:"steps"`
	Problems []workflows.Problem `json:"problems"`
	Notes    []workflows.Problem `json:"notes,omitempty"` // what is right, and likely not meant or spelt otherwise here
	// Alone are the reasons why it is not fit to run while nobody is there, if they were asked for.
	Alone []workflows.Finding `json:"unattended,omitempty"`
}

type validateFlags struct {
	jsonFlag
	Unattended bool `flag:"unattended" usage:"also say what makes a workflow unfit to run while nobody is there"`
}

// fit reports whether the document is right, and has nothing that was asked for.
func (c *checked) fit() bool { return c.Valid && len(c.Alone) == 0 }

func validateCommand(a *app) *cobra.Command {
	var f validateFlags
	return withFlags(&cobra.Command{
		Use:   "validate FILE...",
		Short: "Check workflows, and report all mistakes",
		Long:  "Check workflows, and report all mistakes, each with its position and a correction.\n- is the standard input. Nothing runs. With --unattended, a workflow also fails that is not fit\nto run alone: for what it cannot take back and does not prove, for example.",
		RunE: func(_ *cobra.Command, args []string) error {
			all, valid := []checked{}, true
			var errs []error // of files that cannot be read
			for _, name := range args {
				c, err := a.checkDocument(name, f.Unattended)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				all, valid = append(all, c), valid && c.fit()
			}
			errs = append(errs, showChecked(&a.console, all, f.JSON))
			if err := errors.Join(errs...); err != nil || valid {
				return err
			}
			return &shownError{steps.Invalid}
		},
	}, &f)
}

// checkDocument compiles a document. An error means that there was none to compile.
func (a *app) checkDocument(name string, unattended bool) (checked, error) {
	src, err := a.source(name)
	if err != nil {
		return checked{}, err
	}
	c := checked{File: src.Name, Problems: []workflows.Problem{}}
	program, err := workflows.Compile(src, workflows.CompileOptions{Kinds: a.kinds, Load: a.loadFile})
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		c.Problems = invalid.Problems
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.Valid, c.Name, c.Notes = true, program.Name, program.Notes
	program.Walk(func(*workflows.Node) { c.Steps++ })
	if unattended {
		c.Alone = program.Unattended()
	}
	return c, nil
}

func showChecked(o *console, all []checked, asJSON bool) error {
	if asJSON {
		return o.document(all)
	}
	red := paintFor(o.errOut).red
	for _, c := range all {
		if !o.Quiet {
			showNotes(o, c.Notes)
		}
		for _, p := range c.Problems {
			fmt.Fprintln(o.errOut, cleanLines(p.String()))
		}
		for _, x := range c.Alone {
			fmt.Fprintln(o.errOut, cleanLines(x.String()))
		}
		switch {
		case len(c.Alone) > 0:
			fmt.Fprintf(o.errOut, "%s not fit to run alone, for %s\n", red(clean(c.File)+":"), count(len(c.Alone), "reason"))
		case !c.Valid:
			fmt.Fprintf(o.errOut, "%s %s\n", red(clean(c.File)+":"), count(len(c.Problems), "problem"))
		case !o.Quiet:
			fmt.Fprintf(o.out, "%s: ok, %s\n", clean(c.File), count(c.Steps, "step"))
		}
	}
	return nil
}

// showNotes shows what is to be told about a document that is right.
func showNotes(o *console, notes []workflows.Problem) {
	for _, n := range notes {
		fmt.Fprintf(o.errOut, "note: %s\n", cleanLines(n.String()))
	}
}
