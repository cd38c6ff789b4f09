package viewer

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

type planPage struct {
	frame
	engine.Plan
	Steps     []engine.StepReport // at which the run can continue
	From      string
	Secrets   []field
	Inputs    string   // as entered
	Call      bool     // a single call, which has no document
	Documents []string // their names
	Of        string   // the name of the document in the editor
	Document  string
	Opened    bool   // show the editor
	Changed   bool   // its text differs from that of the run
	Used      string // a selector that replaces another in the document; empty: none
	Missing   bool   // the other is not in the document as it stands
	Lines     []editedLine
	Problems  []workflows.Problem
}

// editedLine is a line number of the editor, and whether the line has a problem.
type editedLine struct {
	N   int
	Bad bool
}

// plan shows what resuming would do, before it is done.
func (v *Viewer) plan(w http.ResponseWriter, r *http.Request, runs engine.Runs, failed error) error {
	id, status := r.PathValue("id"), statusAfter(failed)
	h, err := runs.Get(r.Context(), id)
	if err != nil {
		return err
	}
	p := planPage{From: r.FormValue("from"), Inputs: r.PostFormValue("inputs"), Call: h.Call != ""}
	if p.Steps, err = namedSteps(r.Context(), runs, id); err != nil {
		return err
	}
	q := engine.ResumeRequest{From: p.From}
	if !p.Call {
		q.Bundle, err = v.fillEditor(&p, r, runs, h)
	}
	if err == nil {
		p.Plan, err = runs.Plan(r.Context(), id, q)
	}
	failed = cmp.Or(failed, err)
	p.RunID = id
	if invalid, ok := errors.AsType[*workflows.InvalidError](failed); ok {
		p.Problems, failed = invalid.Problems, nil
	}
	p.frame = frame{Title: "Resume " + id, Page: "runs"}.withForms(r, id, failed)
	p.numberLines()
	return show(w, status, "plan", p)
}

// fillEditor fills in the editor, and returns its document if that differs from the run's.
func (v *Viewer) fillEditor(p *planPage, r *http.Request, runs engine.Runs, h engine.Header) (*engine.Bundle, error) {
	documents, err := v.o.DocumentsFor(r, "get_run")
	if err != nil {
		return nil, err
	}
	all, err := documents.OfRun(r.Context(), runs, h)
	if err != nil {
		return nil, err
	}
	typed, other, own := typedFrom(r.PostForm), r.PostFormValue("open"), withSteps(all)
	for _, s := range all {
		if p.Documents = append(p.Documents, s.Name); s.Name == cmp.Or(other, typed.Name) {
			own = s
		}
	}
	p.Of, p.Document, p.Opened = own.Name, string(own.Text), other != ""
	if typed.Name == own.Name && typed.Document != "" && typed.Document != p.Document && !p.Opened {
		p.Document, p.Changed = typed.Document, true
	}
	if use, was := r.FormValue("use"), r.FormValue("was"); use != "" && was != "" && !p.Changed {
		text, ok := replaceIn(p.Document, p.From, was, use)
		p.Document, p.Changed, p.Opened, p.Used, p.Missing = text, ok, true, use, !ok
	}
	b, program, err := documents.Mended(r.Context(), runs, h, p.Of, p.Document)
	if err != nil {
		return nil, err
	}
	for _, f := range variablesOf(program) {
		if f.Secret {
			f.Required = false // the run may still have the value, and asks for it otherwise
			p.Secrets = append(p.Secrets, f)
		}
	}
	if !p.Changed {
		return nil, nil
	}
	return &b, nil
}

// replaceIn replaces a selector of a step in a document by another. The run has it in its
// canonical form, which need not be how the document writes it.
func replaceIn(document, step, was, use string) (text string, ok bool) {
	now, ok := workflows.ReplaceSelector([]byte(document), step, func(s string) bool { return canonical(s) == canonical(was) }, use)
	return string(now), ok
}

// canonical returns a selector in the form in which others with the same meaning are equal
// to it. In a document name: means name?:.
func canonical(text string) string {
	text = strings.ReplaceAll(text, "name?:", "name:")
	if s, err := steps.ParseSelector(steps.Selector(text)); err == nil {
		return s.String()
	}
	return text
}

// withSteps returns the first document that names steps, else the first: one that only
// calls others rarely needs a change.
func withSteps(all []workflows.Source) workflows.Source {
	for _, s := range all {
		if ids, _ := workflows.NamesIn(s.Text); len(ids) > 0 {
			return s
		}
	}
	return all[0]
}

func (p *planPage) numberLines() {
	p.Lines = make([]editedLine, strings.Count(p.Document, "\n")+1)
	for i := range p.Lines {
		p.Lines[i].N = i + 1
	}
	for _, x := range p.Problems {
		if x.Line > 0 && x.Line <= len(p.Lines) {
			p.Lines[x.Line-1].Bad = true
		}
	}
}
