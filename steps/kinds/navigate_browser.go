package kinds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/browse"
	"understudy/steps/observe"
)

// NavigateBrowser opens an address in a browser and waits for its page.
var NavigateBrowser = steps.Define(steps.Kind{
	Name:    "navigate_browser",
	Summary: "Open an address in a browser, and wait until its page has settled.",
	Details: "Starts the browser if it does not run. A browser of the Chromium family that understudy started, or that has its extension, tells status, downloads and dialogs. In another one the address is typed into its address bar, which the result says.",
	Toolset: steps.Browser,
	Focus:   steps.Take,
	Beyond:  &steps.Beyond{Argument: "url", Risk: steps.RunsShell, Harmless: isPage},
	Timeout: 2 * time.Minute,
}, NavigateArgs{NewTab: true, TimeoutMS: 15_000, ActionOptions: observe.DefaultActionOptions}, aim.With(navigateBrowser))

// NavigateArgs says which address, and where to open it.
type NavigateArgs struct {
	URL       string       `json:"url" jsonschema:"the address, such as https://example.org"`
	Process   string       `json:"process,omitzero" jsonschema:"the browser's program, such as chromium; without it the one that is connected"`
	Tab       string       `json:"tab,omitzero" jsonschema:"open it in this tab: its id, or a part of its title or address"`
	NewTab    bool         `json:"new_tab,omitzero" jsonschema:"false opens it in the tab in front; an empty tab is used in any case"`
	TimeoutMS steps.Millis `json:"timeout_ms,omitzero" jsonschema:"how long the page may take to settle"`
	observe.ActionOptions
}

// NavigateResult says which page is open now.
type NavigateResult struct {
	Title   string `json:"title" jsonschema:"of the page"`
	URL     string `json:"url" jsonschema:"the address of the page: another one after a redirect"`
	Status  int    `json:"status,omitzero" jsonschema:"the status that the server answered with, such as 404"`
	Settled bool   `json:"settled" jsonschema:"whether the page is loaded and stands still"`
	Tab     string `json:"tab,omitzero" jsonschema:"the id of its tab"`
	Tabs    int    `json:"tabs,omitzero" jsonschema:"how many tabs are open"`
	// Download is a file that the address was, instead of a page.
	Download string `json:"download,omitzero" jsonschema:"the address was a file: where it was saved"`
	Complete *bool  `json:"complete,omitzero" jsonschema:"whether the whole file has been received"`
	// Unconnected is why the address was typed into the address bar.
	Unconnected string          `json:"unconnected,omitzero" jsonschema:"why the address was typed into the address bar, so that status and downloads are not known"`
	Window      *desktop.Window `json:"window,omitzero" jsonschema:"the browser's window"`
	observe.ActionResult
}

// Validate requires a scheme, and a name of a program: a command line would need other rights.
func (a *NavigateArgs) Validate() error {
	u, err := url.Parse(a.URL)
	if err != nil || u.Scheme == "" {
		return errors.New("url: wanted an address with a scheme, such as https://example.org")
	}
	if u.Scheme == "javascript" {
		return errors.New("url: wanted an address, found a script, which needs a right of its own; run it with execute_browser_script")
	}
	if strings.ContainsAny(a.Process, " /\t\n") {
		return errors.New("process: wanted the name of a browser, such as chromium; open_application starts one with arguments")
	}
	return nil
}

// browserNames are the browsers that are started if none is named, the best first: the others
// cannot be connected.
var browserNames = []string{"chromium", "google-chrome", "microsoft-edge", "brave-browser", "chromium-browser", "firefox", "firefox-esr"}

func navigateBrowser(ctx context.Context, hand *aim.Hand, a NavigateArgs) (r NavigateResult, err error) {
	if err := mayOpen(hand.Env, a.URL); err != nil {
		return r, err
	}
	link, w, err := browserOf(ctx, hand, a)
	if err != nil {
		return r, err
	}
	if link != nil {
		defer link.Close()
		err = r.navigate(ctx, hand, link, a)
	} else {
		err = r.typeAddress(ctx, hand, w, a)
	}
	if err != nil {
		return r, err
	}
	var scope desktop.Scope
	if r.Window != nil {
		scope = desktop.Scope{Window: r.Window.ID, Process: r.Window.Process}
	}
	seen, err := observe.Verify(ctx, hand, a.VerifyOptions, scope.Process)
	if seen {
		r.Checked = observe.Yes
	}
	if err != nil {
		return r, err
	}
	return r, observe.LookAfter(ctx, hand.Env, a.ActionOptions, scope, nil, &r.ActionResult)
}

// browserOf returns the connection to the browser that is meant, or the window of one that is
// not connected. It starts the browser if it does not run.
func browserOf(ctx context.Context, hand *aim.Hand, a NavigateArgs) (*browse.Link, *desktop.Window, error) {
	link, err := browse.Connect(ctx, hand.Env, a.Process)
	switch {
	case err == nil && a.Process == "" && link.Process.App: // which is not for any address
		_ = link.Close()
	case err == nil || !errors.Is(err, browse.ErrNotConnected):
		return link, nil, err
	}
	if w, err := browserWindow(ctx, hand.Desktop, a.Process); err != nil || w != nil {
		return nil, w, err
	}
	w, err := startBrowser(ctx, hand, a)
	if err != nil {
		return nil, nil, err
	}
	link, err = browse.Connect(ctx, hand.Env, a.Process)
	if errors.Is(err, browse.ErrNotConnected) {
		err = nil
	}
	return link, w, err
}

// browserWindow returns the window of a browser that runs, or nil.
func browserWindow(ctx context.Context, d *desktop.Desktop, process string) (*desktop.Window, error) {
	windows, err := d.Windows(ctx)
	if err != nil {
		return nil, err
	}
	names := browserNames
	if process != "" {
		names = []string{process}
	}
	for _, name := range names {
		if w := windows.Of(desktop.Scope{Process: name}).Foremost(); w != nil {
			return w, nil
		}
	}
	return nil, nil
}

// startBrowser starts a browser and returns its window.
func startBrowser(ctx context.Context, hand *aim.Hand, a NavigateArgs) (*desktop.Window, error) {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	names := browserNames
	if a.Process != "" {
		names = []string{a.Process}
	}
	for _, name := range names {
		var app desktop.App
		err = hand.Desktop.Do(ctx, desktop.Launch{App: name, Setting: hand.Env.Setting(), Started: &app, Vet: vet(hand.Env)})
		if steps.CodeOf(err) == steps.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		return opened(ctx, hand.Desktop, OpenArgs{AppName: name, TimeoutMS: 60_000}, app, before)
	}
	return nil, steps.Errorf(steps.NotFound, "there is no browser %s here", strings.Join(names, ", ")).WithNext("install Chromium, such as with apt-get install chromium, or name another browser in process")
}

// navigate opens the address over a connection.
func (r *NavigateResult) navigate(ctx context.Context, hand *aim.Hand, link *browse.Link, a NavigateArgs) error {
	tab, err := tabFor(ctx, hand, link, a)
	if err != nil {
		return err
	}
	page, err := link.Attach(ctx, tab)
	if err != nil {
		return err
	}
	defer page.Detach()
	var went browse.Went
	err = hand.Act(func() (err error) {
		if err = link.Activate(ctx, tab); err == nil {
			went, err = page.Go(ctx, a.URL, a.TimeoutMS.Std())
		}
		return err
	})
	if err != nil {
		return err
	}
	r.Title, r.URL, r.Status, r.Settled, r.Tab, r.Checked = went.Title, went.URL, went.Status, went.Settled, tab.ID, observe.Yes
	if went.Download != "" {
		r.URL, r.Download, r.Complete = cmp.Or(r.URL, a.URL), went.Download, &went.Finished
	}
	if tabs, err := link.Tabs(ctx); err == nil {
		r.Tabs = len(tabs)
	}
	tab.Title = went.Title
	r.Window, err = raiseBrowser(ctx, hand, link, tab)
	return err
}

// tabFor returns the tab in which to open the address.
func tabFor(ctx context.Context, hand *aim.Hand, link *browse.Link, a NavigateArgs) (tab browse.Tab, err error) {
	if a.Tab != "" {
		return link.Find(ctx, a.Tab)
	}
	tabs, err := link.Tabs(ctx)
	if err != nil {
		return tab, err
	}
	if len(tabs) > 0 && (!a.NewTab || isEmptyTab(tabs[0].URL)) {
		return tabs[0], nil
	}
	return tab, hand.Act(func() error {
		tab, err = link.Open(ctx)
		return err
	})
}

// isEmptyTab reports whether an address is that of a tab in which nothing was opened.
func isEmptyTab(address string) bool {
	return address == "about:blank" || strings.HasPrefix(address, "chrome://newtab") || strings.HasPrefix(address, "chrome://new-tab-page")
}

// raiseBrowser activates the window that a tab is in. Several may show pages of the same title.
func raiseBrowser(ctx context.Context, hand *aim.Hand, link *browse.Link, tab browse.Tab) (w *desktop.Window, err error) {
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	its, err := link.Window(ctx, tab.ID)
	if err != nil {
		return nil, err
	}
	far := func(x desktop.Window) float64 {
		d := its.Distance(x.Bounds)
		if tab.Title == "" || !strings.HasPrefix(x.Title, tab.Title) {
			d += math.MaxInt32
		}
		return d
	}
	for _, x := range windows.Of(desktop.Scope{PID: link.Process.PID}) {
		if w == nil || far(x) < far(*w) {
			w = &x
		}
	}
	if w == nil {
		return nil, nil
	}
	hand.Keyboard.Name(*w)
	return w, aim.Raise(ctx, hand.Unaccounted(), w.ID)
}

// typeAddress types the address into the address bar, as a person does.
func (r *NavigateResult) typeAddress(ctx context.Context, hand *aim.Hand, w *desktop.Window, a NavigateArgs) error {
	if a.Tab != "" {
		_, err := browse.Connect(ctx, hand.Env, a.Process)
		return err
	}
	hand.Keyboard.Name(*w)
	if err := aim.Raise(ctx, hand.Unaccounted(), w.ID); err != nil {
		return err
	}
	keys := "ctrl+l"
	if a.NewTab {
		keys = "ctrl+t"
	}
	before, err := desktop.ParseKeys(keys)
	if err != nil {
		return err
	}
	// The browser completes what is typed: delete drops the end that it adds.
	after, err := desktop.ParseKeys("{Delete}{Enter}")
	if err != nil {
		return err
	}
	if err := aim.PressKeys(ctx, hand.Desktop, before); err != nil {
		return err
	}
	if err := hand.Desktop.Do(ctx, desktop.Type{Text: a.URL, In: w}); err != nil {
		return err
	}
	if err := aim.PressKeys(ctx, hand.Desktop, after); err != nil {
		return err
	}
	waitForPage(ctx, hand.Env, desktop.Scope{Window: w.ID, Process: w.Process})
	if now, err := hand.Desktop.Windows(ctx); err == nil {
		w = cmp.Or(now.ByID(w.ID), w)
	}
	r.Title, r.URL, r.Window = w.Title, a.URL, w
	r.Unconnected = fmt.Sprintf("%s is not connected: understudy did not start it, and it lacks the extension of understudy setup browser", cmp.Or(w.Process, "the browser"))
	return nil
}
