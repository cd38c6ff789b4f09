package viewer

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/workflows"
)

const (
	// recentRuns is how many runs are searched for the last ones of each workflow, and
	// shownRuns how many of them its page shows.
	recentRuns = 500
	shownRuns  = 20
)

// savedWorkflow is a saved workflow in the list.
type savedWorkflow struct {
	Name, Description string
	Problem           bool
	Unfit             int            // number of reasons why it is not fit to run alone
	Last              *engine.Header // nil: none of the recent runs
}

type workflowsPage struct {
	frame
	Workflows []savedWorkflow
}

// workflows lists the saved workflows, each with its last run.
func (v *Viewer) workflows(w http.ResponseWriter, r *http.Request) error {
	documents, err := v.o.DocumentsFor(r, "list_workflows")
	if err != nil {
		return err
	}
	names, err := documents.Names()
	if err != nil {
		return err
	}
	last := map[string]*engine.Header{}
	for _, h := range v.latestRuns(r, engine.Query{Limit: recentRuns}) {
		if last[h.Workflow] == nil {
			last[h.Workflow] = &h
		}
	}
	p := workflowsPage{frame: frame{Title: "Workflows", Page: "workflows"}}
	for _, name := range names {
		s := savedWorkflow{Name: name}
		_, program, err := documents.Saved(name)
		if s.Problem = err != nil; !s.Problem {
			s.Description, s.Last, s.Unfit = program.Description, last[program.Name], len(reasons(program))
		}
		p.Workflows = append(p.Workflows, s)
	}
	return show(w, http.StatusOK, "workflows", p)
}

// reasons returns why a workflow is not fit to run alone. Who sees its page may not see the lines of
// one that it calls.
func reasons(p *workflows.Program) (all []workflows.Finding) {
	for _, f := range p.Unattended() {
		if f.File != p.Source.Name {
			f = workflows.Finding{Problem: workflows.Problem{File: f.File, Line: 1, Message: f.File + ", which is called, is not fit to run alone", Hint: "look at that workflow"}}
		}
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all
}

// latestRuns returns the newest runs that the sender of a request may list.
func (v *Viewer) latestRuns(r *http.Request, q engine.Query) []engine.Header {
	runs, err := v.o.RunsFor(r, "list_runs")
	if err != nil {
		return nil
	}
	list, err := runs.List(r.Context(), q)
	if err != nil {
		return nil
	}
	return list
}

// outlineStep is a step of a workflow in the outline on its page.
type outlineStep struct {
	*workflows.Node

	Depth int
}

// Does describes what a node does.
func (o outlineStep) Does() string {
	switch {
	case o.Kind != nil:
		return o.Kind.Name
	case o.Call != nil:
		return "runs " + o.Call.Name
	}
	return string(o.Type)
}

// section is a section of a workflow, such as finally.
type section struct {
	Title string
	Steps []outlineStep
}

func outline(p *workflows.Program) (parts []section) {
	if p == nil {
		return nil
	}
	for _, of := range []struct {
		title string
		nodes []*workflows.Node
	}{{"Steps", p.Steps}, {"When a step has failed", p.Troubleshooting}, {"At the end, whatever happened", p.Finally}} {
		if len(of.nodes) > 0 {
			parts = append(parts, section{of.title, flatten(of.nodes, 0)})
		}
	}
	return parts
}

func flatten(nodes []*workflows.Node, depth int) (all []outlineStep) {
	for _, n := range nodes {
		all = append(append(all, outlineStep{n, depth}), flatten(n.Steps, depth+1)...)
	}
	return all
}

type workflowPage struct {
	frame
	Name     string
	Program  *workflows.Program // nil: it is not valid
	Problems []workflows.Problem
	Unfit    []workflows.Finding // why it is not fit to run alone
	Fields   []field
	Parts    []section
	Runs     []engine.Header
	History  history
	Lines    []string
}

// workflowPath returns the address of the page of a saved workflow, which is also the
// subject of its forms.
func workflowPath(name string) string { return "/workflows/" + url.PathEscape(name) }

// workflow shows a saved workflow, with a form that runs it.
func (v *Viewer) workflow(w http.ResponseWriter, r *http.Request, failed error) error {
	p, err := v.savedPage(r)
	if err != nil {
		return err
	}
	p.frame = p.withForms(r, workflowPath(p.Name), failed)
	p.Fields, p.Parts = entered(r, variablesOf(p.Program)), outline(p.Program)
	if p.Program != nil {
		p.Unfit = reasons(p.Program)
		p.Runs = v.latestRuns(r, engine.Query{Workflow: p.Program.Name, Limit: historyRuns})
		p.History = historyOf(p.Runs)
		p.Runs = p.Runs[:min(len(p.Runs), shownRuns)]
	}
	return show(w, statusAfter(failed), "workflow", p)
}

func (v *Viewer) savedPage(r *http.Request) (workflowPage, error) {
	name := r.PathValue("name")
	p := workflowPage{frame: frame{Title: name, Page: "workflows"}, Name: name}
	documents, err := v.o.DocumentsFor(r, "get_workflow")
	if err != nil {
		return p, err
	}
	raw, program, err := documents.Saved(name)
	p.Program, p.Lines = program, linesOf(raw)
	if invalid, ok := errors.AsType[*workflows.InvalidError](err); ok {
		p.Problems, err = invalid.Problems, nil
	}
	return p, err
}

func (v *Viewer) runWorkflow(w http.ResponseWriter, r *http.Request) error {
	p, err := v.savedPage(r)
	if err != nil {
		return err
	}
	if err := checkForm(r, workflowPath(p.Name)); err != nil {
		return v.workflow(w, r, err)
	}
	args, inputs := map[string]any{"url": p.Name, "wait": false, "queue": true}, map[string]any{}
	for _, f := range variablesOf(p.Program) {
		text := normalizeLines(r.PostForm.Get(f.Key()))
		if text == "" || f.Secret { // the default counts, or it is in Typed
			continue
		}
		if inputs[f.Name], err = inputValue(p.Program, f.Name, text); err != nil {
			return v.workflow(w, r, err)
		}
	}
	if len(inputs) > 0 {
		args["inputs"] = inputs
	}
	var begun struct {
		RunID string `json:"run_id"`
	}
	if err := v.ask(r, Call{"execute_sequence", args, typedFrom(r.PostForm)}, &begun); err != nil {
		return v.workflow(w, r, err)
	}
	http.Redirect(w, r, "/runs/"+url.PathEscape(begun.RunID), http.StatusSeeOther)
	return nil
}

func (v *Viewer) ask(r *http.Request, c Call, into any) error {
	raw, err := v.o.Do(r, c)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

type versionsPage struct {
	frame
	operations.VersionListing
	Chosen string // the version whose difference is shown
	Lines  []diffLine
}

// versions lists the versions of a saved workflow, and shows the diff to one of them.
func (v *Viewer) versions(w http.ResponseWriter, r *http.Request, failed error) error {
	name := r.PathValue("name")
	p := versionsPage{frame: frame{Title: "Versions of " + name, Page: "workflows"}.withForms(r, workflowPath(name), failed), Chosen: r.FormValue("version")}
	args := map[string]any{"name": name}
	if err := v.ask(r, Call{Tool: "workflow_versions", Args: args}, &p.VersionListing); err != nil {
		return err
	}
	if p.Chosen != "" {
		var other operations.VersionListing
		args["version"] = p.Chosen
		if err := v.ask(r, Call{Tool: "workflow_versions", Args: args}, &other); err != nil {
			return err
		}
		p.Lines = diffLines(other.Difference)
	}
	return show(w, statusAfter(failed), "versions", p)
}

// restore makes a version the saved workflow again.
func (v *Viewer) restore(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if err := checkForm(r, workflowPath(name)); err != nil {
		return err
	}
	_, err := v.o.Do(r, Call{Tool: "restore_workflow", Args: map[string]any{"name": name, "version": r.PostForm.Get("version")}})
	if err != nil {
		return v.versions(w, r, err)
	}
	http.Redirect(w, r, workflowPath(name)+"/versions", http.StatusSeeOther)
	return nil
}
