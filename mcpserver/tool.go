package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/words"
	"understudy/mcpserver/access"
	"understudy/mcpserver/ask"
	"understudy/steps"
)

// tool is something that a client can call: a kind, or what is done with runs
// and workflows.
type tool struct {
	access.Tool
	summary     string
	details     string
	acts        bool // its run takes a slot of the concurrency limit
	idempotent  bool
	destructive bool
	open        bool // it reaches beyond this machine's desktop
	args        *jsonschema.Schema
	result      *jsonschema.Schema
	check       func(map[string]any) []steps.Problem
	run         func(ctx context.Context, c *call) (*reply, error)
}

// call is one call of a tool.
type call struct {
	caller
	req  *mcp.CallToolRequest
	tool *tool
	args map[string]any

	outlived   bool            // its run goes on when the client goes away
	connection context.Context // of the HTTP request; nil over other transports
}

// asked is the call as questions see it.
func (c *call) asked() ask.Call {
	return ask.Call{CallToolRequest: c.req, Client: c.name, Tool: c.tool.Name, Modern: c.modern()}
}

// reply is what a tool says when it worked.
type reply struct {
	value   any    // the structured content
	text    string // one line for a model
	shows   string // what a picture in also shows, in lines of their own
	also    []mcp.Content
	failure *failure            // the run failed; value tells of it
	pending *mcp.CallToolResult // the client is to ask someone, and to call again
}

// addTools makes tools of the kinds and adds those for runs and workflows. All
// are registered; a policy says which a client sees.
func (s *Server) addTools() {
	for _, t := range slices.Concat(s.sequenceTools(), s.runTools(), s.workflowTools(), s.recordTools(), s.kindTools()) {
		s.tools[t.Name] = t
		s.order = append(s.order, t)
		s.mcp.AddTool(t.declaration(), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.handle(ctx, req, t)
		})
	}
}

// declaration is the tool as clients see it.
func (t *tool) declaration() *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Description: strings.TrimSpace(t.summary + " " + t.details), InputSchema: t.args,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.Reads, IdempotentHint: t.idempotent || t.Reads,
			DestructiveHint: new(t.destructive), OpenWorldHint: new(t.open),
		},
	}
	if t.result != nil {
		d.OutputSchema = t.result
	}
	return d
}

// define makes a tool from a function of its arguments and its result.
func define[A, R any](t tool, run func(ctx context.Context, c *call, args A) (R, string, error)) *tool {
	t.args, t.result = schemaFor[A](), shallow(schemaFor[R]())
	t.run = func(ctx context.Context, c *call) (*reply, error) {
		var args A
		if err := decode(c.args, &args); err != nil {
			return nil, err
		}
		value, text, err := run(ctx, c, args)
		if err != nil {
			return nil, err
		}
		return &reply{value: value, text: text}, nil
	}
	return &t
}

// schemaFor is the schema of a type; an optional field may be null.
func schemaFor[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(fmt.Sprintf("mcpserver: schema of %T: %v", *new(T), err))
	}
	return s
}

// decode reads arguments that were checked into their type.
func decode(args map[string]any, into any) error {
	raw, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err}
	}
	return nil
}

// arguments reads the arguments of a call and checks them.
func (t *tool) arguments(raw json.RawMessage) (map[string]any, error) {
	args := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, steps.Errorf(steps.Invalid, "the arguments of %s are not an object: %w", t.Name, err)
		}
	}
	var problems []steps.Problem
	if t.check != nil {
		problems = t.check(args)
	} else {
		problems = steps.CheckValue(t.args, args)
	}
	if len(problems) == 0 {
		return args, nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	return nil, &steps.Error{
		Code: steps.Invalid, Err: fmt.Errorf("the arguments of %s do not fit: %s", t.Name, strings.Join(lines, "\n")),
		Next: t.usage(),
	}
}

// usage is how the tool is called, in one line.
func (t *tool) usage() string {
	if len(t.args.Required) == 0 {
		return "call " + t.Name + " again with arguments that fit its schema"
	}
	return fmt.Sprintf("call %s again; it needs %s", t.Name, strings.Join(t.args.Required, ", "))
}

// unknown is what is said of a tool that does not exist.
func (s *Server) unknown(name string) string {
	known := make([]string, 0, len(s.tools))
	for n := range s.tools {
		known = append(known, n)
	}
	text := fmt.Sprintf("there is no tool %q", name)
	if near := words.Nearest(name, known); near != "" {
		return text + "; did you mean " + near + "?"
	}
	return text + "; tools/list names those that there are"
}
