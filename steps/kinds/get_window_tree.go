package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// GetWindowTree shows the elements of a window.
var GetWindowTree = steps.Define(steps.Kind{
	Name:    "get_window_tree",
	Summary: "Show what is visible in a window, by default the active one: each element with a ref for later steps.",
	Toolset: steps.Core,
	Reads:   true,
	Picture: steps.PictureBeside,
}, WindowTreeArgs{TreeOptions: observe.DefaultTreeOptions, MaxElements: 400}, aim.With(getWindowTree))

// WindowTreeArgs says which window, and how much of it.
type WindowTreeArgs struct {
	aim.Within
	Title         string      `json:"title,omitzero" jsonschema:"part of the window's title"`
	MaxElements   steps.Count `json:"max_elements,omitzero" jsonschema:"how many elements to show at most"`
	IncludeHidden bool        `json:"include_hidden,omitzero" jsonschema:"also show what is not visible"`
	IncludeOCR    bool        `json:"include_ocr,omitzero" use:"rare" jsonschema:"also read the words in the picture of the window (needs the tesseract command), each with a ref"`
	observe.TreeOptions
	observe.PictureOptions
}

// WindowTreeResult is the tree, written out.
type WindowTreeResult struct {
	UITree  string           `json:"ui_tree" jsonschema:"the elements"`
	TreeID  string           `json:"tree_id" jsonschema:"which reading of the screen the refs belong to"`
	Shown   int              `json:"shown" jsonschema:"how many elements are shown"`
	Omitted int              `json:"omitted" jsonschema:"how many were left out"`
	Cut     bool             `json:"cut,omitzero" jsonschema:"whether visible ones are among these, because there are too many"`
	Behind  []string         `json:"behind,omitzero" jsonschema:"single calls only: the titles of the process's windows that a modal dialog blocks; title shows one"`
	Unread  []string         `json:"unread,omitzero" jsonschema:"applications that did not answer in time"`
	Windows []desktop.Window `json:"windows,omitzero" jsonschema:"the windows that were read"`
	// Screenshots and Areas are the pictures that were asked for, NotSeen is why there are none.
	Screenshots []string       `json:"screenshots,omitzero" jsonschema:"where the pictures that were asked for are kept"`
	Areas       []desktop.Rect `json:"screenshot_areas,omitzero" jsonschema:"the area of the screen that each picture shows"`
	NotSeen     string         `json:"not_seen,omitzero" jsonschema:"why something that was requested could not be read afterwards"`
}

func (r WindowTreeResult) Say() string {
	text := strings.TrimRight(cmp.Or(r.UITree, "the window shows no elements"), "\n")
	switch {
	case r.Cut:
		text += fmt.Sprintf("\n%d of %d elements are shown; a larger max_elements may show more, and \"show\": {\"below\": SELECTOR} a part", r.Shown, r.Shown+r.Omitted)
	case r.Omitted > 0:
		text += "\ninclude_hidden: true shows also what is not visible"
	}
	if strings.Contains(text, "…\"") {
		text += "\nwait_for_element shows the whole of a text that ends in …"
	}
	if len(r.Behind) > 0 {
		text += fmt.Sprintf("\nit is modal: the windows %q are shown when you name their title", r.Behind)
	}
	if len(r.Unread) > 0 {
		text += fmt.Sprintf("\nthese applications did not answer in time: %v", r.Unread)
	}
	if r.NotSeen != "" {
		text += "\nthere is no picture: " + r.NotSeen
	}
	return text
}

func getWindowTree(ctx context.Context, hand *aim.Hand, a WindowTreeArgs) (WindowTreeResult, error) {
	scope, windows, err := a.scope(ctx, hand)
	if err != nil {
		return WindowTreeResult{}, err
	}
	var behind []string
	if hand.Effects && a.Title == "" && scope.Window == 0 {
		scope.Window, behind = blocking(windows)
	}
	var words desktop.Windows
	if a.IncludeOCR {
		words = windows.Of(desktop.Scope{Window: scope.Window})
	}
	t, err := observe.ShowTree(ctx, hand.Env, scope, a.TreeOptions, words)
	if err != nil {
		return WindowTreeResult{}, err
	}
	r := WindowTreeResult{TreeID: t.ID, Behind: behind, Unread: t.Unread, Windows: windows}
	if r.UITree, r.Omitted, err = a.TreeOptions.Write(t); err != nil {
		return r, err
	}
	t.Walk(func(*desktop.Element) bool { r.Shown++; return true })
	r.Cut = r.Omitted > t.Omitted || r.Shown >= int(a.MaxElements)
	r.Shown -= r.Omitted - t.Omitted
	front := cmp.Or(windows.ByID(scope.Window), windows.Foremost(), &windows[0])
	seen, err := observe.Look(ctx, hand.Env, observe.LookOptions{PictureOptions: a.PictureOptions}, &desktop.Element{Window: front.ID, Process: front.Process})
	r.Screenshots, r.Areas, r.NotSeen = seen.Screenshots, seen.Shown, seen.NotSeen
	return r, err
}

// blocking returns the active modal dialog among the windows of a process, and the
// titles of the windows that it blocks; 0 if there is none.
func blocking(windows []desktop.Window) (id desktop.WindowID, behind []string) {
	for _, w := range windows {
		if w.Modal && w.Active {
			id = w.ID
		} else if !w.Popup {
			behind = append(behind, w.Title)
		}
	}
	if id == 0 {
		return 0, nil
	}
	return id, behind
}

// scope returns the scope to read, and the windows in it.
func (a *WindowTreeArgs) scope(ctx context.Context, hand *aim.Hand) (desktop.Scope, desktop.Windows, error) {
	scope := desktop.Scope{Process: a.Process, Title: a.Title, Limit: int(a.MaxElements), Hidden: a.IncludeHidden}
	if a.WindowSelector != "" {
		q, err := (&aim.Target{Within: a.Within}).Query()
		if err != nil {
			return scope, nil, err
		}
		s, err := aim.Search(ctx, hand, q.First, aim.SearchOptions{Hidden: a.IncludeHidden})
		if err != nil {
			return scope, nil, err
		}
		el, err := s.One()
		if err != nil {
			return scope, nil, err
		}
		scope.Window = el.Window
	}
	all, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return scope, nil, err
	}
	if a.Process == "" && a.Title == "" && scope.Window == 0 {
		w := all.Active()
		if w == nil {
			return scope, nil, &steps.Error{Code: steps.NotFound, Err: errors.New("no window is active"), Next: "name a process or a title; get_applications_and_windows_list shows them"}
		}
		scope.Window = w.ID
	}
	windows := all.Of(scope)
	if len(windows) == 0 {
		return scope, nil, aim.NoWindow(a.Process, a.Title)
	}
	return scope, windows, nil
}
