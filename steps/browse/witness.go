package browse

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

//go:embed witness.js
var witnessScript string

// A Witness is a page that is asked for what the accessibility tree only guesses: what shows at a
// point, and what a click went to. It runs in a world of its own, which the page's scripts do not see.
type Witness struct {
	page    *Page
	desktop *desktop.Desktop
	origin  desktop.Point // of the page on the screen
	last    int           // its world, or 0
	watches int           // the world in which it watches, or 0
	limit   time.Duration // of each question
}

// witnessTime bounds each question to the witness of an element: without an answer the tree has to do.
const witnessTime = 2 * time.Second

// WitnessOf returns the witness of the page that an element of the screen is in, or nil: the browser
// is not connected, or it is not clear which page it is.
func WitnessOf(ctx context.Context, env *steps.Env, el *desktop.Element) (*Witness, error) {
	var document *desktop.Element
	el.Enclosing(func(p *desktop.Element) bool {
		if p.RawRole == "document web" {
			document = p // the outermost
		}
		return false
	})
	if document == nil || el.Attributes["tag"] == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, witnessTime, desktop.ErrUnresponsive)
	defer cancel()
	document, err := env.Desktop.Refresh(ctx, document.Handle) // not every search reads its box
	if err != nil {
		return nil, err
	}
	browser, err := env.Desktop.Browse(ctx, el.PID)
	if err != nil {
		return nil, err
	}
	l := &Link{browser, desktop.BrowserProcess{PID: el.PID}}
	page, err := l.shown(ctx, el.WindowTitle)
	if err != nil || page == nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Witness{page: page, desktop: env.Desktop, origin: desktop.Point{X: document.Bounds.X, Y: document.Bounds.Y}, limit: witnessTime}, nil
}

// shown returns the page that shows in a window with a title, or nil if it is not the only one.
func (l *Link) shown(ctx context.Context, title string) (*Page, error) {
	found, err := l.shownPages(ctx, func(t target) bool { return strings.HasPrefix(title, t.Title) })
	if err != nil || len(found) != 1 {
		return nil, err
	}
	return l.attachTo(ctx, Tab{ID: found[0].ID, PID: l.Process.PID}, "Page.enable") // which tells of dialogs
}

// shownPages returns the pages that fit. Only if there are several they must show, which takes a
// question to each.
func (l *Link) shownPages(ctx context.Context, fits func(target) bool) ([]target, error) {
	all, err := l.targets(ctx, "page")
	all = slices.DeleteFunc(all, func(t target) bool { return !fits(t) })
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(t target) bool { return l.rank(ctx, t) >= blocked })
	}
	return all, err
}

// Close ends the connection.
func (w *Witness) Close() {
	w.page.Detach()
	_ = w.page.Close()
}

// wanted is an element as a script finds it, in pixels of the screen from the origin of the page.
type wanted struct {
	Tag  string       `json:"tag"`
	ID   string       `json:"id"`
	Name string       `json:"name"`
	Box  desktop.Rect `json:"box"`
	X    int          `json:"x"`
	Y    int          `json:"y"`
}

// Shows reports whether an element is what shows at a point: it has the box that the tree tells,
// and nothing lies over it.
func (w *Witness) Shows(ctx context.Context, el *desktop.Element, at desktop.Point) (shows bool, err error) {
	world, err := w.world(ctx)
	if err != nil {
		return false, err
	}
	if err := w.ask(ctx, world, "shows", el, at, &shows); err != nil || shows {
		return shows, err
	}
	return w.showsInFrame(ctx, world, el, at)
}

// showsInFrame is Shows for an element in a frame of another site, which is a page of its own: that
// must say that the element shows at the point, and the page around it that the frame does.
func (w *Witness) showsInFrame(ctx context.Context, world int, el *desktop.Element, at desktop.Point) (shows bool, err error) {
	document := el.Enclosing(func(p *desktop.Element) bool { return p.RawRole == "document web" })
	if document == nil || document.Enclosing(func(p *desktop.Element) bool { return p.RawRole == "document web" }) == nil {
		return false, nil
	}
	if err := w.ask(ctx, world, "showsFrame", el, at, &shows); err != nil || !shows {
		return false, err
	}
	document, err = w.desktop.Refresh(ctx, document.Handle)
	if err != nil {
		return false, err
	}
	frames, err := w.page.frames(ctx)
	shows = false
	for _, f := range frames {
		if f.id != "" {
			continue // the page sees into it
		}
		inside := &Witness{page: f.place, origin: desktop.Point{X: document.Bounds.X, Y: document.Bounds.Y}, limit: w.limit}
		if world, failed := inside.world(ctx); failed == nil && !shows {
			_ = inside.ask(ctx, world, "shows", el, at, &shows) // it may be gone
		}
		f.place.Detach()
	}
	return shows, err
}

// Focused reports whether an element has the focus of the page, and whether the page knows it.
func (w *Witness) Focused(ctx context.Context, el *desktop.Element) (has, known bool, err error) {
	world, err := w.world(ctx)
	if err != nil {
		return false, false, err
	}
	var answer *bool
	if err := w.ask(ctx, world, "focused", el, el.Bounds.Center(), &answer); err != nil || answer == nil {
		return false, false, err
	}
	return *answer, true, nil
}

// Held returns what a field of the page holds, and whether the page knows it. Of a password only
// the length is right.
func (w *Witness) Held(ctx context.Context, el *desktop.Element) (text string, known bool, err error) {
	world, err := w.world(ctx)
	if err != nil {
		return "", false, err
	}
	var answer *string
	if err := w.ask(ctx, world, "held", el, el.Bounds.Center(), &answer); err != nil || answer == nil {
		return "", false, err
	}
	return *answer, true, nil
}

// Watched is what a page says before a click.
type Watched struct {
	Found bool   // the element shows where it is to be clicked
	Over  string // what certainly lies over it
}

// Watch begins to note what the next click at a point goes to.
func (w *Witness) Watch(ctx context.Context, el *desktop.Element, at desktop.Point) (now Watched, err error) {
	world, err := w.world(ctx)
	if err == nil {
		w.watches, err = world, w.ask(ctx, world, "watch", el, at, &now)
	}
	return now, err
}

// Arrived waits until the page was told of the pointer, and reports whether the element that is watched
// still shows there: what follows the pointer may open over it.
func (w *Witness) Arrived(ctx context.Context, el *desktop.Element, at desktop.Point) (still bool, err error) {
	err = w.ask(ctx, w.watches, "arrived", el, at, &still)
	return still, err
}

// Beside returns what was clicked instead of the element that is watched, or "": it was the element,
// or the page does not tell, as when it is another one by now.
func (w *Witness) Beside(ctx context.Context, el *desktop.Element, at desktop.Point) (what string) {
	if err := w.ask(ctx, w.watches, "beside", el, at, &what); err != nil {
		return ""
	}
	return what
}

// world returns the world in which the page is asked. A page that was opened since has another.
func (w *Witness) world(ctx context.Context) (int, error) {
	if w.last != 0 {
		return w.last, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.limit, desktop.ErrUnresponsive)
	defer cancel()
	var got struct{ ExecutionContextID int }
	err := w.page.call(ctx, "Page.createIsolatedWorld", map[string]any{"frameId": w.page.ID, "worldName": "understudy"}, &got)
	w.last = got.ExecutionContextID
	return w.last, err
}

// ask calls a function of the script about an element.
func (w *Witness) ask(ctx context.Context, world int, question string, el *desktop.Element, at desktop.Point, answer any) error {
	box := el.Bounds
	box.X, box.Y = box.X-w.origin.X, box.Y-w.origin.Y
	return w.call(ctx, world, question, wanted{el.Attributes["tag"], el.ID, el.Name, box, at.X - w.origin.X, at.Y - w.origin.Y}, answer)
}

// call calls a function of the script with any argument.
func (w *Witness) call(ctx context.Context, world int, question string, argument, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.limit, desktop.ErrUnresponsive)
	defer cancel()
	arg, err := json.Marshal(argument)
	if err != nil {
		return err
	}
	var got evaluated
	expression := fmt.Sprintf("(() => {%s\nreturn %s(%s)})()", witnessScript, question, arg)
	if err := w.page.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "contextId": world, "returnByValue": true, "awaitPromise": true}, &got); err != nil {
		w.last = 0
		return err
	}
	if got.ExceptionDetails != nil {
		return steps.Errorf(steps.Unexpected, "asking the page: %s", got.ExceptionDetails.Exception.text())
	}
	return json.Unmarshal(got.Result.Value, answer)
}
