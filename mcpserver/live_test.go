package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/mcpserver/viewer"
)

// keptDesktop is a lasting desktop in memory, with a hostile name.
type keptDesktop struct{ *fake.Desktop }

const hostileName = `<img src=x onerror=alert(1)>`

func (k keptDesktop) Info(context.Context) (desktop.Info, error) {
	return desktop.Info{System: "memory", Display: hostileName, Name: hostileName, Birth: "1"}, nil
}

// Close does nothing, because others use the desktop too.
func (keptDesktop) Close() error { return nil }

func (k keptDesktop) Of(engine.DesktopRequest) engine.Desk     { return k }
func (keptDesktop) Release(engine.DesktopRequest, bool)        {}
func (keptDesktop) Drop(*desktop.Desktop)                      {}
func (keptDesktop) Pooled() bool                               { return false }
func (keptDesktop) Forget(string)                              {}
func (keptDesktop) Claim(engine.DesktopRequest) (func(), bool) { return engine.AnyDesktop() }
func (k keptDesktop) Open(context.Context) (*desktop.Desktop, error) {
	d := k.Desktop.Desktop()
	d.Session = k
	return d, nil
}

// newKept makes a server whose runs are on a lasting desktop.
func newKept(t *testing.T, more ...func(*Options)) *secured {
	t.Helper()
	var s *secured
	s = newSecured(t, slices.Insert(more, 0, func(o *Options) {
		o.Desktop = func(ctx context.Context, on desktop.Info) (*desktop.Desktop, error) {
			if on.Birth != "1" {
				return nil, desktop.ErrGone
			}
			return keptDesktop{s.desk}.Open(ctx)
		}
	})...)
	s.engine.Desktops = keptDesktop{s.desk}
	return s
}

// view opens the live view of a run.
func (r *reader) view(run string, header http.Header) (*byhand.Viewer, error) {
	if header == nil {
		header = http.Header{"Origin": {r.site}}
	}
	conn, res, err := websocket.Dial(r.t.Context(), r.site+"/runs/"+run+"/live", &websocket.DialOptions{HTTPClient: r.Client, HTTPHeader: header, Subprotocols: []string{"binary"}})
	if err != nil {
		if res == nil {
			return nil, err
		}
		return nil, fmt.Errorf("%d: %w", res.StatusCode, err)
	}
	conn.SetReadLimit(-1)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return byhand.View(websocket.NetConn(r.t.Context(), conn, websocket.MessageBinary), byhand.ZRLE)
}

func (r *reader) watches(run string) *byhand.Viewer {
	r.t.Helper()
	c, err := r.view(run, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := c.Update(true); err != nil {
		r.t.Fatal(err)
	}
	return c
}

// press presses a key that nothing else in the test presses.
func press(t *testing.T, c *byhand.Viewer, char rune) {
	t.Helper()
	if err := errors.Join(c.Key(uint32(char), true), c.Key(uint32(char), false)); err != nil {
		t.Fatal(err)
	}
}

func (s *secured) typed(char rune) bool {
	return slices.Contains(s.desk.Journal(), fmt.Sprintf("type %q", string(char)))
}

func (r *reader) takeOver(run string) (int, string) {
	return r.send("/runs/"+run+"/take-over", url.Values{"token": {r.token("/runs/" + run + "/resume")}}, nil)
}

// TestOnlyTheTakeoverActs has three persons view one desktop: one who may only
// look, one who may act and has not taken it over, and one who has.
func TestOnlyTheTakeoverActs(t *testing.T) {
	s := newKept(t)
	run := s.failedRun()
	looker := s.reader(auth.Token{Name: "looker", Mode: auth.Ask, Operator: true})
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	bob := s.reader(auth.Token{Name: "bob", Mode: auth.Act, Operator: true})

	if status, page := looker.takeOver(run); status != 409 || s.rested(run).TakenBy != "" {
		t.Fatalf("who may only look took it over: %d\n%s", status, page)
	}
	early := ann.watches(run) // before she takes it over
	if status, page := ann.takeOver(run); status != 200 || !strings.Contains(page, "Hand back and resume") {
		t.Fatalf("%d\n%s", status, page)
	}
	if h := s.rested(run); h.TakenBy != "ann/page" {
		t.Fatalf("%q has it", h.TakenBy)
	}
	if status, page := bob.takeOver(run); status != 409 || !strings.Contains(page, "ann/page has taken over") {
		t.Errorf("another took it too: %d\n%s", status, page)
	}
	for char, c := range map[rune]*byhand.Viewer{'L': looker.watches(run), 'B': bob.watches(run), 'E': early} {
		press(t, c, char)
		if _, err := c.Update(true); err != nil { // all earlier input has been read by then
			t.Fatal(err)
		}
		defer func() {
			if s.typed(char) {
				t.Errorf("%c was typed by who only watches", char)
			}
		}()
	}
	acting := ann.watches(run)
	press(t, acting, 'A')
	scratch.Until(s.t, "the key of who has it arrives", func() bool { return s.typed('A') })

	if status, page := bob.send("/runs/"+run+"/hand-back", url.Values{"token": {bob.token("/runs/" + run + "/resume")}}, nil); status != 409 {
		t.Errorf("another handed it back: %d\n%s", status, page)
	}
	form := url.Values{"token": {ann.token("/runs/" + run + "/desktop")}, "resume": {"yes"}, "decision": {"done"}}
	if status, page := ann.send("/runs/"+run+"/hand-back", form, nil); status != 200 {
		t.Fatalf("%d\n%s", status, page)
	}
	if h := s.rested(run); h.Attempt != 2 || h.Status != engine.Succeeded || h.TakenBy != "" {
		t.Errorf("the run is %s in attempt %d, and %q has it", h.Status, h.Attempt, h.TakenBy)
	}
	scratch.Until(s.t, "the view in which she acted ends", func() bool {
		_, err := acting.Update(true)
		return err != nil
	})
}

// TestViewsPerCredentialAreLimited has clients that may only look open as many live
// views as they can: each gets a quarter at most, so even beside three of them who wants
// to take the desktop over still sees it.
func TestViewsPerCredentialAreLimited(t *testing.T) {
	s := newKept(t)
	run := s.failedRun()
	for _, name := range []string{"looker", "watcher", "viewer"} {
		looker := s.reader(auth.Token{Name: name, Mode: auth.Ask, Operator: true})
		var err error
		for range 20 {
			if _, err = looker.view(run, nil); err != nil {
				break
			}
		}
		if err == nil || !strings.HasPrefix(err.Error(), "503") {
			t.Errorf("%s opens any number of views: %v", name, err)
		}
	}
	if _, err := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true}).view(run, nil); err != nil {
		t.Errorf("another sees nothing: %v", err)
	}
}

// slowActor takes the whole time of a view for the key Z, and then finds out who has the
// desktop.
type slowActor struct {
	desktop.Actor
	began chan struct{}
	ended chan string
	has   func() string
}

func (a slowActor) Do(ctx context.Context, act desktop.Action) error {
	if act != (desktop.Type{Text: "Z"}) {
		return a.Actor.Do(ctx, act)
	}
	close(a.began)
	<-ctx.Done()
	a.ended <- a.has()
	return context.Cause(ctx)
}

// TestNoViewActsOnceTheDesktopIsHandedBack has a person with two open views hand the
// desktop back in one, while an action of the other is under way: the desktop is handed
// back after that action, and the other view acts no more.
func TestNoViewActsOnceTheDesktopIsHandedBack(t *testing.T) {
	slow := slowActor{began: make(chan struct{}), ended: make(chan string, 1)}
	s := newKept(t, func(o *Options) {
		open := o.Desktop
		o.Desktop = func(ctx context.Context, on desktop.Info) (*desktop.Desktop, error) {
			d, err := open(ctx, on)
			if err == nil {
				slow.Actor = d.Actor
				d.Actor = slow
			}
			return d, err
		}
	})
	run := s.failedRun()
	slow.has = func() string { return s.engine.Held()[run] }
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.takeOver(run); status != 200 {
		t.Fatalf("%d\n%s", status, page)
	}
	other := ann.watches(run)
	press(t, other, 'Z')
	<-slow.began
	press(t, other, 'Y')
	form := url.Values{"token": {ann.token("/runs/" + run + "/desktop")}, "resume": {"yes"}, "decision": {"done"}}
	if status, page := ann.send("/runs/"+run+"/hand-back", form, nil); status != 200 {
		t.Fatalf("%d\n%s", status, page)
	}
	if by := <-slow.ended; by != "ann/page" {
		t.Errorf("a view was in the middle of an action while %q had the desktop", by)
	}
	scratch.Until(t, "the other view ends", func() bool {
		_, err := other.Update(true)
		return err != nil
	})
	if s.typed('Y') {
		t.Error("a view acted on the desktop of a run that goes on")
	}
}

// TestTheModeOfPagesHoldsForWhoHasADesktop has an operator let pages only look while a
// person acts on one.
func TestTheModeOfPagesHoldsForWhoHasADesktop(t *testing.T) {
	t.Parallel() // it waits
	s := newKept(t)
	run := s.failedRun()
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.takeOver(run); status != 200 {
		t.Fatalf("%d\n%s", status, page)
	}
	acting := ann.watches(run)
	boss := s.holder(auth.Token{Name: "boss", Mode: auth.Ask, Operator: true})
	for _, client := range []string{viewer.PageClient, "http"} {
		if status := s.setMode(boss, client, access.Ask); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	scratch.Until(t, "the view in which she acts ends", func() bool {
		_, err := acting.Update(true)
		return err != nil
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/desktops/start", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = s.holder(auth.Token{Name: "program", Mode: auth.Act})
	req.Header.Set("Content-Type", "application/json")
	status, text := ann.done(http.DefaultClient.Do(req))
	if status != http.StatusForbidden || !strings.Contains(text, "ask mode") {
		t.Errorf("a program over HTTP: %d %s", status, text)
	}
}

// TestALiveViewRequiresTheRightToSeeTheRun is about a stolen address, and pages of other
// sites.
func TestALiveViewRequiresTheRightToSeeTheRun(t *testing.T) {
	s := newKept(t)
	run := s.failedRun()
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	other := s.reader(auth.Token{Name: "other", Mode: auth.Act, Runs: auth.OwnRuns})
	stranger := &reader{t, s.url, &http.Client{}}
	for _, row := range []struct {
		say    string
		who    *reader
		header http.Header
		status string
	}{
		{"nobody", stranger, nil, "401"},
		{"a page of another origin", ann, http.Header{"Origin": {"http://evil.example"}}, "403"},
		{"a page of another port", ann, http.Header{"Origin": {"http://127.0.0.1:1"}}, "403"},
		{"a sandboxed page", ann, http.Header{"Origin": {"null"}}, "403"},
		{"a page of another site, of which the browser tells", ann, http.Header{"Origin": {s.url}, "Sec-Fetch-Site": {"cross-site"}}, "403"},
		{"who may not see the run", other, nil, "404"},
	} {
		if c, err := row.who.view(run, row.header); err == nil || !strings.HasPrefix(err.Error(), row.status) {
			t.Errorf("%s: %v, %v, want status %s", row.say, c, err, row.status)
		}
	}
	for _, path := range []string{"/runs/" + run, "/runs/" + run + "/desktop"} {
		if _, page := ann.open(path); !strings.Contains(page, "&lt;img src=x") || strings.Contains(page, "<img src=x") {
			t.Errorf("%s does not show the name of the desktop as text:\n%s", path, page)
		}
	}
}

// TestAPasswordFieldIsBlackForWhoWatches compares the same area in the views of two
// persons.
func TestAPasswordFieldIsBlackForWhoWatches(t *testing.T) {
	s := newKept(t)
	run := s.failedRun()
	s.desk.Add(s.desk.Find("role:frame"), fake.MustParse(`- password "PIN": "1234"`)[0])
	box := s.desk.Get(s.desk.Find("role:password")).Bounds
	middle := box.Center()
	black := func(c *byhand.Viewer) bool {
		return c.Screen.RGBAAt(middle.X, middle.Y).R == 0 && c.Screen.RGBAAt(middle.X, middle.Y).G == 0
	}
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if !black(ann.watches(run)) {
		t.Error("who watches sees a password field")
	}
	if status, page := ann.takeOver(run); status != 200 {
		t.Fatalf("%d %s", status, page)
	}
	if black(ann.watches(run)) {
		t.Error("who has the desktop does not see what he types into")
	}
}

// TestAPersonTakesOverWhatHeMayDoByHand is about a server that excludes typing, which a
// person with pointer and keyboard could do.
func TestAPersonTakesOverWhatHeMayDoByHand(t *testing.T) {
	s := newKept(t, func(o *Options) { o.Policy.Exclude = []string{"type_text"} })
	run := s.failedRun()
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.takeOver(run); status != 409 || s.rested(run).TakenBy != "" || !strings.Contains(page, "excluded") {
		t.Errorf("who may not type took it over: %d\n%s", status, page)
	}
}

// TestATakeoverAsksForRenamedKinds checks that kinds are selected by trait, not by name.
func TestATakeoverAsksForRenamedKinds(t *testing.T) {
	s := newKept(t, func(o *Options) {
		o.Kinds = slices.Clone(o.Kinds)
		for i := range o.Kinds {
			if o.Kinds[i].Name == "type_text" {
				o.Kinds[i].Name = "type_keys"
			}
		}
		o.Policy.Exclude = []string{"type_keys"}
	})
	run := s.failedRun()
	ann := s.reader(auth.Token{Name: "ann", Mode: auth.Act, Operator: true})
	if status, page := ann.takeOver(run); status != 409 || s.rested(run).TakenBy != "" || !strings.Contains(page, "excluded") {
		t.Errorf("who may not type took it over: %d\n%s", status, page)
	}
}
