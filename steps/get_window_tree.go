package steps

import (
	"context"
	"errors"
	"slices"

	"understudy/steps/desktop"
)

// GetWindowTree shows the elements of a window.
var GetWindowTree = Define(Kind{
	Name:    "get_window_tree",
	Summary: "Show the elements of a window, each with a ref that later steps can use.",
	Details: "Without process, title and window_selector it shows the active window. Only what is visible is shown.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
}, WindowTreeArgs{TreeOptions: treeOptions, MaxElements: 400}, getWindowTree)

// WindowTreeArgs says which window, and how much of it.
type WindowTreeArgs struct {
	Within
	Title         string `json:"title,omitzero" jsonschema:"part of the window's title"`
	MaxElements   Count  `json:"max_elements,omitzero" jsonschema:"how many elements to show at most"`
	IncludeHidden bool   `json:"include_hidden,omitzero" jsonschema:"also show what is not visible"`
	TreeOptions
	IncludeTreeAfterAction bool `json:"include_tree_after_action,omitzero" jsonschema:"accepted and without effect: the elements are what it shows"`
	Pictured
}

// WindowTreeResult is the tree, written out.
type WindowTreeResult struct {
	UITree  string           `json:"ui_tree" jsonschema:"the elements"`
	TreeID  string           `json:"tree_id" jsonschema:"which reading of the screen the refs belong to"`
	Shown   int              `json:"shown" jsonschema:"how many elements are shown"`
	Omitted int              `json:"omitted" jsonschema:"how many were left out"`
	Unread  []string         `json:"unread,omitzero" jsonschema:"applications that did not answer in time"`
	Windows []desktop.Window `json:"windows,omitzero" jsonschema:"the windows that were read"`
	// Screenshots and Areas are the pictures that were asked for.
	Screenshots []string       `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
	Areas       []desktop.Rect `json:"screenshot_areas,omitzero" jsonschema:"the area of the screen that each picture shows"`
}

func getWindowTree(ctx context.Context, env *Env, a WindowTreeArgs) (WindowTreeResult, error) {
	scope, windows, err := a.scope(ctx, env)
	if err != nil {
		return WindowTreeResult{}, err
	}
	t, err := env.shown(ctx, scope, a.TreeOptions)
	if err != nil {
		return WindowTreeResult{}, err
	}
	r := WindowTreeResult{TreeID: t.ID, Unread: t.Unread, Windows: windows}
	if r.UITree, r.Omitted, err = a.TreeOptions.write(t); err != nil {
		return r, err
	}
	t.Walk(func(*desktop.Element) bool { r.Shown++; return true })
	r.Shown -= r.Omitted - t.Omitted
	seen, err := env.beside(ctx, Beside{Pictured: a.Pictured}, &desktop.Element{Window: windows[0].ID, Process: windows[0].Process})
	r.Screenshots, r.Areas = seen.Screenshots, seen.Shown
	return r, err
}

// scope says which windows are to be read, and which windows these are.
func (a *WindowTreeArgs) scope(ctx context.Context, env *Env) (desktop.Scope, []desktop.Window, error) {
	scope := desktop.Scope{Process: a.Process, Title: a.Title, Limit: int(a.MaxElements), Hidden: a.IncludeHidden}
	if a.WindowSelector != "" {
		q, err := (&Target{Within: a.Within}).query()
		if err != nil {
			return scope, nil, err
		}
		s, err := env.look(ctx, q.first, manner{hidden: a.IncludeHidden})
		if err != nil {
			return scope, nil, err
		}
		el, err := s.one()
		if err != nil {
			return scope, nil, err
		}
		scope.Window = el.Window
	}
	all, err := env.Desktop.Windows.Windows(ctx)
	if err != nil {
		return scope, nil, err
	}
	if a.Process == "" && a.Title == "" && scope.Window == 0 {
		i := slices.IndexFunc(all, func(w desktop.Window) bool { return w.Active })
		if i < 0 {
			return scope, nil, &Error{Code: NotFound, Err: errors.New("no window is active"), Next: "name a process or a title; get_applications_and_windows_list shows them"}
		}
		scope.Window = all[i].ID
	}
	windows := slices.DeleteFunc(all, func(w desktop.Window) bool {
		return !scope.Admits(w.Process, w.Title) || scope.Window != 0 && scope.Window != w.ID
	})
	if len(windows) == 0 {
		return scope, nil, noWindow(a.Process, a.Title)
	}
	return scope, windows, nil
}
