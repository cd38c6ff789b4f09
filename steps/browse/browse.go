// Package browse reaches the pages of connected browsers: it finds their tabs, opens addresses,
// waits until a page has settled, and runs scripts in it.
//
// Its main idea is that a page answers questions and runs scripts, while real input stays the way to
// act on it: nothing here presses or types. Its limit: only browsers that are connected have pages
// here; see desktop.BrowserLister.
package browse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// answerTime bounds calls that every browser answers at once, unless it does not let us.
const answerTime = 5 * time.Second

// A Link is the connection of one step to a browser.
type Link struct {
	desktop.Browser
	Process desktop.BrowserProcess
}

// A Tab is a tab of a browser.
type Tab struct {
	ID    string `json:"id" jsonschema:"names it in other calls"`
	Title string `json:"title"`
	URL   string `json:"url"`
	Front bool   `json:"front,omitzero" jsonschema:"it is the one that shows in its window"`
	PID   int    `json:"pid" jsonschema:"the process of the browser"`
}

// ErrNotConnected means that no connected browser is the one that was meant.
var ErrNotConnected = errors.New("no browser here is connected")

// Connect connects to the latest browser with a name, or to the latest at all: to an application
// that shows its own pages only if there is no browser. It fails with ErrNotConnected if there is none.
func Connect(ctx context.Context, env *steps.Env, process string) (*Link, error) {
	all, err := env.Desktop.Browsers(ctx)
	if err != nil {
		return nil, err
	}
	called := desktop.Program(process)
	slices.SortStableFunc(all, func(a, b desktop.BrowserProcess) int {
		switch {
		case a.App == b.App:
			return 0
		case a.App:
			return 1
		}
		return -1
	})
	var refused error
	for _, p := range all {
		if process != "" && !called(p.PID, p.Name, nil) {
			continue
		}
		l, err := connectTo(ctx, env, p)
		if err == nil {
			return l, nil
		}
		refused = errors.Join(refused, err)
	}
	if refused != nil {
		return nil, notConnected(refused.Error())
	}
	return nil, notConnected("none runs that understudy started, or that has its extension")
}

func notConnected(why string) error {
	return &steps.Error{
		Code: steps.Unavailable, Err: fmt.Errorf("%w: %s", ErrNotConnected, why),
		Next: "start Chromium with navigate_browser or open_application, when it does not run yet, or connect a running browser with understudy setup browser; pages of other browsers are operated as any application, by get_window_tree and click_element",
	}
}

// connectTo connects to one browser, and checks that it answers: one whose policy forbids the
// connection runs, and never does.
func connectTo(ctx context.Context, env *steps.Env, p desktop.BrowserProcess) (*Link, error) {
	b, err := env.Desktop.Browse(ctx, p.PID)
	if err != nil {
		return nil, err
	}
	l := &Link{b, p}
	if err := l.soon(ctx, "Browser.getVersion", nil, nil); err != nil {
		b.Close()
		return nil, fmt.Errorf("%s (process %d) does not answer: %w", p.Name, p.PID, err)
	}
	return l, nil
}

// soon calls a method of the browser that is answered at once.
func (l *Link) soon(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, desktop.ErrUnresponsive)
	defer cancel()
	return l.Call(ctx, "", method, params, result)
}

// target is what the browser knows of a tab or a frame.
type target struct {
	ID    string `json:"targetId"`
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
	// ParentID is the target that a frame is in.
	ParentID string `json:"parentId"`
	// Rank is that of a tab, if the browser tells it, as it does by an extension.
	Rank *rank `json:"rank"`
}

// targets lists the targets of a type, in the browser's order.
func (l *Link) targets(ctx context.Context, kind string) ([]target, error) {
	var got struct{ TargetInfos []target }
	if err := l.soon(ctx, "Target.getTargets", nil, &got); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(got.TargetInfos, func(t target) bool { return t.Type != kind || strings.HasPrefix(t.URL, "devtools://") }), nil
}

// Tabs lists the tabs, those in front first.
func (l *Link) Tabs(ctx context.Context) ([]Tab, error) {
	pages, err := l.targets(ctx, "page")
	if err != nil {
		return nil, err
	}
	ranks, windows := make([]rank, len(pages)), make([]Window, len(pages))
	var all sync.WaitGroup
	for i, t := range pages {
		all.Go(func() { ranks[i] = l.rank(ctx, t) })
		all.Go(func() { windows[i], _ = l.Window(ctx, t.ID) })
	}
	all.Wait()
	inFront := map[int]rank{}
	for i, w := range windows {
		if was, seen := inFront[w.ID]; !seen || ranks[i] < was {
			inFront[w.ID] = ranks[i]
		}
	}
	tabs := make([]Tab, len(pages))
	order := map[string]rank{}
	for i, t := range pages {
		if ranks[i] == blocked && inFront[windows[i].ID] < blocked {
			ranks[i] = behind
		}
		tabs[i] = Tab{ID: t.ID, Title: t.Title, URL: t.URL, Front: ranks[i] < behind, PID: l.Process.PID}
		order[t.ID] = ranks[i]
	}
	slices.SortStableFunc(tabs, func(a, b Tab) int { return cmp.Compare(order[a.ID], order[b.ID]) })
	return tabs, nil
}

// A rank is how far in front a tab is: which of them a person looks at.
type rank int

const (
	focused rank = iota
	shown
	blocked // by a dialog or a server that does not answer: in front if no other tab of the window is
	behind
)

// rankTime bounds the question to a tab: one that is blocked answers nothing.
const rankTime = time.Second

func (l *Link) rank(ctx context.Context, t target) rank {
	if t.Rank != nil {
		return *t.Rank
	}
	ctx, cancel := context.WithTimeoutCause(ctx, rankTime, desktop.ErrUnresponsive)
	defer cancel()
	session, err := l.attach(ctx, t.ID)
	if err != nil {
		return behind
	}
	defer l.detach(session)
	r := behind
	// A world of its own, because a page can change what its own scripts are told.
	var world struct{ ExecutionContextID int }
	err = l.Call(ctx, session, "Page.createIsolatedWorld", map[string]any{"frameId": t.ID}, &world)
	if err == nil {
		err = l.Call(ctx, session, "Runtime.evaluate", map[string]any{
			"expression": `document.visibilityState != "visible" ? 3 : document.hasFocus() ? 0 : 1`, "returnByValue": true, "contextId": world.ExecutionContextID,
		}, &struct{ Result struct{ Value *rank } }{struct{ Value *rank }{&r}})
	}
	if errors.Is(err, desktop.ErrUnresponsive) {
		return blocked
	}
	return r
}

// A Window is a window as the browser knows it. Its bounds may lack those of its frame, and the
// scale of the screen.
type Window struct {
	ID     int `json:"windowId"`
	Bounds struct{ Left, Top, Width, Height int }
}

// Window returns the window that a tab is in. An application that shows its own pages does not tell
// where it is.
func (l *Link) Window(ctx context.Context, tab string) (w Window, err error) {
	err = l.soon(ctx, "Browser.getWindowForTarget", map[string]any{"targetId": tab}, &w)
	if _, refused := errors.AsType[refusal](err); refused && l.Process.App {
		err = nil
	}
	return w, err
}

// Distance tells which of several windows of the screen is most likely this one.
func (w Window) Distance(r desktop.Rect) float64 {
	b := w.Bounds
	return math.Hypot(float64(r.X-b.Left), float64(r.Y-b.Top)) + math.Hypot(float64(r.W-b.Width), float64(r.H-b.Height))
}

func (l *Link) attach(ctx context.Context, target string) (session string, err error) {
	var got struct{ SessionID string }
	err = l.soon(ctx, "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &got)
	return got.SessionID, err
}

func (l *Link) detach(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	_ = l.Call(ctx, "", "Target.detachFromTarget", map[string]any{"sessionId": session}, nil)
}

// Find returns the tab that a text means: the ID of one, or a part of the title or address of
// one only. An empty text means the one in front.
func (l *Link) Find(ctx context.Context, text string) (Tab, error) {
	tabs, err := l.Tabs(ctx)
	if err != nil {
		return Tab{}, err
	}
	if len(tabs) == 0 {
		return Tab{}, steps.Errorf(steps.NotFound, "%s has no tab", l.Process.Name).WithNext("open one with navigate_browser")
	}
	if text == "" {
		return tabs[0], nil
	}
	var found []Tab
	for _, t := range tabs {
		if t.ID == text {
			return t, nil
		}
		if strings.Contains(strings.ToLower(t.Title+"\n"+t.URL), strings.ToLower(text)) {
			found = append(found, t)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Tab{}, steps.Errorf(steps.NotFound, "no tab has %q in its title or address", text).WithNext("the tabs: " + Names(tabs))
	}
	return Tab{}, steps.Errorf(steps.Ambiguous, "%d tabs have %q in their title or address", len(found), text).WithNext("name one by its id: " + Names(found))
}

// Names describes tabs in one line, for messages.
func Names(tabs []Tab) string {
	const most = 10
	var all []string
	for _, t := range tabs[:min(most, len(tabs))] {
		all = append(all, fmt.Sprintf("%s %q", t.ID, cmp.Or(t.Title, t.URL)))
	}
	if more := len(tabs) - most; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// Activate shows a tab in its window.
func (l *Link) Activate(ctx context.Context, t Tab) error {
	return l.soon(ctx, "Target.activateTarget", map[string]any{"targetId": t.ID}, nil)
}

// Shut closes a tab. A page may ask first whether to leave it.
func (l *Link) Shut(ctx context.Context, t Tab) error {
	p, err := l.Attach(ctx, t)
	if err != nil {
		return err
	}
	defer p.Detach()
	return p.soon(ctx, "Page.close")
}

// IsOpen reports whether a tab is still open.
func (l *Link) IsOpen(ctx context.Context, t Tab) (bool, error) {
	pages, err := l.targets(ctx, "page")
	return slices.ContainsFunc(pages, func(x target) bool { return x.ID == t.ID }), err
}

// Open opens an empty tab in front.
func (l *Link) Open(ctx context.Context) (Tab, error) {
	var got struct{ TargetID string }
	err := l.soon(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &got)
	return Tab{ID: got.TargetID, URL: "about:blank", Front: true, PID: l.Process.PID}, err
}
