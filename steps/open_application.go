package steps

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"understudy/steps/desktop"
)

// OpenApplication starts an application and waits for its window.
var OpenApplication = Define(Kind{
	Name:    "open_application",
	Summary: "Start an application and wait for its window.",
	Toolset: Core,
	Touches: Act,
	Focus:   Take,
	Timeout: 2 * time.Minute,
}, OpenArgs{Around: around, WaitForWindow: true, TimeoutMS: 30_000}, openApplication)

// OpenArgs says which application to start.
type OpenArgs struct {
	AppName       string `json:"app_name" jsonschema:"a command line, a desktop file's name, or an application's name"`
	WaitForWindow bool   `json:"wait_for_window,omitzero" jsonschema:"wait until it shows a window"`
	Title         string `json:"title,omitzero" jsonschema:"wait for a window with this in its title"`
	TimeoutMS     Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
	Around
}

// OpenResult says what was started.
type OpenResult struct {
	PID    int             `json:"pid" jsonschema:"the number of the process"`
	Window *desktop.Window `json:"window,omitzero" jsonschema:"its window, when it was waited for"`
	After
}

// Validate wants an application.
func (a *OpenArgs) Validate() error {
	if strings.TrimSpace(a.AppName) == "" {
		return errors.New("app_name is empty: wanted a command line, a desktop file's name, or an application's name")
	}
	return nil
}

func openApplication(ctx context.Context, env *Env, a OpenArgs) (OpenResult, error) {
	before, err := env.Desktop.Windows.Windows(ctx)
	if err != nil {
		return OpenResult{}, fmt.Errorf("listing the windows: %w", err)
	}
	known := map[desktop.WindowID]bool{}
	for _, w := range before {
		known[w.ID] = true
	}
	app, err := env.Desktop.Launch(ctx, a.AppName)
	if CodeOf(err) == NotFound {
		return OpenResult{}, &Error{Code: NotFound, Err: err, Next: "install it, or name another application"}
	}
	if err != nil {
		return OpenResult{}, err
	}
	r := OpenResult{PID: app.PID}
	var scope desktop.Scope
	if a.WaitForWindow {
		if r.Window, err = env.opened(ctx, a, app, known); err != nil {
			return r, err
		}
		r.Verified = true
		scope = desktop.Scope{Window: r.Window.ID, Process: r.Window.Process}
	}
	seen, err := env.verify(ctx, a.Verify, scope.Process)
	if err != nil {
		return r, err
	}
	r.Verified = r.Verified || seen
	if err := env.lookAfter(ctx, a.Around, scope, a.nothing(), &r.After); err != nil {
		if ctx.Err() != nil {
			return r, err
		}
		r.NotSeen = err.Error()
	}
	return r, nil
}

// nothing is what the window of an application held before it was there.
func (a *OpenArgs) nothing() *desktop.Tree {
	if a.UIDiffBeforeAfter {
		return &desktop.Tree{}
	}
	return nil
}

// strangerAfter is how long to wait for a window that is surely the
// application's before one of which that is not sure is taken for it: programs
// may hand over to another process with another name.
const strangerAfter = 3 * time.Second

// opened waits for the window of an application that was started.
func (e *Env) opened(ctx context.Context, a OpenArgs, app desktop.App, known map[desktop.WindowID]bool) (found *desktop.Window, err error) {
	start := time.Now()
	err = e.until(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		windows, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		patient := time.Since(start) < strangerAfter
		for _, w := range windows {
			if known[w.ID] || w.Bounds.Empty() || !(desktop.Scope{Title: a.Title}).Admits("", w.Title) {
				continue
			}
			if a.Title != "" || !patient || belongs(w, app, a.AppName) {
				found = &w
				return nil
			}
		}
		return &Error{Code: Timeout, Err: fmt.Errorf("%s was started (process %d) and showed no window", a.AppName, app.PID), Next: "look at the screen; give it more time with timeout_ms, or set wait_for_window to false"}
	})
	return found, err
}

// belongs says whether a window is surely that of an application.
func belongs(w desktop.Window, app desktop.App, name string) bool {
	if w.PID != 0 && w.PID == app.PID {
		return true
	}
	command, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	command = desktop.ProgramName(strings.TrimSuffix(filepath.Base(command), ".desktop"))
	for _, n := range []string{w.Process, w.Class} {
		if n = desktop.ProgramName(n); n != "" && (strings.Contains(n, command) || strings.Contains(command, n)) {
			return true
		}
	}
	return false
}
