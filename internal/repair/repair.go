// Package repair adds to a workflow what a person did while they had taken over the
// desktop of a run. Do proposes the change, and saves the workflow if that is asked for.
// Its callers say where workflows are kept.
package repair

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"understudy/engine"
	"understudy/internal/fileio"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps"
	"understudy/workflows"
)

// Args says which workflow is changed, and how.
type Args struct {
	RunID    string `json:"run_id" arg:"RUN" jsonschema:"the run whose desktop was taken over"`
	Fallback bool   `json:"fallback,omitempty" jsonschema:"execute the steps only if the step fails; without it, always before the step"`
	Step     string `json:"step,omitempty" jsonschema:"the step to repair (default the one at which the run stood)"`
	If       string `json:"if,omitempty" jsonschema:"for a fallback: its condition (default one made from the elements that were there)"`
	Keep     bool   `json:"keep,omitempty" jsonschema:"save the workflow; without it only show what would change"`
}

// WorkflowStore keeps workflows.
type WorkflowStore interface {
	// Text returns the current text of the workflow that a document was read from. The
	// error is NotFound if there is none.
	Text(of workflows.Source) ([]byte, error)
	// Check returns an error if a document is not valid, or if the caller may not run it.
	Check(engine.Bundle) error
	// Save writes the workflow that a document was read from.
	Save(ctx context.Context, of workflows.Source, text []byte) error
}

// TakeoverRecording is what a person did during the last takeover of the desktop of a run.
type TakeoverRecording struct {
	By     string
	Step   string       // the step at which the run stood: its id or path
	Made   compile.Made // the steps of the person alone
	kinds  []steps.Kind
	bundle engine.Bundle
	events []recorder.Event
}

// Of reads the last takeover of a run.
func Of(ctx context.Context, runs engine.Runs, id string) (TakeoverRecording, error) {
	h, err := runs.Get(ctx, id)
	if err != nil {
		return TakeoverRecording{}, err
	}
	l := TakeoverRecording{Step: h.ResumeFrom}
	hash, err := l.find(engine.History(ctx, runs, id))
	if err != nil {
		return l, err
	}
	if hash == "" || h.Document == "" {
		return l, steps.Errorf(steps.NotFound, "no takeover of the desktop of run %s was recorded", id).
			WithNext("take it over on its page, do the missing work, and hand it back")
	}
	seen, err := runs.File(ctx, engine.Artifacts, hash)
	if err != nil {
		return l, err
	}
	if l.events, err = recorder.ReadEvents(bytes.NewReader(seen)); err != nil {
		return l, err
	}
	if l.bundle, err = engine.BundleOf(ctx, runs, h); err != nil {
		return l, err
	}
	l.Made, err = compile.Recording(l.events, compile.Options{})
	return l, err
}

// find returns the hash of the last recording, and notes who made it and the step that had
// failed before.
func (l *TakeoverRecording) find(events func(func(engine.Event, error) bool)) (recording string, err error) {
	failed := ""
	for ev, err := range events {
		if err != nil {
			return "", err
		}
		fact, err := engine.Fact(ev)
		if err != nil {
			return "", err
		}
		switch f := fact.(type) {
		case engine.Ended:
			if failed = ""; f.Outcome.Status != engine.Success {
				failed = cmp.Or(f.ID, ev.Path)
			}
		case engine.Returned:
			if f.Recording != "" {
				recording, l.By, l.Step = f.Recording, f.By, cmp.Or(failed, l.Step)
			}
		}
	}
	return recording, nil
}

// Proposal is the change of a workflow that a takeover suggests.
type Proposal struct {
	By         string         `json:"by"`
	Did        []string       `json:"did"` // in words
	Workflow   string         `json:"workflow"`
	Step       string         `json:"step"` // before or for which the steps are
	If         string         `json:"if,omitempty"`
	Difference string         `json:"difference"`
	Notes      []compile.Note `json:"notes,omitempty"`
	Kept       bool           `json:"kept"`           // the workflow is saved
	From       string         `json:"from,omitempty"` // where the run goes on with it
	Bundle     engine.Bundle  `json:"-"`              // of the run, with the change
}

// Do proposes the change that the last takeover of a run suggests, and saves it if a.Keep is
// set. If the saved workflow has changed since the run began, that is patched too, and the
// run continues with its own document.
func Do(ctx context.Context, runs engine.Runs, kinds []steps.Kind, saved WorkflowStore, a Args) (Proposal, error) {
	l, err := Of(ctx, runs, a.RunID)
	if err != nil {
		return Proposal{}, err
	}
	l.kinds = kinds
	step := cmp.Or(a.Step, l.Step)
	of := l.document(step)
	p, text, err := l.patch(*of, a)
	if err != nil {
		return p, err
	}
	was := *of
	of.Text = text // in the bundle too
	if p.Bundle = l.bundle; !a.Keep {
		return p, saved.Check(p.Bundle)
	}
	now, err := saved.Text(was)
	if err == nil {
		err = saved.Check(p.Bundle)
	}
	if err == nil && !bytes.Equal(bytes.TrimSpace(now), bytes.TrimSpace(was.Text)) {
		text, err = l.patchLatest(&p, saved, was, now, a)
	}
	if err != nil {
		return p, err
	}
	err = saved.Save(ctx, was, text)
	p.Kept = err == nil
	return p, err
}

// patchLatest patches the current text of a workflow that has changed since the run began.
func (l TakeoverRecording) patchLatest(p *Proposal, saved WorkflowStore, of workflows.Source, now []byte, a Args) ([]byte, error) {
	of.Text = now
	other, text, err := l.patch(of, a)
	if err != nil {
		return nil, fmt.Errorf("the workflow was changed since: %w", err)
	}
	p.Difference = other.Difference
	of.Text = text
	return text, saved.Check(engine.Bundle{Main: of, Calls: l.bundle.Calls})
}

// document returns the document with a step: that of the run, or one that it calls.
func (l *TakeoverRecording) document(step string) *workflows.Source {
	for i := range l.bundle.Calls {
		called := &l.bundle.Calls[i].Source
		if ids, _ := workflows.NamesIn(called.Text); slices.Contains(ids, step) {
			if own, _ := workflows.NamesIn(l.bundle.Main.Text); !slices.Contains(own, step) {
				return called
			}
		}
	}
	return &l.bundle.Main
}

// patch puts the recorded steps into a document.
func (l TakeoverRecording) patch(of workflows.Source, a Args) (Proposal, []byte, error) {
	at := workflows.Insertion{Step: cmp.Or(a.Step, l.Step), Fallback: a.Fallback, If: a.If}
	p := Proposal{By: l.By, Workflow: of.Name, Step: at.Step, Notes: l.Made.Notes}
	for _, s := range l.Made.Steps {
		p.Did = append(p.Did, s.Text)
	}
	if len(p.Did) == 0 {
		return p, nil, steps.Errorf(steps.NotFound, "nothing that %s did on the desktop makes a step", l.By)
	}
	made, err := compile.Recording(l.events, compile.Options{Kinds: l.kinds, Onto: of.Text, At: at})
	if err != nil {
		return p, nil, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if p.From = at.Step; at.Fallback {
		p.If = cmp.Or(at.If, made.Sign)
	} else {
		p.From = made.Steps[0].ID
	}
	name := path.Base(strings.ReplaceAll(of.Name, `\`, "/"))
	p.Difference = fileio.Difference(name, of.Text, name+", repaired", made.Text)
	return p, made.Text, nil
}

// Words describes a proposal to a person or a model.
func (p Proposal) Words() string {
	lines := []string{fmt.Sprintf("%s did by hand, at step %s:", p.By, p.Step)}
	for _, d := range p.Did {
		lines = append(lines, "  "+d)
	}
	return strings.Join(append(lines, p.Difference), "\n")
}
