package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// A Page is the page of one tab, for one step.
type Page struct {
	*Link
	Tab
	session string
	stop    func()

	mu       sync.Mutex
	console  []string        // guarded by mu; what it printed since it was listened to
	printed  []string        // guarded by mu; what of this the script printed
	source   string          // guarded by mu; the address of the script
	requests map[string]bool // guarded by mu; those that are not answered
	contexts []scriptContext // guarded by mu; where scripts can run
	dialogs  chan dialog     // the dialogs that it opened
	download chan download
}

// DialogError means that the page has opened a dialog and answers nothing until that is closed.
type DialogError dialog

// dialog is one that a page has opened.
type dialog struct{ Type, Message string }

func (e DialogError) Error() string {
	return fmt.Sprintf("the page shows a dialog (%s): %q", e.Type, e.Message)
}

// errBlocked is the error of a page that does not answer.
var errBlocked = errors.New("the page does not answer: it shows a dialog, or is busy")

// dialogAdvice says how a dialog is answered: as a person does.
const dialogAdvice = "answer the dialog on the screen, by click_element or press_key (enter, escape)"

// Attach connects to the page of a tab.
func (l *Link) Attach(ctx context.Context, t Tab) (*Page, error) {
	return l.attachTo(ctx, t, "Page.enable", "Network.enable")
}

// attachTo connects to the page of a tab, which reports of some domains.
func (l *Link) attachTo(ctx context.Context, t Tab, enable ...string) (*Page, error) {
	session, err := l.attach(ctx, t.ID)
	if refused, ok := errors.AsType[refusal](err); ok {
		return nil, steps.Errorf(steps.NotActionable, "the browser does not give access to the tab %q: %s", cmp.Or(t.Title, t.URL), refused.Refused())
	}
	if err != nil {
		return nil, err
	}
	p := &Page{Link: l, Tab: t, session: session, requests: map[string]bool{}, dialogs: make(chan dialog, 1), download: make(chan download, 16)}
	p.stop = l.Listen(p.hear)
	for _, method := range enable {
		if err := p.soon(ctx, method); err != nil {
			p.Detach()
			return nil, err
		}
	}
	return p, nil
}

// soon calls a method of the page that it answers at once unless it is blocked.
func (p *Page) soon(ctx context.Context, method string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, errBlocked)
	defer cancel()
	return advised(p.call(ctx, method, nil, nil))
}

// Detach ends the connection to the page, which stays as it is.
func (p *Page) Detach() {
	p.stop()
	p.Link.detach(p.session)
}

// hear notes what the page reports.
func (p *Page) hear(e desktop.BrowserEvent) {
	if e.Session != p.session && e.Session != "" {
		return
	}
	switch e.Method {
	case "Page.javascriptDialogOpening":
		var d dialog
		_ = json.Unmarshal(e.Params, &d)
		p.keep(d)
	case "Page.javascriptDialogClosed":
		select {
		case <-p.dialogs:
		default:
		}
	case "Browser.downloadWillBegin", "Browser.downloadProgress":
		var d download
		_ = json.Unmarshal(e.Params, &d)
		select {
		case p.download <- d:
		default: // another step's
		}
	case "Network.requestWillBeSent", "Network.loadingFinished", "Network.loadingFailed":
		p.count(e)
	case "Runtime.consoleAPICalled":
		p.print(e.Params)
	case "Runtime.executionContextCreated":
		p.addContext(e.Params)
	}
}

// keep keeps the dialog that is open; one is enough.
func (p *Page) keep(d dialog) {
	select {
	case p.dialogs <- d:
	default:
	}
}

// count notes which requests wait for their answers.
func (p *Page) count(e desktop.BrowserEvent) {
	var r struct{ RequestID string }
	_ = json.Unmarshal(e.Params, &r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Method == "Network.requestWillBeSent" {
		p.requests[r.RequestID] = true
	} else {
		delete(p.requests, r.RequestID)
	}
}

// waiting is how many requests wait for their answers.
func (p *Page) waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}

// call calls a method of the page. It fails with a DialogError as soon as the page opens a
// dialog, because nothing is answered then.
func (p *Page) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = p.Call(ctx, p.session, method, params, result)
	}()
	select {
	case <-done:
		return err
	case d := <-p.dialogs:
		p.keep(d) // for later calls
		cancel(DialogError(d))
		<-done
		return DialogError(d)
	}
}

// advised adds what to do about a page that does not answer.
func advised(err error) error {
	if errors.As(err, new(DialogError)) || errors.Is(err, errBlocked) {
		return steps.Errorf(steps.NotActionable, "%w", err).WithNext(dialogAdvice)
	}
	return err
}

// State is what a page says of itself.
type State struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Status  int    `json:"status"` // of the answer of the server; 0: not known
	Ready   string `json:"ready"`  // loading, interactive, complete
	Stamp   string `json:"stamp"`  // changes with its content
	Busy    bool   `json:"busy"`   // it says so, or shows nothing yet
	Settled bool   `json:"-"`
}

// stateScript reports the state of a page.
const stateScript = `(() => {
	const root = document.documentElement, way = performance.getEntriesByType("navigation")[0]
	return {
		title: document.title, url: location.href, ready: document.readyState, status: way && way.responseStatus || 0,
		busy: !!document.querySelector("[aria-busy=true]") || document.getElementsByTagName("*").length < 50 && !document.querySelector("img, svg, canvas, video, iframe, embed, input") && !(document.body && document.body.innerText.trim()),
		stamp: [document.getElementsByTagName("*").length, root ? root.scrollHeight + "," + root.scrollWidth + "," + root.textContent.length : ""].join(),
	}
})()`

// State asks the page for its state.
func (p *Page) State(ctx context.Context) (s State, err error) {
	var got struct{ Result struct{ Value *State } }
	got.Result.Value = &s
	ctx, cancel := context.WithTimeoutCause(ctx, answerTime, errBlocked)
	defer cancel()
	err = p.call(ctx, "Runtime.evaluate", map[string]any{"expression": stateScript, "returnByValue": true}, &got)
	return s, err
}

// Shows reports whether a text shows in the page itself, however its white space is.
func (p *Page) Shows(ctx context.Context, text string) (shows bool, err error) {
	var got struct{ Result struct{ Value *bool } }
	got.Result.Value = &shows
	wanted, err := json.Marshal(strings.Join(strings.Fields(text), " "))
	if err != nil {
		return false, err
	}
	script := `(document.body ? document.body.innerText : "").replace(/\s+/g, " ").includes(` + string(wanted) + `)`
	err = p.call(ctx, "Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true}, &got)
	return shows, advised(err)
}

const (
	// stillFor is how long a page must stay the same until it counts as settled.
	stillFor = 300 * time.Millisecond
	// quietWithin bounds the wait for requests of a page that is loaded: some wait for
	// messages as long as they are open.
	quietWithin = 3 * time.Second
	// busyWithin bounds the wait for a page that is loaded and empty, as an application that a
	// script makes later is at first.
	busyWithin = 3 * time.Second
	pollPause  = 50 * time.Millisecond
)

// Settle waits until the page is loaded, waits for no answer, and has not changed for a
// moment, but not longer than the time limit: some pages change all the time. The last state tells
// which it was.
func (p *Page) Settle(ctx context.Context, limit time.Duration) (last State, err error) {
	var since, loaded time.Time
	for end := time.Now().Add(limit); ; {
		s, err := p.State(ctx)
		if err != nil && !leaves(err) {
			return last, advised(err)
		}
		now := time.Now()
		if err != nil || s != last {
			since = now
		}
		if s.Ready != "complete" {
			loaded = time.Time{}
		} else if loaded.IsZero() {
			loaded = now
		}
		quiet := p.waiting() == 0 || now.Sub(loaded) > quietWithin
		ready := s.Ready == "complete" && (!s.Busy || now.Sub(loaded) > busyWithin)
		last = s
		if ready && quiet && now.Sub(since) >= stillFor {
			last.Settled = true
			return last, nil
		}
		if now.After(end) {
			return last, nil
		}
		if err := steps.Sleep(ctx, pollPause); err != nil {
			return last, err
		}
	}
}

// leaves reports whether an error says that the page is just being replaced by another.
func leaves(err error) bool {
	r, refused := errors.AsType[refusal](err)
	return refused && slices.Contains([]string{"Inspected target navigated or closed", "Cannot find default execution context", "Execution context was destroyed."}, r.Refused())
}
