package viewer

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"understudy/engine"
	"understudy/internal/repair"
	"understudy/steps"
	"understudy/workflows"
)

type repairPage struct {
	frame
	repair.Proposal
	Args    repair.Args
	Lines   []diffLine
	Others  []string // other steps to which the change could apply
	Resumes bool     // the run can continue with the change
}

// diffLine is a line of a diff.
type diffLine struct{ Sort, Text string }

// noWorkflows is a store without workflows: the page shows a change of the run's own
// document. The tool that keeps the change uses the saved workflow.
type noWorkflows struct{}

func (noWorkflows) Text(workflows.Source) ([]byte, error) {
	return nil, steps.Errorf(steps.NotFound, "the page writes nothing")
}
func (noWorkflows) Check(engine.Bundle) error                            { return nil }
func (noWorkflows) Save(context.Context, workflows.Source, []byte) error { return nil }

// repair shows what a person did on the desktop of a run, and how the workflow would
// change.
func (v *Viewer) repair(w http.ResponseWriter, r *http.Request, runs engine.Runs, failed error) error {
	id := r.PathValue("id")
	h, err := runs.Get(r.Context(), id)
	if err == nil {
		err = r.ParseForm()
	}
	if err != nil {
		return err
	}
	p := repairPage{
		frame:   frame{Title: "Keep what was done in " + name(h), Page: "runs"}.withForms(r, id, failed),
		Resumes: h.Status != engine.Succeeded, Args: repairOf(r.Form),
	}
	p.Args.RunID = id
	named, err := namedSteps(r.Context(), runs, id)
	if err != nil {
		return err
	}
	p.Proposal, err = repair.Do(r.Context(), runs, v.o.Kinds, noWorkflows{}, p.Args)
	if err != nil && steps.CodeOf(err) == steps.NotFound && p.By == "" {
		return err
	}
	if err != nil && p.Said == "" {
		p.Said = err.Error()
	}
	for _, s := range named {
		if s.ID != p.Step && !slices.Contains(p.Others, s.ID) {
			p.Others = append(p.Others, s.ID)
		}
	}
	p.Lines = diffLines(p.Difference)
	return show(w, statusAfter(failed), "repair", p)
}

func diffLines(difference string) (all []diffLine) {
	for line := range strings.Lines(difference) {
		all = append(all, diffLine{map[byte]string{'+': "added", '-': "removed", '@': "place"}[line[0]], strings.TrimSuffix(line, "\n")})
	}
	return all
}

// repairOf returns the arguments in the form of the page.
func repairOf(form url.Values) repair.Args {
	return repair.Args{Fallback: form.Get("how") != "before", Step: form.Get("step"), If: strings.TrimSpace(form.Get("if"))}
}

func (*Viewer) repairArgs(r *http.Request, _ engine.Runs, _ engine.Header) (map[string]any, error) {
	a := repairOf(r.PostForm)
	args := map[string]any{"fallback": a.Fallback, "keep": true, "resume": r.PostForm.Get("resume") != ""}
	for key, value := range map[string]string{"step": a.Step, "if": a.If} {
		if value != "" {
			args[key] = value
		}
	}
	return args, nil
}
