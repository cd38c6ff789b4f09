package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// resumeFlags are the flags of the commands that continue a run.
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

func (a *app) resumeOne(cmd *cobra.Command, id string, f *resumeFlags) error {
	runs, leave, err := a.runs(cmd, &f.display)
	if err != nil {
		return err
	}
	defer leave()
	ctx := cmd.Context()
	if id, err = a.find(ctx, runs, id); err != nil {
		return err
	}
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

// resumption is the request that the flags say.
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

// programFor is the document that the run goes on with.
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
	fmt.Fprintf(a.out, "run %s would go on at %s\n", id, p.From)
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

func (a *app) fork() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "fork RUN --from STEP",
		Short: "Start a new run from what a run knew before a step",
		Args:  exactly(1, "the id of one run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.from == "" {
				return usage(cmd, "wanted --from STEP")
			}
			runs, leave, err := a.runs(cmd, &f.display)
			if err != nil {
				return err
			}
			defer leave()
			id, err := a.find(cmd.Context(), runs, args[0])
			if err != nil {
				return err
			}
			r, err := a.resumption(cmd.Context(), cmd, runs, id, &f)
			if err != nil {
				return err
			}
			h, err := runs.Fork(cmd.Context(), id, f.from, r)
			if err != nil {
				return a.invalid(err)
			}
			return a.follow(cmd.Context(), runs, h, &f.show)
		},
	}
	f.display.add(cmd)
	f.inputs.add(cmd)
	f.show.add(cmd)
	cmd.Flags().StringVar(&f.from, "from", "", "begin at the step with this id or path")
	cmd.Flags().StringVar(&f.workflow, "workflow", "", "take this file; executed steps must be the same")
	cmd.Flags().BoolVar(&f.force, "force", false, "take the file although executed steps differ")
	return cmd
}

func (a *app) answer() *cobra.Command {
	var display displayFlags
	var show showFlags
	cmd := &cobra.Command{
		Use:   "answer RUN ANSWER",
		Short: "Answer the question of a waiting run",
		Args:  exactly(2, "the id of a run and the answer; - is the standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, text, err := a.pair("answer=" + args[1])
			if err != nil {
				return err
			}
			runs, leave, err := a.runs(cmd, &display)
			if err != nil {
				return err
			}
			defer leave()
			ctx := cmd.Context()
			id, err := a.find(ctx, runs, args[0])
			if err != nil {
				return err
			}
			h, err := runs.Get(ctx, id)
			if err != nil {
				return err
			}
			seen := h.Seq
			if h, err = runs.Answer(ctx, id, answerTo(h.Question, text)); err != nil {
				return err
			}
			return a.followFrom(ctx, runs, h, seen, &show)
		},
	}
	display.add(cmd)
	show.add(cmd)
	return cmd
}

// answerTo is a text as an answer to a question.
func answerTo(q *engine.Question, text string) engine.Answer {
	r := engine.Answer{Value: text, Environ: os.Environ(), By: "command line"}
	if q == nil {
		return r
	}
	switch q.Sort {
	case engine.AskDoubt:
		r.Choice = text
	case engine.AskSecret:
		r.Value, r.Secrets = nil, map[string]string{q.Choices[0]: text}
	}
	return r
}

func (a *app) stop() *cobra.Command {
	var display displayFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "stop RUN",
		Short: "Stop a run; it can be resumed",
		Args:  atMost(1, "the id of one run, or --all"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) == 1) {
				return usage(cmd, "wanted the id of one run, or --all")
			}
			runs, leave, err := a.runs(cmd, &display)
			if err != nil {
				return err
			}
			defer leave()
			const why = "stopped from the command line"
			stopped := []engine.Header{}
			if all {
				stopped, err = runs.StopAll(cmd.Context(), engine.ByUser, why)
			} else {
				var id string
				if id, err = a.find(cmd.Context(), runs, args[0]); err != nil {
					return err
				}
				var h engine.Header
				h, err = runs.Stop(cmd.Context(), id, engine.ByUser, why)
				stopped = append(stopped, h)
			}
			if err != nil {
				return err
			}
			for _, h := range stopped {
				fmt.Fprintf(a.out, "%s %s\n", h.ID, h.Status)
			}
			return nil
		},
	}
	display.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every run that is executed")
	return cmd
}

// find is the run whose id begins with a text; "last" is the newest.
func (a *app) find(ctx context.Context, runs engine.Runs, text string) (string, error) {
	if len(text) == 26 {
		return text, nil
	}
	all, err := runs.List(ctx, engine.Query{Calls: true, Limit: 10_000})
	if err != nil {
		return "", err
	}
	var found []string
	for _, h := range all {
		if text == "last" {
			return h.ID, nil
		}
		if len(text) >= 4 && len(h.ID) >= len(text) && h.ID[:len(text)] == text {
			found = append(found, h.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("there is no run %q", text), Next: "`understudy runs ls` lists them; last is the newest"}
	}
	return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%q begins the ids of %d runs", text, len(found)), Next: "write more of the id"}
}
