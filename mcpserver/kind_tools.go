package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// kindTools makes a tool of each kind. The kind checks its own arguments, so that
// tools, documents and the command line behave alike.
type kindTools struct{ *runner }

func (r kindTools) tools() []*tool {
	tools := make([]*tool, len(r.o.Kinds))
	for i, k := range r.o.Kinds {
		tools[i] = &tool{
			Tool: access.Of(k), summary: k.Summary, details: k.Details, acts: !k.Reads, lasts: k.Timeout >= lastingTimeout,
			idempotent: k.Idempotent, destructive: destroys(k),
			openWorld: reachesOut(k), args: argsOf(k), result: shallow(k.Result()),
			check: func(args map[string]any) []steps.Problem {
				problems := steps.CheckValue(imageArgs, args)
				args, _ = splitIncludeImage(k, args)
				return append(problems, k.Check(workflows.CallArguments(&k, args), nil)...)
			},
			run: r.call(k),
		}
	}
	return tools
}

// lastingTimeout is the timeout of kinds whose calls may last.
const lastingTimeout = time.Hour

// imageArgs are the arguments of a tool that are none of its kind.
var imageArgs = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
	includeImage: {Type: "boolean"},
}}

// argsOf returns the schema of the arguments that the tool of a kind takes.
func argsOf(k steps.Kind) *jsonschema.Schema {
	args := k.ToolArgs()
	if k.Picture == steps.NoPicture {
		return args
	}
	args.Properties[includeImage] = imageArgs.Properties[includeImage]
	args.PropertyOrder = append(args.PropertyOrder, includeImage)
	if k.Picture == steps.IsPicture {
		args.Properties[imageSince] = &jsonschema.Schema{Type: "string", Description: "only changes since picture p3"}
		args.PropertyOrder = append(args.PropertyOrder, imageSince)
	}
	return args
}

func (r kindTools) call(k steps.Kind) func(context.Context, *call) (*reply, error) {
	return func(ctx context.Context, c *call) (*reply, error) {
		state, err := r.asker.ParseState(c.askCall())
		if err != nil {
			return nil, err
		}
		if state.Run != "" {
			return r.resumeAsked(ctx, c, state)
		}
		args, show := splitIncludeImage(k, c.args)
		if _, said := k.Spread(args)[steps.DiffArgument]; r.o.TreeDiffs && !said && k.Touches == steps.Act && k.Has(steps.DiffArgument) {
			args = maps.Clone(args)
			args[steps.DiffArgument] = true
		}
		begin := func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
			return runs.Start(ctx, r.withCaller(c, engine.Request{Call: k.Name, Args: args}))
		}
		return r.follow(ctx, c, begin, func(ctx context.Context, runs engine.Runs, h engine.Header) (*reply, error) {
			return kindReply(ctx, runs, k, h, show)
		})
	}
}

// kindReply returns the result of a run of a single step; with its pictures, if show is
// set.
func kindReply(ctx context.Context, runs engine.Runs, k steps.Kind, h engine.Header, show bool) (*reply, error) {
	r, err := runs.Report(ctx, h.ID, engine.Page{})
	if f := failureOfRun(h); f != nil {
		f.ResumeFrom = "" // calling the tool again does the same, and is shorter
		f.addDoubt(r.Steps)
		return nil, f
	}
	if err != nil {
		return nil, err
	}
	if h.Question != nil || len(r.Steps) == 0 {
		return nil, &failure{Code: steps.Unexpected, Message: "the run is " + string(h.Status), RunID: h.ID, Next: string(nextOfQuestion(h))}
	}
	value, err := loadLarge(ctx, runs, r.Steps[0].Result)
	if err != nil {
		return nil, err
	}
	out := &reply{value: value, text: textOf(k, value)}
	if k.Touches == steps.Act {
		out.text += words.Say("\nrun %s", h.ID)
	}
	for _, p := range shotsOf(value) {
		out.picture(p, show)
	}
	return out, nil
}

// loadLarge loads a result that was too large for the state of the run.
func loadLarge(ctx context.Context, runs engine.Runs, result any) (any, error) {
	m, ok := result.(map[string]any)
	hash, large := m["$artifact"].(string)
	if !ok || !large {
		return result, nil
	}
	raw, err := runs.File(ctx, engine.Artifacts, hash)
	if err != nil {
		return nil, fmt.Errorf("reading a large result: %w", err)
	}
	var value any
	return value, json.Unmarshal(raw, &value)
}
