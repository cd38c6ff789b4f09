package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/steps"
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
	kindURI      = kindsURI + "/"
	guideURI     = scheme + "guide"
	schemaURI    = scheme + "schema"
	treeURI      = scheme + "desktop/tree"
)

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
	pngType  = "image/png"
	textType = "text/plain"
	pageType = "text/markdown"
)

// resource is what a client can read; a URI with a name in braces is a template.
// Reading it needs the right to use the tool that discloses the same; "" needs none.
type resource struct {
	uri, name, text, mime, tool string
	read                        func(r *resources, ctx context.Context, c *call, uri string) (*mcp.ResourceContents, error)
}

// ofRuns makes a reader that is given the runs which the client may see.
func ofRuns(read func(s *resources, ctx context.Context, c *call, runs engine.Runs, uri string) (*mcp.ResourceContents, error)) func(*resources, context.Context, *call, string) (*mcp.ResourceContents, error) {
	return func(s *resources, ctx context.Context, c *call, uri string) (*mcp.ResourceContents, error) {
		runs, err := s.runsOf(ctx, c)
		if err != nil {
			return nil, err
		}
		return read(s, ctx, c, runs, uri)
	}
}

// allResources lists all resources.
var allResources = []resource{
	{runsURI, "runs", "The last runs.", jsonType, "list_runs", ofRuns((*resources).readRuns)},
	{workflowsURI, "workflows", "The saved workflows.", jsonType, "list_workflows", (*resources).readWorkflows},
	{guideURI, "guide", "How to work with this server, for models.", pageType, "", (*resources).readGuide},
	{skillURI, "skill", "How to use the command line, for agents with a shell.", pageType, "", (*resources).readSkill},
	{runAppURI, "run view", "The page of a run, for clients that show apps.", appType, "", (*resources).readApp},
	{kindURI + "{kind}", "kind", "A kind of step: all its arguments and results.", pageType, "", (*resources).readKind},
	{kindsURI, "kinds", "The schemas of all kinds of steps, for editors: long.", jsonType, "", (*resources).readKinds},
	{schemaURI, "schema", "The JSON schema of workflows, for editors: long.", jsonType, "", (*resources).readSchema},
	{treeURI, "desktop tree", "What the windows show, as a tree.", textType, treeKind, (*resources).readTree},
	{runURI + "{id}", "run", "A run: its steps, errors and pictures.", jsonType, "get_run", ofRuns((*resources).readRun)},
	{runURI + "{id}/events", "events", "The stored events of a run.", jsonType, "get_run", ofRuns((*resources).readEvents)},
	{captureURI + "{hash}", "capture", "A picture.", pngType, "get_run", ofRuns((*resources).readCapture)},
	{workflowURI + "{name}", "workflow", "The text of a saved workflow.", yamlType, "get_workflow", (*resources).readWorkflow},
}

func (r resource) isTemplate() bool { return strings.Contains(r.uri, "{") }

// matches reports whether a URI is this resource, or matches its template.
func (r resource) matches(uri string) bool {
	before, rest, many := strings.Cut(r.uri, "{")
	_, after, _ := strings.Cut(rest, "}")
	name, ok := strings.CutPrefix(uri, before)
	if !many || !ok {
		return uri == r.uri
	}
	name, ok = strings.CutSuffix(name, after)
	return ok && name != "" && !strings.Contains(name, "/")
}

// resources offers the resources to clients.
type resources struct {
	*runner
	mcp   *mcp.Server
	tools *toolbox
	guide *guide
}

func (s *resources) add() {
	for _, r := range allResources {
		if !s.tools.discloses(r.tool) {
			continue
		}
		if r.isTemplate() {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: r.uri, Name: r.name, Description: r.text, MIMEType: r.mime}, s.handlerFor(r))
			continue
		}
		s.mcp.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Description: r.text, MIMEType: r.mime}, s.handlerFor(r))
	}
	if names, err := s.library.Names(); err == nil {
		for _, name := range names {
			s.addWorkflow(name)
		}
	}
}

// addWorkflow lists a saved workflow.
func (s *resources) addWorkflow(name string) {
	uri := workflowURI + name
	r, _ := resourceAt(uri)
	s.mcp.AddResource(&mcp.Resource{URI: uri, Name: name, MIMEType: yamlType}, s.handlerFor(r))
}

// resourceAt finds the resource of an address.
func resourceAt(uri string) (resource, bool) {
	if i := slices.IndexFunc(allResources, func(r resource) bool { return r.matches(uri) }); i >= 0 {
		return allResources[i], true
	}
	return resource{}, false
}

// handlerFor returns the handler that reads a resource.
func (s *resources) handlerFor(r resource) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		who, err := s.tools.authorize(req, r.tool)
		if err != nil {
			return nil, err
		}
		as := &mcp.CallToolRequest{Session: req.Session, Params: &mcp.CallToolParamsRaw{Meta: req.Params.Meta, Name: r.tool}, Extra: req.Extra}
		c, err := r.read(s, ctx, &call{caller: who, req: as, tool: s.tools.named[r.tool]}, req.Params.URI)
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
	return &mcp.ResourceContents{Text: words.Visible(string(raw))}, err
}

func (s *resources) readRuns(ctx context.Context, _ *call, runs engine.Runs, _ string) (*mcp.ResourceContents, error) {
	list, err := runs.List(ctx, engine.Query{Calls: true, Limit: 50})
	return asJSON(map[string]any{"runs": linesOf(list)}, err)
}

func (s *resources) readRun(ctx context.Context, _ *call, runs engine.Runs, uri string) (*mcp.ResourceContents, error) {
	return asJSON(runs.Report(ctx, strings.TrimPrefix(uri, runURI), engine.Page{}))
}

func (s *resources) readEvents(ctx context.Context, _ *call, runs engine.Runs, uri string) (*mcp.ResourceContents, error) {
	evs, err := runs.Events(ctx, strings.TrimSuffix(strings.TrimPrefix(uri, runURI), "/events"), 1)
	return asJSON(map[string]any{"events": evs}, err)
}

func (s *resources) readCapture(ctx context.Context, _ *call, runs engine.Runs, uri string) (*mcp.ResourceContents, error) {
	raw, err := runs.File(ctx, engine.Captures, strings.TrimPrefix(uri, captureURI))
	if err != nil {
		return nil, &steps.Error{Code: steps.NotFound, Err: err}
	}
	return &mcp.ResourceContents{Blob: raw}, nil
}

func (s *resources) readWorkflows(_ context.Context, c *call, _ string) (*mcp.ResourceContents, error) {
	list, err := s.library.viewFor(c.Subject).list()
	return asJSON(list, err)
}

func (s *resources) readWorkflow(_ context.Context, c *call, uri string) (*mcp.ResourceContents, error) {
	src, err := s.library.viewFor(c.Subject).get(strings.TrimPrefix(uri, workflowURI))
	return &mcp.ResourceContents{Text: words.Visible(string(src.Text))}, err
}

func (s *resources) readGuide(context.Context, *call, string) (*mcp.ResourceContents, error) {
	return &mcp.ResourceContents{Text: s.guide.text()}, nil
}

func (s *resources) readKind(_ context.Context, _ *call, uri string) (*mcp.ResourceContents, error) {
	page, err := s.guide.pages([]string{strings.TrimPrefix(uri, kindURI)})
	return &mcp.ResourceContents{Text: page}, err
}

func (s *resources) readSchema(context.Context, *call, string) (*mcp.ResourceContents, error) {
	return &mcp.ResourceContents{Text: string(workflows.Schema(s.o.Kinds))}, nil
}

func (s *resources) readKinds(context.Context, *call, string) (*mcp.ResourceContents, error) {
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
		list[i] = info{k.Name, k.Summary, k.Toolset, k.Reads, k.Args(), k.Result()}
	}
	return asJSON(map[string]any{"kinds": list}, nil)
}

// treeKind is the kind that reads the accessibility tree.
const treeKind = "get_window_tree"

// readTree reads the desktop by a call of its tool, so that the list of runs shows
// everything that a client has seen of the screen.
func (s *resources) readTree(ctx context.Context, c *call, _ string) (*mcp.ResourceContents, error) {
	out, err := s.handle(ctx, c)
	if err != nil {
		return nil, err
	}
	if out.failure != nil {
		return nil, out.failure
	}
	return &mcp.ResourceContents{Text: contentOf(out.text).Text}, nil
}

// saveWorkflow saves a workflow for a caller, adds a new one to the list of resources,
// keeps who did it, and notifies subscribers.
func (s *resources) saveWorkflow(ctx context.Context, who caller, name string, text []byte, replace bool) (path string, err error) {
	path, isNew, err := s.library.viewFor(who.Subject).save(name, text, replace)
	if err != nil {
		return path, err
	}
	s.keepAct(EditOf(path, who.id(), isNew))
	if isNew {
		s.addWorkflow(name)
	}
	s.changes.changed(ctx, workflowURI+name)
	s.changes.changed(ctx, workflowsURI)
	return path, nil
}
