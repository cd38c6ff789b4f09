package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
)

// kindTools makes a tool of each kind. The kind checks its own arguments, so
// that a tool, a document and the command line behave alike.
func (s *Server) kindTools() []*tool {
	tools := make([]*tool, len(s.o.Kinds))
	for i, k := range s.o.Kinds {
		tools[i] = &tool{
			rule: ruleOf(k), summary: k.Summary, details: k.Details, acts: k.Touches == steps.Act,
			idempotent: k.Idempotent, destructive: k.Risk == steps.Destructive || k.Risk == steps.RunsShell,
			open: k.Risk == steps.RunsShell, args: k.Brief(), result: shallow(k.Result),
			check: func(args map[string]any) []steps.Problem { return k.Check(args, nil) },
			run:   s.kindCall(k),
		}
	}
	return tools
}

func (s *Server) kindCall(k steps.Kind) func(context.Context, *call) (*reply, error) {
	return func(ctx context.Context, c *call) (*reply, error) {
		begin := func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
			return runs.Start(ctx, s.situate(c, engine.Request{Call: k.Name, Args: c.args}))
		}
		return s.play(ctx, c, begin, func(ctx context.Context, runs engine.Runs, h engine.Header) (*reply, error) {
			return kindReply(ctx, runs, k, h)
		})
	}
}

// kindReply is what a single step came to.
func kindReply(ctx context.Context, runs engine.Runs, k steps.Kind, h engine.Header) (*reply, error) {
	if f := failureOfRun(h); f != nil {
		f.ResumeFrom = "" // calling the tool again says the same, and shorter
		return nil, f
	}
	r, err := runs.Report(ctx, h.ID, engine.Page{})
	if err != nil {
		return nil, err
	}
	if h.Question != nil || len(r.Steps) == 0 {
		return nil, &failure{Code: steps.Unexpected, Message: "the run is " + string(h.Status), RunID: h.ID, Next: nextOfQuestion(h)}
	}
	value, err := whole(ctx, runs, r.Steps[0].Result)
	if err != nil {
		return nil, err
	}
	out := &reply{value: value, text: sentence(k, value)}
	if m, ok := value.(map[string]any); ok {
		if uri, ok := m["uri"].(string); ok && strings.HasPrefix(uri, captureURI) {
			out.also = append(out.also, &mcp.ResourceLink{URI: uri, Name: "picture", MIMEType: "image/png"})
		}
	}
	return out, nil
}

// whole puts back a result that was too large for the run's state.
func whole(ctx context.Context, runs engine.Runs, result any) (any, error) {
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

// longest is how long the one line of a result may be.
const longest = 300

// sentence says a result in words: a text that stands in it as it is, or its
// fields.
func sentence(k steps.Kind, value any) string {
	m, _ := value.(map[string]any)
	for _, name := range []string{"tree", "text", "content", "stdout"} {
		if text, ok := m[name].(string); ok && text != "" {
			return text
		}
	}
	raw, err := json.Marshal(value)
	if err != nil || len(m) == 0 {
		return k.Name + ": done"
	}
	text := []rune(string(raw))
	if len(text) > longest && !slices.Contains(listing, k.Name) {
		text = append(text[:longest], '…')
	}
	return k.Name + ": " + string(text)
}

// listing are the kinds whose whole result a model wants to read.
var listing = []string{"get_applications_and_windows_list", "validate_element", "glob_files", "grep_files"}
