package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

const sequenceName = "execute_sequence"

// sequenceTool runs documents.
type sequenceTool struct {
	*runner

	lasting desktopTools
}

func (s sequenceTool) tool(g *guide) *tool {
	return &tool{
		Tool:    access.Tool{Name: sequenceName, Toolset: steps.Runs, Always: true, Risk: steps.Normal},
		summary: "Run a workflow: steps given here, or a saved one by url.",
		details: g.sheet(),
		acts:    true, lasts: true, app: true, destructive: true, openWorld: true,
		args: sequenceArgs(s.o.Fleet), result: runSchema(), run: s.run,
	}
}

// controlArgs are the arguments that control the call and are no part of the document.
var controlArgs = map[string]*jsonschema.Schema{
	"wait":    {Type: "boolean", Description: "false: answer at once"},
	"dry_run": {Type: "boolean"},
	"queue":   {Type: "boolean", Description: "wait for a free desktop"},
	"desktop": {Type: "string", Description: "a lasting desktop"},

	includeImage: {Type: "boolean"},
}

// sequenceOptions are the values of controlArgs and fleetArgs.
type sequenceOptions struct {
	Wait     *bool    `json:"wait"`
	DryRun   bool     `json:"dry_run"`
	Queue    bool     `json:"queue"`
	Desktop  string   `json:"desktop"`
	Needs    []string `json:"needs"`
	Priority *int     `json:"priority"`
}

func sequenceArgs(fleet bool) *jsonschema.Schema {
	anObject := func(text string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "object", Description: text}
	}
	list := func(text string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object"}, Description: text}
	}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"steps":           list(""),
		"url":             {Type: "string", Description: "a saved workflow, or file://"},
		"inputs":          anObject(""),
		"variables":       anObject(""),
		"selectors":       anObject(""),
		"troubleshooting": list(""),
		"finally":         list(""),
		"output":          {Description: "expression"},
		"part":            anObject("{from, to}: ids of steps"),
		"verbosity":       typeSchemas[reflect.TypeFor[workflows.Verbosity]()],
	}}
	maps.Copy(s.Properties, controlArgs)
	if fleet {
		maps.Copy(s.Properties, fleetArgs)
	}
	return s
}

// run runs a document, and asks for missing inputs.
func (s sequenceTool) run(ctx context.Context, c *call) (*reply, error) {
	state, err := s.asker.ParseState(c.askCall())
	if err != nil {
		return nil, err
	}
	if state.Run != "" { // its document may have changed since
		return s.resumeAsked(ctx, c, state)
	}
	bundle, program, err := s.pack(c)
	if err != nil {
		return nil, err
	}
	if len(program.Steps)+len(program.Finally) == 0 && program.Output == nil {
		return nil, steps.Errorf(steps.Invalid, "steps is empty, so there is nothing to do").WithNext("list what is to be done in steps, or name a saved workflow in url")
	}
	if err := c.blockedError(c.MayRun(program)); err != nil {
		return nil, err
	}
	c.outlivesClient = program.Options.OutlivesClient(c.outlivesClient)
	inputs, pending, err := s.asker.Inputs(ctx, c.askCall(), program, state)
	if err != nil {
		out := failed(err)
		out.form = formFor(c, program)
		return out, nil
	}
	if pending != nil {
		return &reply{pending: pending}, nil
	}
	var o sequenceOptions
	if err := decode(c.args, &o); err != nil {
		return nil, err
	}
	choice, err := s.lasting.choice(c, o.Desktop)
	if err != nil {
		return nil, err
	}
	r := s.withCaller(c, engine.Request{Bundle: bundle, Inputs: inputs, Secrets: c.typed.Secrets, DryRun: o.DryRun, Queue: o.Queue, Terms: engine.Terms{Desktop: choice}})
	if s.o.Fleet {
		r.Needs, r.Priority = o.Needs, *cmp.Or(o.Priority, &r.Priority)
	}
	if program.Options.ResumesItself {
		r.Rights = c.rightsToStore()
	}
	return s.followOrDetach(ctx, c, o.Wait, program.Options.Verbosity, func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
		return runs.Start(ctx, r)
	})
}

// fleetArgs are the further arguments that control a call on a server of a fleet.
var fleetArgs = map[string]*jsonschema.Schema{
	"needs":    {Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: "labels that its worker must have, such as app=sap"},
	"priority": {Type: "integer", Minimum: new(0.0), Maximum: new(9.0), Description: "0 goes first; default 5"},
}

// defaultPriority is the priority in the queue of a fleet of a run that names none.
const defaultPriority = 5

// pack compiles the document in the arguments.
func (s sequenceTool) pack(c *call) (engine.Bundle, *workflows.Program, error) {
	text, err := documentOf(c.req.Params.Arguments, s.o.Fleet)
	if err != nil {
		return engine.Bundle{}, nil, err
	}
	return s.library.viewFor(c.Subject).pack(c.tool.Name, s.o.Dir, text)
}

// documentOf returns the document in the arguments as indented text that keeps their
// order, so that problems are shown at their place.
func documentOf(raw json.RawMessage, fleet bool) ([]byte, error) {
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &keys); err != nil && len(raw) > 0 {
		return nil, &steps.Error{Code: steps.Invalid, Err: err}
	}
	delete(keys, imageSince)
	for name := range keys {
		if controlArgs[name] != nil || fleet && fleetArgs[name] != nil {
			delete(keys, name)
		}
	}
	text, err := words.JSON(keys, "  ")
	return []byte(text), err
}

// permitRun refuses to continue a run with steps that its caller may not perform.
func (r *runner) permitRun(ctx context.Context, c *call, id string) error {
	runs, h, err := r.runOf(ctx, c, id)
	if err != nil {
		return err
	}
	if k, _, ok := workflows.FindKind(r.o.Kinds, h.Call, nil); ok {
		return c.blockedError(c.May(access.Of(k)))
	}
	p, err := compiledDocument(ctx, runs, h, r.o.Kinds)
	if err != nil {
		return err
	}
	c.outlivesClient = p.Options.OutlivesClient(c.outlivesClient)
	return c.blockedError(c.MayRun(p))
}

// compiledDocument compiles the stored document of a run.
func compiledDocument(ctx context.Context, runs engine.Runs, h engine.Header, kinds []steps.Kind) (*workflows.Program, error) {
	b, err := engine.BundleOf(ctx, runs, h)
	if err != nil {
		return nil, err
	}
	return b.Compile(kinds)
}

// detach begins a run and returns without waiting for it.
func (r *runner) detach(ctx context.Context, c *call, b begin) (*reply, error) {
	runs, h, err := r.record(ctx, c, b)
	if err != nil {
		return nil, err
	}
	r.forgetWhenOver(runs, h.ID, r.http.ClaimSlot(headers(c.req)))
	return &reply{
		value: runView{RunID: h.ID, Workflow: h.Workflow, Status: h.Status, Total: h.Total},
		text:  words.Say("run %s is %s; get_run {\"run_id\": %q, \"wait_ms\": 30000} waits for it", h.ID, h.Status, h.ID),
	}, nil
}
