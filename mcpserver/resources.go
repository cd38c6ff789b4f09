package mcpserver

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

// The addresses of resources.
const (
	runsURI      = "understudy://runs"
	runURI       = runsURI + "/"
	captureURI   = "understudy://captures/"
	workflowsURI = "understudy://workflows"
	workflowURI  = workflowsURI + "/"
	kindsURI     = "understudy://kinds"
	schemaURI    = "understudy://schema"
	treeURI      = "understudy://desktop/tree"
)

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
	pngType  = "image/png"
	textType = "text/plain"
)

// addResources registers what can be read: reading is a resource, acting is a
// tool.
func (s *Server) addResources() {
	add := func(uri, name, text, mime string, read func(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error)) {
		s.mcp.AddResource(&mcp.Resource{URI: uri, Name: name, Description: text, MIMEType: mime}, reading(mime, read))
	}
	template := func(uri, name, text, mime string, read func(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error)) {
		s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: name, Description: text, MIMEType: mime}, reading(mime, read))
	}
	add(runsURI, "runs", "The last runs.", jsonType, s.readRuns)
	add(workflowsURI, "workflows", "The saved workflows.", jsonType, s.readWorkflows)
	add(kindsURI, "kinds", "Every kind of step, with its arguments.", jsonType, s.readKinds)
	add(schemaURI, "schema", "The JSON schema of workflows.", jsonType, s.readSchema)
	add(treeURI, "desktop tree", "What the windows show, as a tree.", textType, s.readTree)
	template(runURI+"{id}", "run", "A run: its steps, errors and pictures.", jsonType, s.readRun)
	template(runURI+"{id}/events", "events", "The stored events of a run.", jsonType, s.readEvents)
	template(captureURI+"{hash}", "capture", "A picture.", pngType, s.readCapture)
	template(workflowURI+"{name}", "workflow", "The text of a saved workflow.", yamlType, s.readWorkflow)
	if names, err := s.library.names(); err == nil {
		for _, name := range names {
			s.addWorkflow(name)
		}
	}
}

func (s *Server) addWorkflow(name string) {
	s.mcp.AddResource(&mcp.Resource{URI: workflowURI + name, Name: name, MIMEType: yamlType}, reading(yamlType, s.readWorkflow))
}

// reading makes a handler of a function that reads one resource.
func reading(mime string, read func(context.Context, *mcp.ReadResourceRequest) (*mcp.ResourceContents, error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c, err := read(ctx, req)
		switch code := steps.CodeOf(err); {
		case err != nil && (code == steps.NotFound || code == steps.Invalid):
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		case err != nil:
			return nil, err
		}
		c.URI, c.MIMEType = req.Params.URI, mime
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

// readTree looks at the desktop, as a call of the kind that does so: who may not
// call it may not read this either, and what a client has seen of the screen
// stands in the list of runs, whichever way it looked.
func (s *Server) readTree(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ResourceContents, error) {
	runs, err := s.opened(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{caller: s.caller(req)}
	if why := c.policy.refuses(ruleOf(steps.GetWindowTree)); why != nil {
		return nil, c.blocked(steps.GetWindowTree.Name, why)
	}
	h, err := runs.Start(ctx, s.situate(c, engine.Request{Call: steps.GetWindowTree.Name}))
	if err != nil {
		return nil, err
	}
	if h, err = runs.Wait(ctx, h.ID); err != nil {
		return nil, err
	}
	out, err := kindReply(ctx, runs, steps.GetWindowTree, h, false)
	if err != nil {
		return nil, err
	}
	return &mcp.ResourceContents{Text: out.text}, nil
}
