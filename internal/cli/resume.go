package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/workflows"
)

type resumeFlags struct {
	display  displayFlags
	inputs   inputFlags
	show     showFlags
	from     string
	workflow string
	redo     bool
	skip     bool
	force    bool
	plan     bool
}

func (a *app) resume() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Continue a run that failed, was stopped, or was cut short",
		Long: "Continue a run at the first step that did not succeed, or at the step that\n" +
			"--from names. A step that may have acted before it was cut short is never done\n" +
			"again silently: --redo repeats it, --skip goes on without it.",
		Args: exactly(1, "the id of one run; `understudy runs ls` lists them"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.resumeOne(cmd, args[0], &f) },
	}
	f.display.add(cmd)
	f.inputs.add(cmd)
	f.show.add(cmd)
	cmd.Flags().StringVar(&f.from, "from", "", "go on at the step with this id or path")
	cmd.Flags().StringVar(&f.workflow, "workflow", "", "take this file from here on; executed steps must be the same")
	cmd.Flags().BoolVar(&f.redo, "redo", false, "do the step again that may have acted")
	cmd.Flags().BoolVar(&f.skip, "skip", false, "go on without the step that may have acted")
	cmd.Flags().BoolVar(&f.force, "force", false, "take the file although executed steps differ")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "only show what would be kept and what would be done again")
	return cmd
}

func (a *app) resumeOne(cmd *cobra.Command, name string, f *resumeFlags) error {
	return a.onRun(cmd, &f.display, name, func(ctx context.Context, runs engine.Runs, id string) error {
		r, err := a.resumption(ctx, cmd, runs, id, f)
		if err != nil {
			return err
		}
		if f.plan {
			return a.showPlan(ctx, runs, id, r, f.show.json)
		}
		h, seen, err := a.goOn(ctx, runs, id, r)
		if err != nil {
			return a.invalid(err)
		}
		return a.followFrom(ctx, runs, h, seen, &f.show)
	})
}

// goOn continues a run by what it stands still for, and tells how many events
// it had before.
func (a *app) goOn(ctx context.Context, runs engine.Runs, id string, r engine.ResumeRequest) (h engine.Header, seen uint64, err error) {
	if h, err = runs.Get(ctx, id); err != nil {
		return h, 0, err
	}
	seen = h.Seq
	plain := r.From == "" && r.Bundle == nil && len(r.Inputs) == 0
	switch {
	case h.Status == engine.Paused && plain:
		h, err = runs.Continue(ctx, id)
	case h.Status == engine.Waiting && plain && h.Question != nil && h.Question.Sort == engine.AskDoubt && r.Decision != "":
		h, err = runs.Answer(ctx, id, engine.Answer{Choice: r.Decision, Secrets: r.Secrets, Environ: r.Environ, By: r.By})
	case h.Status == engine.Waiting && plain && h.Question != nil && h.Question.Sort == engine.AskSecret:
		h, err = runs.Answer(ctx, id, engine.Answer{Secrets: r.Secrets, Environ: r.Environ, By: r.By})
	default:
		h, err = runs.Resume(ctx, id, r)
	}
	return h, seen, err
}

func (a *app) resumption(ctx context.Context, cmd *cobra.Command, runs engine.Runs, id string, f *resumeFlags) (engine.ResumeRequest, error) {
	r := engine.ResumeRequest{From: f.from, Force: f.force, Queue: true, By: "command line", Environ: os.Environ()}
	switch {
	case f.redo && f.skip:
		return r, usage(cmd, "--redo and --skip exclude one another")
	case f.redo:
		r.Decision = engine.Redo
	case f.skip:
		r.Decision = engine.SkipStep
	}
	program, err := a.programFor(ctx, runs, id, f.workflow, &r)
	if err != nil {
		return r, err
	}
	r.Inputs, r.Secrets, err = f.inputs.read(a, program)
	return r, err
}

func (a *app) programFor(ctx context.Context, runs engine.Runs, id, file string, r *engine.ResumeRequest) (*workflows.Program, error) {
	if file != "" {
		src, err := a.workflow(file)
		if err != nil {
			return nil, err
		}
		bundle, program, err := engine.Pack(src, a.kinds, a.load)
		r.Bundle = &bundle
		return program, a.invalid(err)
	}
	h, err := runs.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if h.Document == "" {
		return &workflows.Program{}, nil
	}
	raw, err := runs.File(ctx, engine.Documents, h.Document)
	if err != nil {
		return nil, fmt.Errorf("the document of run %s: %w", id, err)
	}
	bundle, err := engine.ReadBundle(raw)
	if err != nil {
		return nil, err
	}
	return bundle.Compile(a.kinds)
}

func (a *app) showPlan(ctx context.Context, runs engine.Runs, id string, r engine.ResumeRequest, asJSON bool) error {
	p, err := runs.Plan(ctx, id, r)
	if err != nil {
		return err
	}
	if asJSON {
		return a.document(p)
	}
	fmt.Fprintln(a.out, p.Summary())
	if p.Doubt {
		fmt.Fprintln(a.out, "that step may have acted: say --redo or --skip")
	}
	return a.table(func(w io.Writer) {
		for _, part := range []struct {
			title string
			steps []engine.PlanStep
		}{{"kept", p.Kept}, {"done again", p.Again}, {"undone by finally", p.Undone}} {
			for _, s := range part.steps {
				acts := ""
				if s.Acts {
					acts = "acts"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", part.title, s.Path, s.ID, s.Kind, s.Status, acts)
			}
		}
	})
}
