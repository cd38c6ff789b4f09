package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver/auth"
	"understudy/steps/kinds"
)

// lastingDesk is a desktop in memory that lasts.
type lastingDesk struct{ *fake.Desktop }

func (lastingDesk) Info(context.Context) (desktop.Info, error) {
	return desktop.Info{System: "memory", Display: ":1", Name: "one", Birth: "1"}, nil
}
func (lastingDesk) Close() error                               { return nil }
func (l lastingDesk) Of(engine.DesktopRequest) engine.Desk     { return l }
func (lastingDesk) Release(engine.DesktopRequest, bool)        {}
func (lastingDesk) Drop(*desktop.Desktop)                      {}
func (lastingDesk) Pooled() bool                               { return false }
func (lastingDesk) Forget(string)                              {}
func (lastingDesk) Claim(engine.DesktopRequest) (func(), bool) { return engine.AnyDesktop() }
func (l lastingDesk) Open(context.Context) (*desktop.Desktop, error) {
	d := l.Desktop.Desktop()
	d.Session = l
	return d, nil
}

// workOn starts a worker whose runs are on a desktop that lasts.
func (s *stage) workOn(name string) (*fake.Desktop, *Worker) {
	s.t.Helper()
	desk := lastingDesk{fake.New(fake.MustParse("\n- frame \"Notes\" [process=notes]\n  - entry \"Title\": \"Monday\"\n  - button \"Save\"\n")...)}
	st := s.store("worker")
	w := &Worker{
		Store: st, Name: name, Log: slog.New(slog.NewTextHandler(s.t.Output(), nil)), DrainTime: time.Minute,
		Desktop: func(ctx context.Context, _ desktop.Info) (*desktop.Desktop, error) { return desk.Open(ctx) },
		Engine:  &engine.Engine{Store: st, Files: st, Kinds: s.Kinds, Desk: desk, Desktops: desk},
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("worker %s: %v", name, err)
		}
	})
	return desk.Desktop, w
}

// person looks at the pages of a server.
type person struct {
	*server
	authorization string
}

func (p person) do(method, path string, form url.Values) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Origin": {p.url}}
	if p.authorization != "" {
		r.Header.Set("Authorization", p.authorization)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

// send sends a form of a page.
func (p person) send(run, act string, form url.Values) (int, string) {
	p.t.Helper()
	_, page := p.do(http.MethodGet, "/runs/"+run+"/resume", nil)
	m := formToken.FindStringSubmatch(page)
	if m == nil {
		p.t.Fatalf("there is no form:\n%s", page)
	}
	if form == nil {
		form = url.Values{}
	}
	form.Set("token", m[1])
	return p.do(http.MethodPost, "/runs/"+run+"/"+act, form)
}

func (p person) view(run string) (*byhand.Viewer, error) {
	h := http.Header{"Origin": {p.url}}
	if p.authorization != "" {
		h.Set("Authorization", p.authorization)
	}
	conn, res, err := websocket.Dial(p.t.Context(), p.url+"/runs/"+run+"/live", &websocket.DialOptions{HTTPHeader: h, Subprotocols: []string{"binary"}})
	if err != nil {
		if res == nil {
			return nil, err
		}
		return nil, fmt.Errorf("%d: %w", res.StatusCode, err)
	}
	conn.SetReadLimit(-1)
	p.t.Cleanup(func() { _ = conn.CloseNow() })
	return byhand.View(websocket.NetConn(p.t.Context(), conn, websocket.MessageBinary), byhand.ZRLE)
}

func (p person) watches(run string) *byhand.Viewer {
	p.t.Helper()
	c, err := p.view(run)
	if err == nil {
		_, err = c.Update(true)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func press(t *testing.T, c *byhand.Viewer, char rune) {
	t.Helper()
	if err := errors.Join(c.Key(uint32(char), true), c.Key(uint32(char), false)); err != nil {
		t.Fatal(err)
	}
}

func typed(d *fake.Desktop, char rune) bool {
	return slices.Contains(d.Journal(), fmt.Sprintf("type %q", string(char)))
}

var aPress = byhand.Object{"steps": []any{
	byhand.Object{"id": "p", "tool_name": "click_element", "arguments": byhand.Object{"selector": "name:Nowhere", "timeout_ms": 1}},
	byhand.Object{"id": "s", "tool_name": "click_element", "arguments": byhand.Object{"selector": "name:Save"}},
}}

// TestADesktopOfAWorkerIsWatchedAndTakenOver has persons at a server before a desktop
// of a worker: who may not see the run, who only looks, and who takes it over, acts
// there, hands it back and lets the run go on.
func TestADesktopOfAWorkerIsWatchedAndTakenOver(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	desk, _ := s.workOn("w")
	srv := s.serve("srv", s.newTokens())
	clientOf := func(x auth.Token) (byhand.Visitor, person) {
		v := srv.client(x)
		return v, person{srv, v.Header.Get("Authorization")}
	}
	client, ann := clientOf(auth.Token{Name: "ann", Mode: auth.Act, Runs: auth.OwnRuns})
	_, other := clientOf(auth.Token{Name: "other", Mode: auth.Act, Runs: auth.OwnRuns})
	_, bob := clientOf(auth.Token{Name: "bob", Mode: auth.Act, Operator: true})

	_, res := client.Call(t, "execute_sequence", aPress)
	run, _ := byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	if h := s.rest(run); h.Status != engine.Failed {
		t.Fatalf("the run is %s: %v", h.Status, res)
	}
	if _, err := other.view(run); err == nil || !strings.HasPrefix(err.Error(), "404") {
		t.Errorf("who may not see the run watches it: %v", err)
	}
	watching := bob.watches(run)
	if status, page := ann.send(run, "take-over", nil); status != 200 || !strings.Contains(page, "Hand back and resume") {
		t.Fatalf("%d\n%s", status, page)
	}
	if status, page := bob.do(http.MethodGet, "/runs/"+run+"/desktop", nil); status != 200 || !strings.Contains(page, "<bdi>ann/page</bdi> has taken it over") {
		t.Errorf("another does not see that she has it: %d\n%s", status, page)
	}
	if status, page := bob.send(run, "resume", nil); status != 409 || !strings.Contains(page, "ann/page has taken over") {
		t.Errorf("another resumes it meanwhile: %d\n%s", status, page)
	}
	acting := ann.watches(run)
	press(t, acting, 'A')
	press(t, watching, 'B')
	if _, err := watching.Update(true); err != nil { // what it sent before has been read
		t.Fatal(err)
	}
	scratch.Until(s.t, "the key of who has it arrives", func() bool { return typed(desk, 'A') })
	form := url.Values{"resume": {"yes"}, "decision": {"done"}}
	if status, page := ann.send(run, "hand-back", form); status != 200 {
		t.Fatalf("%d\n%s", status, page)
	}
	scratch.Until(s.t, "the view in which she acted ends", func() bool {
		_, err := acting.Update(true)
		return err != nil
	})
	scratch.Until(s.t, "the run goes on", func() bool { return s.rest(run).Attempt == 2 })
	if h := s.rest(run); h.Status != engine.Succeeded || h.Worker != "w" {
		t.Errorf("the run is %s (%+v)", h.Status, h.Error)
	}
	if typed(desk, 'B') {
		t.Error("who only watches typed")
	}
}

// TestAWorkerLetsNobodyActWhoHasNotTakenItOver is about a server that claims what is
// not so, and one that does not notice that a desktop was given back.
func TestAWorkerLetsNobodyActWhoHasNotTakenItOver(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	_, w := s.workOn("w")
	run := s.begin(`{name: fails, steps: [{tool_name: click_element, arguments: {selector: "name:Nowhere", timeout_ms: 1}}]}`, nil).ID
	h := s.rest(run)
	if _, err := s.Live(t.Context(), h, "eve"); err == nil || !strings.Contains(err.Error(), "has not taken over") {
		t.Fatalf("eve acts: %v", err)
	}
	if _, err := s.TakeOver(t.Context(), run, engine.Takeover{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if h, err := s.Client.Get(t.Context(), run); err != nil || h.TakenBy != "ann" {
		t.Errorf("%q has it, %v", h.TakenBy, err)
	}
	live, err := s.Live(t.Context(), h, "ann")
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if _, err := s.HandBack(t.Context(), run, "ann"); err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(io.Discard, live.(tunnel).stream)
	if !errors.Is(err, errStreamEnded) {
		t.Errorf("the view goes on: %v", err)
	}
	scratch.Until(s.t, "the worker shows nothing any more", func() bool { return w.views.Load() == 0 })
}

// TestAPersonHasThePlaceOfARun holds that a worker takes no run for a desktop that a
// person has, and takes some again when he gave it back.
func TestAPersonHasThePlaceOfARun(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	_, _ = s.workOn("held")
	run := s.begin(`{name: fails, steps: [{tool_name: click_element, arguments: {selector: "name:Nowhere", timeout_ms: 1}}]}`, nil).ID
	s.rest(run)
	if _, err := s.TakeOver(t.Context(), run, engine.Takeover{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	const act = `{name: act, steps: [{tool_name: act, arguments: {name: a}}]}`
	next := s.begin(act, nil).ID
	end := s.work("free")
	if h := s.rest(next); h.Worker != "free" {
		t.Errorf("a run is %s at worker %s while a person has its desktop", h.Status, h.Worker)
	}
	end()
	if _, err := s.HandBack(t.Context(), run, "ann"); err != nil {
		t.Fatal(err)
	}
	if h := s.rest(s.begin(act, nil).ID); h.Status != engine.Succeeded || h.Worker != "held" {
		t.Errorf("the run is %s at worker %s after the desktop was given back", h.Status, h.Worker)
	}
}

// TestAWorkerThatEndsGivesDesktopsBack ends a worker while a person has one of its desktops:
// the run tells that the person does not have it any more.
func TestAWorkerThatEndsGivesDesktopsBack(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	var run string
	t.Run("while the worker is there", func(t *testing.T) {
		within := *s
		within.t = t
		within.workOn("held")
		run = within.begin(`{name: fails, steps: [{tool_name: click_element, arguments: {selector: "name:Nowhere", timeout_ms: 1}}]}`, nil).ID
		within.rest(run)
		if _, err := within.TakeOver(t.Context(), run, engine.Takeover{By: "ann"}); err != nil {
			t.Fatal(err)
		}
	})
	var last engine.EventType
	for ev, err := range engine.History(t.Context(), s, run) {
		if err != nil {
			t.Fatal(err)
		}
		last = ev.Type
	}
	if last != engine.EvReturned {
		t.Errorf("the last event of the run is %s", last)
	}
}

// TestTakeoverKeepsTheSlot holds the same of a run that is executed until then:
// no other begins between its pause and the takeover.
func TestTakeoverKeepsTheSlot(t *testing.T) {
	s := newStage(t)
	s.Kinds = slices.Concat(s.Kinds, kinds.All())
	_, w := s.workOn("held")
	run := s.begin(`{name: long, steps: [{tool_name: click_element, arguments: {selector: "name:Save"}}, {tool_name: act, arguments: {name: a}}, {tool_name: hold, arguments: {name: go}}, {tool_name: act, arguments: {name: b}}]}`, nil).ID
	s.until(run, "a ")
	next := s.begin(`{name: act, steps: [{tool_name: act, arguments: {name: a}}]}`, nil).ID
	done := make(chan error, 1)
	go func() {
		_, err := s.TakeOver(t.Context(), run, engine.Takeover{By: "ann"})
		done <- err
	}()
	scratch.Until(s.t, "the takeover begins", func() bool { return w.Engine.Occupied() == 1 })
	s.letGo("go")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	defer s.work("free")()
	if h := s.rest(next); h.Worker != "free" {
		t.Errorf("a run is %s at worker %s while a person has its desktop", h.Status, h.Worker)
	}
}

// TestAStreamIsSealedAndWhole listens on a stream, puts in a message and takes one away.
func TestAStreamIsSealedAndWhole(t *testing.T) {
	s := newStage(t)
	st := s.store("client")
	var heard [][]byte
	pair := func(id string) (a, b *stream) {
		var err error
		if a, err = newStream(t.Context(), st, id, viewerSide, desktopSide); err != nil {
			t.Fatal(err)
		}
		if b, err = newStream(t.Context(), s.store("worker"), id, desktopSide, viewerSide); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.open(b.private.PublicKey().Bytes()), b.open(a.private.PublicKey().Bytes())); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = errors.Join(a.Close(), b.Close()) })
		return a, b
	}
	a, b := pair("one")
	done := make(chan bool)
	if err := s.store("worker").Hear(t.Context(), func(m []byte) { heard = append(heard, m); done <- true }, streamName, "one", desktopSide); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("password ", 40_000)
	go func() { _, _ = io.WriteString(a, text) }()
	raw := make([]byte, len(text))
	for range 1 + len(text)/longestChunk {
		<-done
	}
	if _, err := io.ReadFull(b, raw); err != nil || string(raw) != text {
		t.Fatalf("what arrives is not what was sent: %v", err)
	}
	for _, m := range heard {
		if strings.Contains(string(m), "password") {
			t.Error("who listens reads it")
		}
	}
	go func() { <-done }()
	if err := st.Tell(heard[0], streamName, "one", desktopSide); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(raw); !errors.Is(err, errStreamBroken) {
		t.Errorf("a message that was repeated: %v", err)
	}
}

// TestAFleetListsItsWorkers lists the workers that are connected, each with its labels and
// the run that it executes.
func TestAFleetListsItsWorkers(t *testing.T) {
	s := newStage(t)
	if all, err := s.Workers(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
	defer s.work("two", "app=sap")()
	defer s.work("one", "app=calc")()
	h := s.begin(`{name: long, steps: [{id: l, tool_name: hold, arguments: {name: l}}]}`, func(r *engine.Request) { r.Needs = []string{"app=sap"} })
	defer s.letGo("l")
	scratch.Until(t, "the fleet is to list both workers, and the run of the second", func() bool {
		all, err := s.Workers(t.Context())
		return err == nil && len(all) == 2 && all[0].Worker == "one" && slices.Equal(all[0].Labels, []string{"app=calc", "worker=one"}) && all[0].Total == 1 && len(all[0].Taken) == 0 &&
			slices.Equal(all[1].Taken, []string{h.ID})
	})
}
