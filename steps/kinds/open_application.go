package kinds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/confined"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

// OpenApplication starts an application and waits for its window.
var OpenApplication = steps.Define(steps.Kind{
	Name:    "open_application",
	Summary: "Start an application and wait for its window.",
	Details: "Command lines need toolset shell.",
	Toolset: steps.Core,
	Touches: steps.Act,
	Focus:   steps.Take,
	Timeout: 2 * time.Minute,
}, OpenArgs{ActionOptions: observe.DefaultActionOptions, WaitForWindow: true, TimeoutMS: 30_000}, aim.With(openApplication))

// OpenArgs says which application to start.
type OpenArgs struct {
	AppName       string       `json:"app_name" jsonschema:"a command line, a desktop file's name, or an application's name"`
	WaitForWindow bool         `json:"wait_for_window,omitzero" jsonschema:"wait until it shows a window"`
	Title         string       `json:"title,omitzero" jsonschema:"wait for a window with this in its title"`
	TimeoutMS     steps.Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
	observe.ActionOptions
}

// OpenResult says what was started.
type OpenResult struct {
	PID    int             `json:"pid" jsonschema:"the number of the process"`
	Window *desktop.Window `json:"window,omitzero" jsonschema:"its window, when it was waited for"`
	observe.ActionResult
}

// Validate wants an application.
func (a *OpenArgs) Validate() error {
	if strings.TrimSpace(a.AppName) == "" {
		return errors.New("app_name is empty: wanted a command line, a desktop file's name, or an application's name")
	}
	return nil
}

func openApplication(ctx context.Context, hand *aim.Hand, a OpenArgs) (OpenResult, error) {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return OpenResult{}, err
	}
	var app desktop.App
	err = hand.Desktop.Do(ctx, desktop.Launch{App: a.AppName, Started: &app, Vet: vet(hand.Env)})
	if steps.CodeOf(err) == steps.NotFound {
		return OpenResult{}, &steps.Error{Code: steps.NotFound, Err: err, Next: "install it, or name another application"}
	}
	if err != nil {
		return OpenResult{}, err
	}
	r := OpenResult{PID: app.PID}
	var scope desktop.Scope
	if a.WaitForWindow {
		if r.Window, err = opened(ctx, hand.Desktop, a, app, before); err != nil {
			return r, err
		}
		r.Verified = true
		scope = desktop.Scope{Window: r.Window.ID, Process: r.Window.Process}
	}
	seen, err := observe.Verify(ctx, hand, a.VerifyOptions, scope.Process)
	if err != nil {
		return r, err
	}
	r.Verified = r.Verified || seen
	if err := observe.LookAfter(ctx, hand.Env, a.ActionOptions, scope, a.nothing(), &r.ActionResult); err != nil {
		if ctx.Err() != nil {
			return r, err
		}
		r.NotSeen = err.Error()
	}
	return r, nil
}

// vet keeps those who may not run commands from starting a program that does it
// for them; nil: they may.
func vet(env *steps.Env) func(desktop.LaunchTarget) error {
	refusal := env.MayUse(RunCommand.Name)
	if refusal == nil {
		return nil
	}
	return func(t desktop.LaunchTarget) error {
		why := confined.Application(env, t)
		if why == nil {
			return nil
		}
		return &steps.Error{
			Code: steps.Denied, Err: fmt.Errorf("%w, and %w", why, refusal),
			Next: "name an installed desktop file or a program without arguments; for command lines " + steps.AsError(refusal).Next,
		}
	}
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
func opened(ctx context.Context, d *desktop.Desktop, a OpenArgs, app desktop.App, before desktop.Windows) (found *desktop.Window, err error) {
	start := time.Now()
	var shown time.Time
	err = aim.WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		found = nil
		windows, err := d.Windows(ctx)
		if err != nil {
			return err
		}
		patient := time.Since(start) < strangerAfter
		for _, w := range windows.Of(desktop.Scope{Title: a.Title}) {
			if before.ByID(w.ID) != nil || w.Bounds.Empty() {
				continue
			}
			if a.Title != "" || !patient || belongs(w, app, a.AppName) {
				found = &w
				if shown.IsZero() {
					shown = time.Now()
				}
				return drawn(ctx, d, w, time.Since(shown))
			}
		}
		return &steps.Error{Code: steps.Timeout, Err: fmt.Errorf("%s was started (process %d) and showed no window", a.AppName, app.PID), Next: "look at the screen; give it more time with timeout_ms, or set wait_for_window to false"}
	})
	if found != nil && steps.CodeOf(err) == steps.Timeout { // it is there, and blank
		return found, nil
	}
	return found, err
}

// blankFor is how long a new window that is blank is waited for. Some stay so.
const blankFor = 3 * time.Second

// drawn fails as long as a window that came up a while ago shows nothing. Before
// an application has drawn its window it may not have laid it out either, and
// what it says of where its elements are is not where a click finds them.
func drawn(ctx context.Context, d *desktop.Desktop, w desktop.Window, since time.Duration) error {
	const border, title = 6, 40 // which the window manager draws
	inside := desktop.Rect{X: w.Bounds.X + border, Y: w.Bounds.Y + title, W: w.Bounds.W - 2*border, H: w.Bounds.H - title - border}
	if since > blankFor || inside.Empty() {
		return nil
	}
	p, err := d.Capture(ctx, inside)
	if err != nil || !blank(p) { // where no picture can be had, nothing is known
		return nil
	}
	return steps.Errorf(steps.Timeout, "the window %q shows nothing yet", w.Title)
}

// blank says whether a picture has one colour only.
func blank(p *image.RGBA) bool {
	for i := 4; i < len(p.Pix); i += 4 {
		if !bytes.Equal(p.Pix[i:i+4], p.Pix[:4]) {
			return false
		}
	}
	return len(p.Pix) > 0
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
