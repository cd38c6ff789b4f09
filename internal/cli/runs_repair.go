package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/repair"
	"understudy/steps"
	"understudy/workflows"
)

func runsRepair(a *app) *cobra.Command {
	var args repair.Args
	var f jsonFlag
	cmd := withFlags(a.ofRun(&cobra.Command{
		Use: "repair RUN", Short: "Add what a person did on the desktop of a run to its workflow",
		Long: "Show how the workflow of a run would change if what a person did last, during a\n" +
			"takeover of its desktop, became steps: before the step at which the run stood, or with\n" +
			"--fallback as the fallback of that step. --keep writes it.",
	}, func(ctx context.Context, runs engine.Runs, id string, _ []string) error {
		args.RunID = id
		p, err := repair.Do(ctx, runs, a.kinds, files{a}, args)
		if err != nil {
			return a.invalid(err)
		}
		if f.JSON {
			return a.document(p)
		}
		return showProposal(&a.console, id, p)
	}), &f)
	return withFlags(cmd, &args)
}

func showProposal(c *console, id string, p repair.Proposal) error {
	for line := range strings.Lines(p.Words()) {
		fmt.Fprintln(c.out, clean(strings.TrimSuffix(line, "\n")))
	}
	if !p.Kept {
		c.tell("nothing is written; --keep writes it")
		return nil
	}
	c.tell("written; go on with: understudy resume %s --workflow %s --from %s", id, p.Workflow, p.From)
	return nil
}

// files are the saved workflows, and those that were run from a file.
type files struct{ a *app }

func (f files) path(of workflows.Source) (path string, saved bool, err error) {
	home, err := f.a.folder()
	if err != nil {
		return "", false, err
	}
	if path, ok := workflows.FileIn(savedWorkflows(home), of.Name); ok && filepath.Base(of.Name) == of.Name {
		return path, true, nil
	}
	return filepath.Join(of.Dir, filepath.Base(of.Name)), false, nil
}

func (f files) Text(of workflows.Source) ([]byte, error) {
	path, _, err := f.path(of)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		err = &steps.Error{Code: steps.NotFound, Err: err}
	}
	return text, err
}

func (f files) Check(b engine.Bundle) error {
	_, err := b.Compile(f.a.kinds)
	return err
}

func (f files) Save(_ context.Context, of workflows.Source, text []byte) error {
	path, saved, err := f.path(of)
	if err != nil {
		return err
	}
	if !saved {
		return writeDocument(path, text)
	}
	return f.a.saveVersion(path, text)
}
