package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/browse"
)

// ListTabs lists the tabs of a connected browser.
var ListTabs = steps.Define(steps.Kind{
	Name:    "list_tabs",
	Summary: "List the tabs of a connected browser, those in front first.",
	Toolset: steps.Browser,
	Reads:   true,
}, BrowserArgs{}, listTabs)

// BrowserArgs says which browser.
type BrowserArgs struct {
	Process string `json:"process,omitzero" jsonschema:"the browser's program; without it the one that was started last"`
}

// TabsResult are the tabs of a browser.
type TabsResult struct {
	Tabs []browse.Tab `json:"tabs" jsonschema:"the tabs"`
}

func listTabs(ctx context.Context, env *steps.Env, a BrowserArgs) (r TabsResult, err error) {
	link, err := browse.Connect(ctx, env, a.Process)
	if err != nil {
		return r, err
	}
	defer link.Close()
	r.Tabs, err = link.Tabs(ctx)
	return r, err
}

// TabArgs says which tab of which browser.
type TabArgs struct {
	BrowserArgs
	Tab string `json:"tab,omitzero" jsonschema:"its id, or a part of its title or address; without it the one in front"`
}

// TabResult is the tab that was meant.
type TabResult struct {
	Tab browse.Tab `json:"tab" jsonschema:"the tab"`
}

// onTab calls do with a tab and the connection to its browser.
func onTab(ctx context.Context, env *steps.Env, a TabArgs, do func(*browse.Link, browse.Tab) error) (r TabResult, err error) {
	link, err := browse.Connect(ctx, env, a.Process)
	if err != nil {
		return r, err
	}
	defer link.Close()
	if r.Tab, err = link.Find(ctx, a.Tab); err != nil {
		return r, err
	}
	return r, do(link, r.Tab)
}
