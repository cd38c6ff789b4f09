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
		if s.tools.barred(req, "list_workflows") == nil {
			known, _ = s.library.names()
		}
	case "id", "run_id":
		if s.tools.barred(req, "list_runs") == nil {
			known = s.runIDs(ctx)
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

func (s prompts) runIDs(ctx context.Context) (ids []string) {
	runs, err := s.runs.get(ctx)
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
