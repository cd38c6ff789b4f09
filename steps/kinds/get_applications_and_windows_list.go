package kinds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/steps"
)

// GetApplicationsAndWindowsList lists the windows.
var GetApplicationsAndWindowsList = steps.Define(steps.Kind{
	Name:    "get_applications_and_windows_list",
	Summary: "List the open windows with their applications, the topmost first.",
	Toolset: steps.Core,
	Reads:   true,
}, WindowsArgs{}, listWindows)

// WindowsArgs says which windows to list.
type WindowsArgs struct {
	Process string `json:"process,omitzero" jsonschema:"only windows of this application"`
	Title   string `json:"title,omitzero" jsonschema:"part of their title"`
}

// WindowsResult is the list.
type WindowsResult struct {
	Windows      []desktop.Window `json:"windows" jsonschema:"the windows, the topmost first"`
	Applications []string         `json:"applications" jsonschema:"the names of the applications that have them"`
	Others       []string         `json:"others,omitempty" jsonschema:"the applications that have windows, if none of these matched"`
}

func (r WindowsResult) Say() string {
	switch {
	case len(r.Windows) > 0:
	case len(r.Others) > 0:
		return "no open window matches; windows are open of " + strings.Join(r.Others, ", ")
	default:
		return "no window is open; open_application starts an application"
	}
	lines := make([]string, len(r.Windows))
	for i, w := range r.Windows {
		var states strings.Builder
		for _, s := range []struct {
			is   bool
			word string
		}{{w.Active, " active"}, {w.Minimized, " minimized"}, {w.Hidden, " hidden"}, {w.Modal, " modal"}, {w.Popup, " popup"}} {
			if s.is {
				states.WriteString(s.word)
			}
		}
		place := w.Bounds.String()
		if !w.Unplaced.Empty() {
			place = w.Unplaced.String() + " somewhere"
		}
		lines[i] = fmt.Sprintf("%s: %q%s, %s, window id %d", w.Process, w.Title, states.String(), place, w.ID)
	}
	return strings.Join(lines, "\n")
}

func listWindows(ctx context.Context, env *steps.Env, a WindowsArgs) (WindowsResult, error) {
	all, err := env.Desktop.Windows(ctx)
	if err != nil {
		return WindowsResult{}, err
	}
	r := WindowsResult{Windows: []desktop.Window{}}
	for _, w := range slices.Backward(all.Of(desktop.Scope{Process: a.Process, Title: a.Title})) {
		r.Windows = append(r.Windows, w)
		env.Keyboard.Tell(w)
	}
	r.Applications = applicationsOf(r.Windows)
	if len(r.Windows) == 0 {
		slices.Reverse(all)
		r.Others = applicationsOf(all)
	}
	return r, nil
}

// applicationsOf returns the names of the applications that have the windows, each once.
func applicationsOf(windows []desktop.Window) []string {
	names := []string{}
	for _, w := range windows {
		if !slices.Contains(names, w.Process) {
			names = append(names, w.Process)
		}
	}
	return names
}
