package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
)

// completions is how many values one completion has at most.
const completions = 100

// complete offers values for an argument of a prompt or a template, by the name
// of the argument.
func (s prompts) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var known []string
	switch req.Params.Argument.Name {
	case "name", "url", "workflow":
		if c, err := s.tools.who(req, "list_workflows"); err == nil {
			known, _ = s.library.of(c.Subject).names()
		}
	case "id", "run_id":
		if c, err := s.tools.who(req, "list_runs"); err == nil {
			known = s.runIDs(ctx, c)
		}
	case "kind", "tool_name":
		known = steps.Names(s.library.kinds)
	}
	values := []string{}
	total := 0
	for _, v := range known {
		if !strings.HasPrefix(v, req.Params.Argument.Value) {
			continue
		}
		if total++; len(values) < completions {
			values = append(values, v)
		}
	}
	details := mcp.CompletionResultDetails{Values: values, Total: total, HasMore: total > len(values)}
	return &mcp.CompleteResult{Completion: details}, nil
}

func (s prompts) runIDs(ctx context.Context, c caller) (ids []string) {
	runs, err := s.tools.runsFor(ctx, c.Subject, "list_runs")
	if err != nil {
		return nil
	}
	list, err := runs.List(ctx, engine.Query{Limit: 200})
	if err != nil {
		return nil
	}
	for _, h := range list {
		ids = append(ids, h.ID)
	}
	return ids
}
