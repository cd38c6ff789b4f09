package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/steps/desktop"
)

// Around is what may be asked of every action: what to do before it, and what
// to look at after it.
type Around struct {
	Verify
	Diff
	WindowOptions
	HighlightBeforeAction bool `json:"highlight_before_action,omitzero" jsonschema:"show a frame around the element first"`
}

// around are the defaults of an Around.
var around = Around{Verify: verify, Diff: Diff{TreeOptions: treeOptions}, WindowOptions: windowOptions}

// WindowOptions say what to do with windows before and after.
type WindowOptions struct {
	EnableWindowManagement   bool  `json:"enable_window_management,omitzero" jsonschema:"false leaves all windows as they are"`
	BringToFront             bool  `json:"bring_to_front,omitzero" jsonschema:"bring the element's window to the front first"`
	MaximizeTarget           bool  `json:"maximize_target,omitzero" jsonschema:"maximize the element's window first"`
	MinimizeAlwaysOnTop      bool  `json:"minimize_always_on_top,omitzero" jsonschema:"accepted and without effect: no window but the element's own is touched"`
	RestoreFocus             *bool `json:"restore_focus,omitzero" jsonschema:"give focus and caret back afterwards; without it the kind decides"`
	IncludeWindowScreenshot  bool  `json:"include_window_screenshot,omitzero" jsonschema:"keep a picture of the window afterwards"`
	IncludeMonitorScreenshot bool  `json:"include_monitor_screenshots,omitzero" jsonschema:"keep a picture of the whole screen afterwards"`
}

var windowOptions = WindowOptions{EnableWindowManagement: true, BringToFront: true}

// After is what was seen after an action.
type After struct {
	Verified     bool   `json:"verified" jsonschema:"whether what the action was to bring about was read back and is so"`
	HasUIChanges *bool  `json:"has_ui_changes,omitzero" jsonschema:"whether the window's elements changed, when that was asked"`
	UIDiff       string `json:"ui_diff,omitzero" jsonschema:"which elements came, went and changed"`
	Seen
}

// highlightFor is how long an element is shown before an action.
const highlightFor = 500 * time.Millisecond

// around does an action on an element, and what was asked for before and after
// it. The action says whether it was read back. Without an element, what is
// asked for is looked up in the active window.
func (e *Env) around(ctx context.Context, a Around, el *desktop.Element, act func() (verified bool, err error)) (After, error) {
	if a.HighlightBeforeAction && el != nil && !el.Bounds.Empty() {
		if err := e.Desktop.Mark(ctx, el.Bounds, string(el.Role), highlightFor); err != nil && !errors.Is(err, desktop.ErrUnavailable) {
			return After{}, err
		}
		if err := Sleep(ctx, highlightFor); err != nil {
			return After{}, err
		}
	}
	var scope desktop.Scope
	var err error
	if a.asksForMore() {
		if scope, err = e.scopeOf(ctx, el); err != nil {
			return After{}, err
		}
	}
	var before *desktop.Tree
	if a.UIDiffBeforeAfter {
		if before, err = e.tree(ctx, scope, a.TreeOptions); err != nil {
			return After{}, err
		}
	}
	var after After
	if after.Verified, err = act(); err != nil {
		return after, err
	}
	verified, err := e.verify(ctx, a.Verify, scope.Process)
	after.Verified = after.Verified || verified
	if err != nil {
		return after, err
	}
	if err := e.lookAfter(ctx, a, scope, before, &after); err != nil {
		if ctx.Err() != nil {
			return after, err
		}
		after.NotSeen = err.Error()
	}
	return after, nil
}

// asksForMore says whether anything is asked for beside the action itself.
func (a *Around) asksForMore() bool {
	return a.VerifyElementExists != "" || a.VerifyElementNotExists != "" || a.UIDiffBeforeAfter || a.IncludeTreeAfterAction || a.IncludeWindowScreenshot
}

// lookAfter reads what was asked for after an action. The action is done and
// stays so: what cannot be read, such as a window that it closed, is told and
// is no failure.
func (e *Env) lookAfter(ctx context.Context, a Around, scope desktop.Scope, before *desktop.Tree, after *After) error {
	var tree *desktop.Tree
	var err error
	switch {
	case before != nil:
		var diff []desktop.Change
		if diff, tree, err = e.changes(ctx, before, scope, a.TreeOptions); err != nil {
			break
		}
		changed := len(diff) > 0
		after.HasUIChanges = &changed
		lines := make([]string, len(diff))
		for i, c := range diff {
			lines[i] = c.String()
		}
		after.UIDiff = strings.Join(lines, "\n")
	case a.IncludeTreeAfterAction:
		tree, err = e.shown(ctx, scope, a.TreeOptions)
	}
	if err != nil {
		return err
	}
	if a.IncludeTreeAfterAction && tree != nil {
		if after.UITree, _, err = a.TreeOptions.write(tree); err != nil {
			return err
		}
	}
	return e.pictures(ctx, a.WindowOptions, scope.Window, after)
}

// scopeOf is the window of an element, or the active window.
func (e *Env) scopeOf(ctx context.Context, el *desktop.Element) (desktop.Scope, error) {
	if el != nil && el.Window != 0 {
		return desktop.Scope{Window: el.Window, Process: el.Process}, nil
	}
	w, err := e.activeWindow(ctx)
	if err != nil || w == nil {
		return desktop.Scope{}, err
	}
	return desktop.Scope{Window: w.ID, Process: w.Process}, nil
}

// activeWindow is the window that has the focus; nil when none has.
func (e *Env) activeWindow(ctx context.Context) (*desktop.Window, error) {
	windows, err := e.Desktop.Windows.Windows(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the windows: %w", err)
	}
	i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.Active })
	if i < 0 {
		return nil, nil
	}
	return &windows[i], nil
}

// pictures keeps the pictures that were asked for.
func (e *Env) pictures(ctx context.Context, o WindowOptions, id desktop.WindowID, after *After) error {
	var areas []desktop.Rect
	if o.IncludeWindowScreenshot {
		windows, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		for _, w := range windows {
			if w.ID == id {
				areas = append(areas, w.Bounds)
			}
		}
	}
	if o.IncludeMonitorScreenshot {
		areas = append(areas, desktop.Rect{})
	}
	for _, area := range areas {
		p, shown, err := e.capture(ctx, area)
		if err != nil {
			return err
		}
		uri, err := e.keep(ctx, p)
		if err != nil {
			return err
		}
		after.Screenshots, after.Shown = append(after.Screenshots, uri), append(after.Shown, shown)
	}
	return nil
}
