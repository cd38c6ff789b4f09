package mcpserver

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/mcpserver/viewer"
	"understudy/workflows"
)

// An app is a page that a client shows beside an answer. It reads the data of a run from
// the metadata of answers, which models are not shown, and acts by calls of tools that
// the client makes for it.

// The extension for apps, the page of a run, and the key of its data.
const (
	appExtension = "io.modelcontextprotocol/ui"
	appType      = "text/html;profile=mcp-app"
	runAppURI    = "ui://understudy/run"
	appDataKey   = "understudy/run"
	appFormKey   = "understudy/form"
)

// showsApps reports whether the client of a request shows apps.
func showsApps(req interface {
	ClientCapabilities() *mcp.ClientCapabilities
},
) bool {
	caps := req.ClientCapabilities()
	if caps == nil {
		return false
	}
	_, ok := caps.Extensions[appExtension]
	return ok
}

// appMeta tells clients which page shows the answers of a tool.
func appMeta() mcp.Meta { return mcp.Meta{"ui": map[string]any{"resourceUri": runAppURI}} }

func (s *resources) readApp(context.Context, *call, string) (*mcp.ResourceContents, error) {
	return &mcp.ResourceContents{Text: viewer.App(), Meta: mcp.Meta{"ui": map[string]any{"prefersBorder": true}}}, nil
}

// appRun is what the page of a run shows.
type appRun struct {
	runView

	Plan *engine.Plan `json:"plan,omitempty"` // of a resume
}

// maxAppSteps bounds the steps that the page shows.
const maxAppSteps = 200

// addAppData adds the data of the run of a reply to the result, for a client that shows
// apps. A run that cannot be read any more has none.
func (r *runner) addAppData(ctx context.Context, c *call, out *reply, res *mcp.CallToolResult) {
	if out.form != nil && showsApps(c.req) {
		addMeta(res, appFormKey, out.form)
	}
	view, ok := out.value.(runView)
	if !ok || !c.tool.app || !showsApps(c.req) {
		return
	}
	runs, err := r.runsOf(ctx, c)
	if err != nil {
		return
	}
	if data, err := appRunOf(ctx, runs, view.RunID); err == nil {
		addMeta(res, appDataKey, data)
	}
}

func addMeta(res *mcp.CallToolResult, key string, value any) {
	if res.Meta == nil {
		res.Meta = mcp.Meta{}
	}
	res.Meta[key] = value
}

// appForm is the form that the page shows before a workflow runs that lacks inputs. The
// page calls again with what it was called with, and the inputs.
type appForm struct {
	Workflow string   `json:"workflow"`
	Schema   any      `json:"schema"`
	Secrets  []string `json:"secrets,omitempty"` // which the run asks for
}

func formFor(c *call, p *workflows.Program) *appForm {
	saved, _ := c.args["url"].(string)
	f := &appForm{Workflow: cmp.Or(p.Name, saved, "workflow"), Schema: inputSchema(p)}
	for _, v := range p.Variables {
		if v.Secret {
			f.Secrets = append(f.Secrets, v.Name)
		}
	}
	return f
}

func appRunOf(ctx context.Context, runs engine.Runs, id string) (appRun, error) {
	h, err := runs.Get(ctx, id)
	if err != nil {
		return appRun{}, err
	}
	r, err := runs.Report(ctx, id, engine.Page{Limit: maxAppSteps})
	if err == nil && r.StepsTotal > maxAppSteps { // the last ones tell what failed
		r, err = runs.Report(ctx, id, engine.Page{Offset: r.StepsTotal - maxAppSteps, Limit: maxAppSteps})
	}
	if err != nil {
		return appRun{}, err
	}
	for i := range r.Steps {
		r.Steps[i].Result = nil
	}
	data := appRun{runView: viewOf(r, failureOfRun(h), workflows.Wordy)}
	if data.Error != nil {
		if p, err := runs.Plan(ctx, id, engine.ResumeRequest{}); err == nil {
			data.Plan = &p
		}
	}
	return data, nil
}
