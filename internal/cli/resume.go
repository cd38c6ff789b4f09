package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// continueFlags are those of the commands that go on with what a run knows.
type continueFlags struct {
	displayFlags
	inputFlags
	showFlags
	From     string `flag:"from" usage:"continue at the step with this id or path"`
	Workflow string `flag:"workflow" usage:"continue with this document; executed steps must be the same in it"`
	Force    bool   `flag:"force" usage:"accept the document although executed steps differ"`
}

// request returns what the flags ask for a run.
func (f *continueFlags) request(ctx context.Context, a *app, runs engine.Runs, id string) (engine.ResumeRequest, error) {
	r := engine.ResumeRequest{From: f.From, Force: f.Force, Queue: true, By: "command line", Environ: os.Environ()}
	program, err := a.programFor(ctx, runs, id, f.Workflow, &r)
	if err != nil {
		return r, err
	}
	r.Inputs, r.Secrets, err = f.read(a, program)
	return r, err
}

func resumeCommand(a *app) *cobra.Command {
	f := struct {
		continueFlags
		Redo bool `flag:"redo" usage:"repeat the step that may have acted"`
		Skip bool `flag:"skip" usage:"skip the step that may have acted"`
		Plan bool `flag:"plan" usage:"only show which steps would be kept and which executed again"`
	}{continueFlags: continueFlags{displayFlags: defaultDisplay()}}
	return withFlags(&cobra.Command{
		Use:   "resume RUN",
		Short: "Continue a run that failed, was stopped, or was cut short",
		Long: "Continue a run at the first step that did not succeed, or at the step that\n" +
			"--from names. A step that may have acted before it was cut short is never done\n" +
			"again silently: --redo repeats it, --skip skips it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.Redo && f.Skip {
				return usage(cmd, "--redo and --skip exclude one another")
			}
			return a.withRun(cmd, &f.displayFlags, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				r, err := f.request(ctx, a, runs, id)
				if err != nil {
					return err
				}
				switch {
				case f.Redo:
					r.Decision = engine.Redo
				case f.Skip:
					r.Decision = engine.SkipStep
				}
				if f.Plan {
					return showPlan(ctx, &a.console, runs, id, r, f.JSON)
				}
				h, seen, err := continueRun(ctx, runs, id, r)
				if err != nil {
					return a.invalid(err)
				}
				return a.follow(ctx, runs, h, seen, &f.showFlags)
			})
		},
	}, &f)
}

func forkCommand(a *app) *cobra.Command {
	f := continueFlags{displayFlags: defaultDisplay()}
	return withFlags(&cobra.Command{
		Use:   "fork RUN --from STEP",
		Short: "Start a new run from the state of a run before a step",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.From == "" {
				return usage(cmd, "wanted --from STEP")
			}
			return a.withRun(cmd, &f.displayFlags, args[0], func(ctx context.Context, runs engine.Runs, id string) error {
				r, err := f.request(ctx, a, runs, id)
				if err != nil {
					return err
				}
				h, err := runs.Fork(ctx, id, f.From, r)
				if err != nil {
					return a.invalid(err)
				}
				return a.follow(ctx, runs, h, 0, &f.showFlags)
			})
		},
	}, &f)
}

// continueRun continues a run in the way that its status needs, and returns the
// number of events that it had before.
func continueRun(ctx context.Context, runs engine.Runs, id string, r engine.ResumeRequest) (h engine.Header, seen uint64, err error) {
	if h, err = runs.Get(ctx, id); err != nil {
		return h, 0, err
	}
	seen = h.Seq
	plain := r.From == "" && r.Bundle == nil && len(r.Inputs) == 0
	asks := plain && h.Status == engine.Waiting && h.Question != nil
	switch {
	case h.Status == engine.Paused && plain:
		h, err = runs.Continue(ctx, id)
	case asks && h.Question.Sort == engine.AskDoubt && r.Decision != "":
		h, err = runs.Answer(ctx, id, engine.Answer{Choice: r.Decision, Secrets: r.Secrets, Environ: r.Environ, By: r.By})
	case asks && h.Question.Sort == engine.AskSecret:
		h, err = runs.Answer(ctx, id, engine.Answer{Secrets: r.Secrets, Environ: r.Environ, By: r.By})
	default:
		if err = skippable(ctx, runs, id, r); err == nil {
			h, err = runs.Resume(ctx, id, r)
		}
	}
	return h, seen, err
}

// skippable fails if a step is to be skipped that would be executed, because it is clear
// that it did not act.
func skippable(ctx context.Context, runs engine.Runs, id string, r engine.ResumeRequest) error {
	if r.Decision != engine.SkipStep {
		return nil
	}
	r.Decision = ""
	p, err := runs.Plan(ctx, id, r)
	if err == nil && !p.Doubt {
		err = steps.Errorf(steps.Invalid, "--skip: step %s is not one that may have acted, so it would be executed", p.From).
			WithNext("leave --skip out, or name the step to continue at with --from")
	}
	return err
}

// programFor returns the program of a run, or that of a file, which becomes the
// new document of the request.
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
	bundle, err := engine.BundleOf(ctx, runs, h)
	if err != nil {
		return nil, err
	}
	return bundle.Compile(a.kinds)
}

func showPlan(ctx context.Context, c *console, runs engine.Runs, id string, r engine.ResumeRequest, asJSON bool) error {
	p, err := runs.Plan(ctx, id, r)
	if err != nil {
		return err
	}
	return c.show(asJSON, p, func(line func(...any)) {
		line(p.Summary())
		if p.Doubt {
			line("that step may have acted: say --redo or --skip")
		}
		for _, part := range []struct {
			title string
			steps []engine.PlanStep
		}{{"kept", p.Kept}, {"done again", p.Again}, {"undone by finally", p.Undone}} {
			for _, s := range part.steps {
				acts := ""
				if s.Acts {
					acts = "acts"
				}
				line(part.title, s.Path, s.ID, s.Kind, s.Status, acts)
			}
		}
	})
}
