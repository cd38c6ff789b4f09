package mcpserver

import (
	"context"
	"path/filepath"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/repair"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// repairTool changes the workflow of a run by what a person did on its desktop.
type repairTool struct {
	runTools
	resources *resources
}

func (s repairTool) tool() *tool {
	return define(tool{
		Tool:    access.Tool{Name: "repair_run", Toolset: steps.Runs, Risk: steps.Normal},
		summary: "Make what a person did on the desktop of a run that he took over a part of its workflow: shows the difference, or with keep writes it.",
		result:  shallow(schemaFor[repair.Proposal]()), unlisted: true, destructive: true, openWorld: true,
	}, s.repair)
}

// repairArgs are the arguments of a repair, and whether the run continues with it.
type repairArgs struct {
	repair.Args

	Resume bool `json:"resume,omitempty" jsonschema:"continue the run with the repaired workflow"`
}

func (s repairTool) repair(ctx context.Context, c *call, a repairArgs) (*reply, error) {
	runs, h, err := s.runOf(ctx, c, a.RunID)
	if err != nil {
		return nil, err
	}
	if a.Resume { // checked before the workflow is changed
		if err := c.blockedError(c.May(access.Tool{Name: "resume_run", Always: true})); err != nil {
			return nil, err
		}
	}
	p, err := repair.Do(ctx, runs, s.o.Kinds, repairStore{s, c}, a.Args)
	if err != nil {
		return nil, err
	}
	if !a.Resume || h.Status == engine.Succeeded {
		return textReply(p, words.Told(p.Words()), nil)
	}
	wait := false
	out, err := s.continueRun(ctx, c, a.RunID, &wait, "", func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		return runs.Resume(ctx, a.RunID, s.resumeRequest(c, engine.ResumeRequest{From: p.From, Bundle: &p.Bundle}))
	})
	if err != nil || out.value == nil {
		return out, err
	}
	return textReply(p, words.Told(p.Words())+"\n"+out.text, nil)
}

// repairStore gives package repair access to the saved workflows of a caller.
type repairStore struct {
	s repairTool
	c *call
}

// name returns the name of the saved workflow that a document was read from; "" if it
// is none.
func (x repairStore) name(of workflows.Source) string {
	name := of.Name
	if filepath.Dir(name) == x.s.library.folder {
		name = workflows.FileName(name)
	}
	if !validName.MatchString(name) {
		return ""
	}
	return name
}

func (x repairStore) Text(of workflows.Source) ([]byte, error) {
	name := x.name(of)
	if name == "" {
		return nil, steps.Errorf(steps.NotFound, "the workflow of the run is not a saved one, but %s", of.Name).
			WithNext("where that file is, run: understudy runs repair RUN --keep")
	}
	src, err := x.s.library.viewFor(x.c.Subject).get(name)
	return src.Text, err
}

func (x repairStore) Check(b engine.Bundle) error {
	p, err := b.Compile(x.s.o.Kinds)
	if err != nil {
		return err
	}
	return x.c.blockedError(x.c.MaySave(p, x.s.o.Kinds))
}

func (x repairStore) Save(ctx context.Context, of workflows.Source, text []byte) error {
	_, err := x.s.resources.saveWorkflow(ctx, x.c.caller, x.name(of), text, true)
	return err
}
