package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// The addresses of resources.
const (
	scheme       = "understudy://"
	runsURI      = scheme + "runs"
	runURI       = runsURI + "/"
	captureURI   = scheme + "captures/"
	workflowsURI = scheme + "workflows"
	workflowURI  = workflowsURI + "/"
	kindsURI     = scheme + "kinds"
	schemaURI    = scheme + "schema"
	treeURI      = scheme + "desktop/tree"
)

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
	pngType  = "image/png"
	textType = "text/plain"
)

// resource is something that can be read; an address with a name in braces
// stands for many. It is read by those who may use the tool that tells the same;
// "" is for all.
type resource struct {
	uri, name, text, mime, tool string
	read                        func(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error)
}

// resources are all: reading is a resource, acting is a tool.
func (s *Server) resources() []resource {
	return []resource{
		{runsURI, "runs", "The last runs.", jsonType, "list_runs", s.readRuns},
		{workflowsURI, "workflows", "The saved workflows.", jsonType, "list_workflows", s.readWorkflows},
		{kindsURI, "kinds", "Every kind of step, with its arguments.", jsonType, "", s.readKinds},
		{schemaURI, "schema", "The JSON schema of workflows.", jsonType, "", s.readSchema},
		{treeURI, "desktop tree", "What the windows show, as a tree.", textType, kinds.GetWindowTree.Name, s.readTree},
		{runURI + "{id}", "run", "A run: its steps, errors and pictures.", jsonType, "get_run", s.readRun},
		{runURI + "{id}/events", "events", "The stored events of a run.", jsonType, "get_run", s.readEvents},
		{captureURI + "{hash}", "capture", "A picture.", pngType, "get_run", s.readCapture},
		{workflowURI + "{name}", "workflow", "The text of a saved workflow.", yamlType, "get_workflow", s.readWorkflow},
	}
}

// many says whether the address stands for many.
func (r resource) many() bool { return strings.Contains(r.uri, "{") }

// is says whether an address is this one, or one of those that it stands for.
func (r resource) is(uri string) bool {
	before, rest, many := strings.Cut(r.uri, "{")
	_, after, _ := strings.Cut(rest, "}")
	name, ok := strings.CutPrefix(uri, before)
	if !many || !ok {
		return uri == r.uri
	}
	name, ok = strings.CutSuffix(name, after)
	return ok && name != "" && !strings.Contains(name, "/")
}

func (s *Server) addResources() {
	for _, r := range s.resources() {
		if r.many() {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: r.uri, Name: r.name, Description: r.text, MIMEType: r.mime}, s.reading(r))
			continue
		}
		s.mcp.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Description: r.text, MIMEType: r.mime}, s.reading(r))
	}
	if names, err := s.library.names(); err == nil {
		for _, name := range names {
			s.addWorkflow(name)
		}
	}
}

// addWorkflow lists a saved workflow, which is read as all of them are.
func (s *Server) addWorkflow(name string) {
	uri := workflowURI + name
	r, _ := s.resourceAt(uri)
	s.mcp.AddResource(&mcp.Resource{URI: uri, Name: name, MIMEType: yamlType}, s.reading(r))
}

// resourceAt is what an address stands for.
func (s *Server) resourceAt(uri string) (resource, bool) {
	all := s.resources()
	if i := slices.IndexFunc(all, func(r resource) bool { return r.is(uri) }); i >= 0 {
		return all[i], true
	}
	return resource{}, false
}

// barred is the error of who may not use a tool, nor learn in another way what it
// tells; nil: it may be used, or is no tool.
func (s *Server) barred(req serverRequest, name string) error {
	t := s.tools[name]
	if t == nil {
		return nil
	}
	c := s.caller(req)
	return c.blocked(c.policy.Refuses(t.Tool))
}

// reading makes a handler of what reads one resource.
func (s *Server) reading(r resource) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if err := s.barred(req, r.tool); err != nil {
			return nil, err
		}
		c, err := r.read(ctx, req)
		switch code := steps.CodeOf(err); {
		case err != nil && (code == steps.NotFound || code == steps.Invalid):
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		case err != nil:
			return nil, err
		}
		c.URI, c.MIMEType = req.Params.URI, r.mime
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
	}
}

func asJSON(v any, err error) (*mcp.ResourceContents, error) {
	if err != nil {
		return nil, err
	}
	raw, err := json.MarshalIndent(v, "", " ")
	return &mcp.ResourceContents{Text: string(raw)}, err
}

// named is the last part of an address.
func named(req *mcp.ReadResourceRequest, prefix string) string {
	return strings.TrimPrefix(req.Params.URI, prefix)
}

func (s *Server) readRuns(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	list, err := runs.List(ctx, engine.Query{Calls: true, Limit: 50})
	lines := []runLine{}
	for _, h := range list {
		lines = append(lines, lineOf(h))
	}
	return asJSON(map[string]any{"runs": lines}, err)
}

func (s *Server) readRun(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	return asJSON(runs.Report(ctx, named(req, runURI), engine.Page{}))
}

func (s *Server) readEvents(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	evs, err := runs.Events(ctx, strings.TrimSuffix(named(req, runURI), "/events"), 1)
	return asJSON(map[string]any{"events": evs}, err)
}

func (s *Server) readCapture(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := runs.File(ctx, engine.Captures, named(req, captureURI))
	if err != nil {
		return nil, &steps.Error{Code: steps.NotFound, Err: err}
	}
	return &mcp.ResourceContents{Blob: raw}, nil
}

func (s *Server) readWorkflows(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	list, _, err := s.listWorkflows(ctx, nil, noArgs{})
	return asJSON(list, err)
}

func (s *Server) readWorkflow(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	src, err := s.library.get(named(req, workflowURI))
	return &mcp.ResourceContents{Text: string(src.Text)}, err
}

func (s *Server) readSchema(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	return &mcp.ResourceContents{Text: string(workflows.Schema(s.o.Kinds))}, nil
}

func (s *Server) readKinds(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	type info struct {
		Name      string        `json:"name"`
		Summary   string        `json:"summary"`
		Toolset   steps.Toolset `json:"toolset"`
		Reads     bool          `json:"reads"`
		Arguments any           `json:"arguments"`
		Result    any           `json:"result"`
	}
	list := make([]info, len(s.o.Kinds))
	for i, k := range s.o.Kinds {
		list[i] = info{k.Name, k.Summary, k.Toolset, k.Reads, k.Args, k.Result}
	}
	return asJSON(map[string]any{"kinds": list}, nil)
}

// readTree looks at the desktop, as a call of the kind that does so: what a client
// has seen of the screen stands in the list of runs, whichever way it looked.
func (s *Server) readTree(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{caller: s.caller(req)}
	h, err := runs.Start(ctx, s.situate(c, engine.Request{Call: kinds.GetWindowTree.Name}))
	if err != nil {
		return nil, err
	}
	id := h.ID
	if h, err = runs.Wait(ctx, id); err != nil {
		if ctx.Err() != nil {
			_, err = s.stopFor(ctx, c, runs, id)
		}
		return nil, cmp.Or(err, ctx.Err())
	}
	out, err := kindReply(ctx, runs, kinds.GetWindowTree, h, false)
	if err != nil {
		return nil, err
	}
	return &mcp.ResourceContents{Text: out.text}, nil
}
