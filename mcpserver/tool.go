package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/mcpserver/ask"
	"understudy/mcpserver/httpd"
	"understudy/mcpserver/viewer"
	"understudy/steps"
	"understudy/workflows"
)

// tool is a tool that a client can call: a kind, or an operation on runs, workflows,
// desktops or schedules.
type tool struct {
	access.Tool
	summary     string
	details     string
	acts        bool // its run takes a slot of the concurrency limit
	idempotent  bool
	destructive bool
	openWorld   bool // it reaches beyond this machine's desktop
	lasts       bool // clients are told that its calls may last
	app         bool // clients can show a page beside its answers
	unlisted    bool // listed only with the toolset all, because another tool does the same
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
	// since is an earlier picture; only what changed since then is to be shown.
	since string

	typed          viewer.Typed    // in the form of the page that makes the call
	outlivesClient bool            // its run continues when the client goes away
	connection     context.Context // of the HTTP request; nil over other transports
}

// askCall returns the call for package ask.
func (c *call) askCall() ask.Call {
	return ask.Call{CallToolRequest: c.req, Client: c.name, Tool: c.tool.Name, Modern: c.modern()}
}

// reply is the result of a tool.
type reply struct {
	value       any          // the structured content
	text        words.Marked // one line for a model
	captions    words.Marked // lines that describe the attached pictures
	attachments []mcp.Content
	shots       []shot              // pictures to show
	failure     *failure            // of the run; also part of value
	form        *appForm            // of a workflow that lacks inputs
	pending     *mcp.CallToolResult // sent instead: a question to answer before calling again, or a task
}

// toolbox holds all tools; a policy decides which of them a client sees.
type toolbox struct {
	clients    *clients
	named      map[string]*tool
	order      []*tool // as they are listed
	saved      savedTools
	structured bool
}

func (b *toolbox) add(tools ...*tool) {
	b.order = append(b.order, tools...)
	for _, t := range tools {
		b.named[t.Name] = t
	}
}

// discloses reports whether this server can disclose what the named tool does; "" is no
// tool. A server of a fleet has no kinds as tools.
func (b *toolbox) discloses(name string) bool { return name == "" || b.named[name] != nil }

// authorize returns the sender of a request that is no call of a tool but discloses what a
// tool does. It fails if the sender may not use that tool; "" discloses nothing.
func (b *toolbox) authorize(req serverRequest, name string) (caller, error) {
	c := b.clients.caller(req)
	t := b.named[name]
	if t == nil {
		return c, nil
	}
	return c, c.blockedError(c.May(t.Tool))
}

// runsFor returns the runs that a subject may see and change with the named tool.
func (b *toolbox) runsFor(ctx context.Context, who access.Subject, tool string) (engine.Runs, error) {
	return b.clients.runsFor(ctx, who, b.named[tool].Tool)
}

// pageFor returns the sender of a request, if it may use the tool that discloses the
// same as the page.
func (b *toolbox) pageFor(r *http.Request, tool string) (access.Subject, error) {
	who := b.clients.httpCaller(r, viewer.PageClient).Subject
	return who, who.May(b.named[tool].Tool).Denied()
}

// runsForPage returns the runs that the sender of a request may see.
func (b *toolbox) runsForPage(r *http.Request, tool string) (engine.Runs, error) {
	who, err := b.pageFor(r, tool)
	if err != nil {
		return nil, err
	}
	return b.runsFor(r.Context(), who, tool)
}

// admitted returns the properties of a tool that the admission over HTTP examines, or
// nil if there is no such tool.
func (b *toolbox) admitted(name string) *httpd.Tool {
	t := b.named[b.ours(name)]
	if t == nil {
		return nil
	}
	_, saved := b.saved.workflow(name) // its arguments are inputs
	return &httpd.Tool{
		Acts: func(args json.RawMessage) bool {
			return t.acts && !(t.Toolset == steps.Runs && !saved && wantsQueue(args))
		},
		Resumes: t.Toolset == steps.Runs,
		Manages: t.Toolset == steps.Runs && !t.acts,
	}
}

// wantsQueue reports whether a call wants to wait for a desktop instead of being told that
// none is free.
func wantsQueue(args json.RawMessage) bool {
	var a struct {
		Queue bool `json:"queue"`
	}
	return json.Unmarshal(args, &a) == nil && a.Queue
}

// visible removes from a list the tools that a subject is not offered.
func (b *toolbox) visible(list *mcp.ListToolsResult, who access.Subject) *mcp.ListToolsResult {
	out := *list
	out.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool {
		ours := b.named[t.Name]
		return ours != nil && (!who.Offers(ours.Tool) || ours.unlisted && !slices.Contains(who.Toolsets, access.All))
	})
	b.saved.addTo(&out, who)
	return &out
}

// CheckTool returns an error if there is no tool of a name, whoever may use it.
func (s *Server) CheckTool(name string) error {
	if s.tools.named[s.tools.ours(name)] != nil {
		return nil
	}
	return errors.New(s.tools.unknownMessage(name))
}

// ours returns the name of the tool that a name of another program means.
func (b *toolbox) ours(name string) string {
	if b.named[name] != nil {
		return name
	}
	if _, saved := b.saved.workflow(name); saved {
		return sequenceName
	}
	return workflows.ToolName(name)
}

// unknownMessage returns the message for a tool that does not exist.
func (b *toolbox) unknownMessage(name string) string {
	text := fmt.Sprintf("there is no tool %q", name)
	if why := workflows.ToolRefusal(name); why != "" {
		return text + ": " + why
	}
	if near := words.Nearest(name, slices.Collect(maps.Keys(b.named))); near != "" {
		return text + "; did you mean " + near + "?"
	}
	return text + "; tools/list names those that there are"
}

// declaration returns the tool as clients see it.
func (b *toolbox) declaration(t *tool) *mcp.Tool {
	d := &mcp.Tool{
		Name: t.Name, Description: strings.TrimSpace(t.summary + " " + t.details), InputSchema: brief(t.args),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.Reads, IdempotentHint: t.idempotent && !t.Reads,
			OpenWorldHint: new(t.openWorld),
		},
	}
	if t.app {
		d.Meta = appMeta()
	}
	if !t.Reads { // what only reads destroys nothing
		d.Annotations.DestructiveHint = new(t.destructive)
	}
	if t.result != nil && b.structured {
		d.OutputSchema = t.result
	}
	return d
}

// brief returns a schema of arguments without what only a check uses: the call makes it.
func brief(s *jsonschema.Schema) *jsonschema.Schema {
	short := s.CloneSchemas()
	short.AdditionalProperties = nil
	for _, p := range short.Properties {
		p.AdditionalProperties = nil
		if len(p.Types) == 2 && p.Types[0] == "null" {
			p.Type, p.Types = p.Types[1], nil
		}
	}
	return short
}

// define makes a tool whose arguments have a type. Kinds and execute_sequence, whose
// schemas come from elsewhere, read the arguments of the call themselves.
func define[A any](t tool, run func(ctx context.Context, c *call, args A) (*reply, error)) *tool {
	t.args = schemaFor[A]()
	t.run = func(ctx context.Context, c *call) (*reply, error) {
		var args A
		if err := decode(c.args, &args); err != nil {
			return nil, err
		}
		return run(ctx, c, args)
	}
	return &t
}

// textReply returns a reply with a result and its text, or the error.
func textReply(value any, text words.Marked, err error) (*reply, error) {
	if err != nil {
		return nil, err
	}
	return &reply{value: value, text: text}, nil
}

// decode converts checked arguments, or a result, to a type.
func decode(args, into any) error {
	raw, err := json.Marshal(args)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err}
	}
	return nil
}

// arguments decodes the arguments of a call and checks them.
func (t *tool) arguments(raw json.RawMessage) (args map[string]any, since string, err error) {
	args = map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, "", steps.Errorf(steps.Invalid, "the arguments of %s are not an object: %w", t.Name, err)
		}
	}
	since = t.takeImageSince(args)
	var problems []steps.Problem
	if t.check != nil {
		problems = t.check(args)
	} else {
		problems = steps.CheckValue(t.args, args)
	}
	if len(problems) == 0 {
		return args, since, nil
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
		if t.args.Properties[steps.TargetArgument] != nil {
			lines[i] = toolArguments.Replace(lines[i])
		}
	}
	return nil, "", steps.Errorf(steps.Invalid, "invalid arguments of %s: %s", t.Name, strings.Join(lines, "; ")).WithNext(t.usage(args))
}

// toolArguments replaces the arguments of a step that names an element by those of tools.
var toolArguments = strings.NewReplacer("a selector, targets or a ref", "a target", "a selector, targets, a ref, an image,", "a target,")

// usage returns how the tool is called instead of with args, in one line.
func (t *tool) usage(args map[string]any) string {
	missing := slices.DeleteFunc(slices.Clone(t.args.Required), func(name string) bool { return args[name] != nil })
	if len(missing) == 0 {
		return "call " + t.Name + " again with arguments that fit its schema"
	}
	return fmt.Sprintf("call %s again; it needs %s", t.Name, strings.Join(missing, ", "))
}
