package kinds

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/confined"
	"understudy/steps/observe"
)

// OpenApplication starts an application and waits for its window.
var OpenApplication = steps.Define(steps.Kind{
	Name:    "open_application",
	Summary: "Start an application, by its name or a command line, and wait for its window.",
	Details: "Command lines need toolset shell.",
	Toolset: steps.Core,
	Focus:   steps.Take,
	Beyond:  &steps.Beyond{Argument: "app_name", Risk: steps.RunsShell, Harmless: confined.IsApplication},
	Timeout: 2 * time.Minute,
}, OpenArgs{ActionOptions: observe.DefaultActionOptions, WaitForWindow: true, TimeoutMS: 30_000}, aim.With(openApplication))

// OpenArgs says which application to start.
type OpenArgs struct {
	AppName       string       `json:"app_name" jsonschema:"an application's name, a desktop file's name, or a command line"`
	File          steps.Path   `json:"file,omitzero" jsonschema:"what to open in it"`
	WaitForWindow bool         `json:"wait_for_window,omitzero" use:"rare" jsonschema:"wait until it shows a window"`
	Title         string       `json:"title,omitzero" jsonschema:"part of the window's title"`
	TimeoutMS     steps.Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
	observe.ActionOptions
}

// OpenResult says what was started.
type OpenResult struct {
	PID    int             `json:"pid" jsonschema:"the number of the process"`
	Window *desktop.Window `json:"window,omitzero" jsonschema:"its window, when it was waited for"`
	observe.ActionResult
}

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
	launch := desktop.Launch{App: a.AppName, Setting: hand.Env.Setting(), Vet: vet(hand.Env)}
	if launch.File, err = fileToOpen(hand.Env, a.File); err != nil {
		return OpenResult{}, err
	}
	var app desktop.App
	launch.Started = &app
	err = hand.Desktop.Do(ctx, launch)
	if steps.CodeOf(err) == steps.NotFound {
		return OpenResult{}, &steps.Error{Code: steps.NotFound, Err: err, Next: instead(hand.Env, a.AppName)}
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
		r.Checked = observe.Yes
		hand.Keyboard.Name(*r.Window)
		scope = desktop.Scope{Window: r.Window.ID, Process: r.Window.Process}
	}
	seen, err := observe.Verify(ctx, hand, a.VerifyOptions, scope.Process)
	if err != nil {
		return r, err
	}
	if seen {
		r.Checked = observe.Yes
	}
	if hand.Effects && a.WaitForWindow {
		a.IncludeTreeAfterAction = true
		waitForPage(ctx, hand.Env, scope)
		if now, err := hand.Desktop.Windows(ctx); err == nil {
			r.Window = cmp.Or(now.ByID(r.Window.ID), r.Window) // its title is that of the page
		}
	}
	var none *desktop.Tree
	if a.UIDiffBeforeAfter {
		none = &desktop.Tree{} // there was no window
	}
	err = observe.LookAfter(ctx, hand.Env, a.ActionOptions, scope, none, &r.ActionResult)
	return r, err
}

// vet returns a check of programs for callers without the right to run commands: a
// program that runs commands is refused. nil: the caller has the right.
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
		return steps.Errorf(steps.Denied, "%w, and %w", why, refusal).
			WithNext("name another installed application; the operator can start the server with --applications NAME for this one; for commands " + steps.AsError(refusal).Next)
	}
}

// fileToOpen returns the path of the file that an application is to open. Callers without
// the right to run commands can name only documents in the roots.
func fileToOpen(env *steps.Env, file steps.Path) (string, error) {
	if file == "" {
		return "", nil
	}
	if env.MayUse(RunCommand.Name) != nil {
		if err := confined.Opens(env, file); err != nil {
			return "", err
		}
	}
	return env.Abs(file), nil
}

// instead returns what to do when no application has a name. Only callers with the right
// to run commands learn which files exist.
func instead(env *steps.Env, name string) string {
	if u, err := url.Parse(name); err == nil && (u.Host != "" || u.Opaque != "") {
		return "this is an address: open it with open_url"
	}
	if env.MayUse(RunCommand.Name) == nil {
		path := env.Abs(steps.Path(name))
		if _, err := os.Stat(path); err == nil {
			return "this is a file: open it with open_url and url: " + (&url.URL{Scheme: "file", Path: path}).String() + `, or name an application, and this as "file"`
		}
	}
	return "install it, or name another application"
}

// pageTimeout bounds the wait for a page that is being loaded. Some stay blank.
const pageTimeout = 3 * time.Second

// waitForPage waits until no document of the active window is blank, as the page of a
// browser is while it is being loaded.
func waitForPage(ctx context.Context, env *steps.Env, scope desktop.Scope) {
	scope.Full = true
	_ = aim.WaitUntil(ctx, pageTimeout, func(ctx context.Context) error {
		t, err := env.Desktop.Tree(ctx, scope)
		if err == nil && hasBlankPage(t) {
			err = steps.Errorf(steps.Timeout, "the page is blank")
		}
		return err
	})
}

// hasBlankPage reports whether a document in an active frame shows nothing.
func hasBlankPage(t *desktop.Tree) (blank bool) {
	for _, root := range t.Roots {
		if root.States.Has(desktop.Active) {
			root.Walk(func(e *desktop.Element) bool {
				blank = blank || e.Role == "document" && e.Text == "" && len(e.Children) == 0
				return !blank
			})
		}
	}
	return blank
}

// strangerAfter is how long to wait for a window that is certainly the application's
// before another new one is accepted: programs may hand over to another process with
// another name.
const strangerAfter = 3 * time.Second

// handOverFor is how long to wait for a window after the program has exited with 0: it
// may have handed over to a running instance.
const handOverFor = 10 * time.Second

// An opening waits for the window of an application that was started.
type opening struct {
	OpenArgs
	app    desktop.App
	before desktop.Windows
	start  time.Time
	passed string // describes a window that is not the application's own

	ended time.Time // when the end of the program was noticed
}

// opened waits for the window of an application that was started.
func opened(ctx context.Context, d *desktop.Desktop, a OpenArgs, app desktop.App, before desktop.Windows) (found *desktop.Window, err error) {
	o := &opening{OpenArgs: a, app: app, before: before, start: time.Now()}
	var shown time.Time
	var over error
	err = aim.WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		windows, err := d.Windows(ctx)
		if err != nil {
			return err
		}
		if found = o.window(windows); found == nil {
			over = o.over()
			if over != nil {
				return nil // waiting longer does not help
			}
			return o.missing("was started (process %d) and", app.PID)
		}
		if shown.IsZero() {
			shown = time.Now()
		}
		return drawn(ctx, d, *found, time.Since(shown))
	})
	if found != nil && steps.CodeOf(err) == steps.Timeout { // it is there and blank
		return found, nil
	}
	return found, cmp.Or(over, err)
}

// window returns the application's window, or nil. A splash window does not count, nor
// does a dialog of an instance that ran before.
func (o *opening) window(now desktop.Windows) *desktop.Window {
	patient := o.ended.IsZero() && time.Since(o.start) < strangerAfter
	for _, w := range now.Of(desktop.Scope{Title: o.Title}) {
		older := slices.ContainsFunc(o.before, func(b desktop.Window) bool { return w.PID != 0 && b.PID == w.PID })
		switch {
		case o.before.ByID(w.ID) != nil || !w.Sized() || patient && w.Popup:
		case w.Splash:
			o.passed = fmt.Sprintf("its splash window %q", w.Title)
		case w.Dialog && older && o.Title == "":
			o.passed = fmt.Sprintf("a dialog %q of %s, which ran before", w.Title, w.Process)
		case o.Title != "" || !patient || belongs(w, o.app, o.AppName):
			return &w
		}
	}
	return nil
}

// over returns an error once the program has ended and no window is to be expected.
func (o *opening) over() error {
	s := o.status()
	if !s.Ended {
		return nil
	}
	if o.ended.IsZero() {
		o.ended = time.Now()
	}
	switch {
	case s.Err != nil:
		e := o.missing("ended (%w) and", s.Err)
		e.Code, e.Next = steps.Unexpected, "fix what it reports"
		return e
	case time.Since(o.ended) > handOverFor:
		e := o.missing("ended %s ago and", handOverFor)
		e.Code, e.Next = steps.Unexpected, "set wait_for_window to false for a program without a window"
		return e
	}
	return nil
}

func (o *opening) status() desktop.AppStatus {
	if o.app.Status == nil {
		return desktop.AppStatus{}
	}
	return o.app.Status()
}

// missing returns the error of an application that did something and showed no window of
// its own.
func (o *opening) missing(did string, with any) *steps.Error {
	e := &steps.Error{Code: steps.Timeout, Err: fmt.Errorf("%s "+did+" showed no window", o.AppName, with), Next: "look at the screen; give it more time with timeout_ms, or set wait_for_window to false"}
	if o.passed != "" {
		e.Err = fmt.Errorf("%w of its own, only %s", e.Err, o.passed)
		e.Next = "answer or close that window, or name the expected window with title"
	}
	if said := o.status().Said; said != "" {
		e.Err = fmt.Errorf("%w; it said: %s", e.Err, said)
	}
	return e
}

// blankFor bounds the wait for a blank window to be drawn. Some stay blank.
const blankFor = 3 * time.Second

// drawn returns an error as long as a new window shows nothing. Before an application
// has drawn its window it may not have laid it out either, and then reports wrong places
// of its elements.
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

// blank reports whether a picture has one colour only.
func blank(p *image.RGBA) bool {
	for i := 4; i < len(p.Pix); i += 4 {
		if !bytes.Equal(p.Pix[i:i+4], p.Pix[:4]) {
			return false
		}
	}
	return len(p.Pix) > 0
}

// belongs reports whether a window is certainly that of an application.
func belongs(w desktop.Window, app desktop.App, name string) bool {
	if w.PID != 0 && w.PID == app.PID {
		return true
	}
	command, _, _ := strings.Cut(strings.TrimSpace(name), " ")
	command = desktop.ProgramName(strings.TrimSuffix(filepath.Base(command), ".desktop"))
	for _, n := range append(w.Aliases, w.Process, w.Class) {
		if n = desktop.ProgramName(n); n != "" && (strings.Contains(n, command) || strings.Contains(command, n)) {
			return true
		}
	}
	return false
}
