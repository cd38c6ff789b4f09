package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/hub"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/store"
	"understudy/store/jetstream"
	"understudy/workflows"
)

const testLease = 2 * time.Second

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(errors.New("no desktop in this test")), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

type actArgs struct {
	Name string `json:"name" jsonschema:"what it is called in the world"`
	For  int    `json:"for,omitzero" jsonschema:"how many milliseconds it takes"`
}

type actResult struct {
	Done bool `json:"done"`
}

// worldKinds are an act that leaves a line in a file, a look that leaves none, and
// one that lasts until the test lets it go.
func worldKinds(world, worker string) []steps.Kind {
	act := func(ctx context.Context, env *steps.Env, a actArgs) (actResult, error) {
		err := env.Act(func() error {
			f, err := os.OpenFile(world, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = fmt.Fprintf(f, "%s %s %s\n", env.Run.ID, a.Name, worker)
			return err
		})
		if err == nil {
			err = steps.Sleep(ctx, time.Duration(a.For)*time.Millisecond)
		}
		return actResult{true}, err
	}
	look := func(ctx context.Context, _ *steps.Env, a actArgs) (actResult, error) {
		return actResult{true}, steps.Sleep(ctx, time.Duration(a.For)*time.Millisecond)
	}
	hold := func(ctx context.Context, _ *steps.Env, a actArgs) (actResult, error) {
		if err := os.WriteFile(world+"."+a.Name+".held", nil, 0o600); err != nil {
			return actResult{}, err
		}
		for {
			if _, err := os.Stat(world + "." + a.Name); err == nil {
				return actResult{true}, nil
			}
			if err := steps.Sleep(ctx, 10*time.Millisecond); err != nil {
				return actResult{}, err
			}
		}
	}
	return []steps.Kind{
		kinds.AskUser,
		steps.Define(steps.Kind{Name: "hold", Summary: "For tests.", Reads: true, Timeout: 10 * time.Minute}, actArgs{}, hold),
		steps.Define(steps.Kind{Name: "act", Summary: "For tests.", Touches: steps.Act}, actArgs{}, act),
		steps.Define(steps.Kind{Name: "look", Summary: "For tests.", Reads: true}, actArgs{}, look),
	}
}

// stage is a hub of one node with what a test starts on it.
type stage struct {
	t     testing.TB
	hub   *hub.Hub
	dir   string
	world string
	lease time.Duration   // 0: testLease
	log   *scratch.Buffer // of all workers that work starts
	*Client
}

func newStage(t testing.TB) *stage {
	s := &stage{t: t, dir: t.TempDir(), world: filepath.Join(t.TempDir(), "world"), log: new(scratch.Buffer)}
	h, err := hub.Start(hub.Options{Dir: s.dir, Listen: "127.0.0.1:-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	s.hub = h
	c, err := NewClient(t.Context(), s.store("client"), worldKinds(s.world, "client"))
	if err != nil {
		t.Fatal(err)
	}
	s.Client = c
	return s
}

func openStore(ctx context.Context, a jetstream.Address, o jetstream.Options) (*jetstream.Store, func(), error) {
	nc, err := jetstream.Dial(a)
	if err != nil {
		return nil, nil, err
	}
	st, err := jetstream.Open(ctx, nc, o)
	if err != nil {
		nc.Close()
		return nil, nil, err
	}
	return st, func() { _ = st.Close(); nc.Close() }, nil
}

func (s *stage) store(role string) *jetstream.Store {
	s.t.Helper()
	a := jetstream.Address{URL: s.hub.URL(), Credential: filepath.Join(hub.Credentials(s.dir), "default-"+role+".nk")}
	st, end, err := openStore(s.t.Context(), a, jetstream.Options{Lease: cmp.Or(s.lease, testLease)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(end)
	return st
}

// newWorker returns a worker that executes runs of a store.
func (s *stage) newWorker(st *jetstream.Store, name string) *Worker {
	return &Worker{
		Store: st, Name: name, Log: slog.New(slog.DiscardHandler),
		Engine: &engine.Engine{Store: st, Files: st, Kinds: worldKinds(s.world, name), Desk: noDesk{}},
	}
}

// work starts a worker, and gives what ends it and waits for that.
func (s *stage) work(name string, labels ...string) (end func()) {
	s.t.Helper()
	st := s.store("worker")
	w := s.newWorker(st, name)
	w.Labels, w.Log, w.DrainTime = labels, slog.New(slog.NewTextHandler(io.MultiWriter(s.t.Output(), s.log), nil)), time.Minute
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("worker %s: %v", name, err)
		}
	}
}

func (s *stage) begin(doc string, change func(*engine.Request)) engine.Header {
	s.t.Helper()
	b, _, err := engine.Pack(workflows.Source{Name: "test.yaml", Text: []byte(doc)}, s.Kinds, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r := engine.Request{Bundle: b, Queue: true}
	if change != nil {
		change(&r)
	}
	h, err := s.Start(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

func (s *stage) rest(id string) engine.Header {
	s.t.Helper()
	ctx, cancel := context.WithDeadline(s.t.Context(), scratch.Deadline(s.t))
	defer cancel()
	h, err := s.Wait(ctx, id)
	if err != nil {
		s.t.Fatalf("waiting for run %s: %v", id, err)
	}
	return h
}

// did are the acts of a run, each with its worker.
func (s *stage) did(run string) string {
	s.t.Helper()
	raw, err := os.ReadFile(s.world)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(raw)) {
		if rest, ours := strings.CutPrefix(strings.TrimSpace(line), run+" "); ours {
			out = append(out, rest)
		}
	}
	return strings.Join(out, ", ")
}

// letGo ends the steps that wait under a name.
func (s *stage) letGo(name string) {
	s.t.Helper()
	if err := os.WriteFile(s.world+"."+name, nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// threeSteps is a document whose second step lasts until it is let go.
const threeSteps = `{name: three, steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: hold, arguments: {name: b}}, {id: c, tool_name: act, arguments: {name: c}}]}`

// holding waits until a step is under way that lasts until it is let go.
func (s *stage) holding(step string) {
	s.t.Helper()
	scratch.Until(s.t, "the step "+step+" is under way", func() bool {
		_, err := os.Stat(s.world + "." + step + ".held")
		return err == nil
	})
}

// endDuring ends a worker, and lets a step go once the run is to pause after it.
func (s *stage) endDuring(step string, end func()) {
	s.t.Helper()
	ended := make(chan struct{})
	go func() { end(); close(ended) }()
	scratch.Until(s.t, "the run is to pause after the step under way", func() bool {
		return strings.Contains(s.log.String(), "pauses after the current step")
	})
	s.letGo(step)
	<-ended
}

// until waits until a run did something.
func (s *stage) until(run, did string) {
	s.t.Helper()
	for late := scratch.Deadline(s.t); !strings.Contains(s.did(run), did); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			s.t.Fatalf("the run did %q, and not %q", s.did(run), did)
		}
	}
}

func TestAWorkerExecutesWhatAClientBegins(t *testing.T) {
	s := newStage(t)
	h := s.begin(`{name: entry, steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: look, arguments: {name: b}}]}`,
		func(r *engine.Request) { r.Needs = []string{"app=sap"} })
	if h.Status != engine.Queued {
		t.Errorf("a run that no worker has is %s", h.Status)
	}
	defer s.work("plain", "os=linux")()
	defer s.work("sap", "os=linux", "app=sap")()
	h = s.rest(h.ID)
	if h.Status != engine.Succeeded || h.Worker != "sap" || s.did(h.ID) != "a sap" {
		t.Errorf("the run is %s (%+v), its worker %s, and it did %q", h.Status, h.Error, h.Worker, s.did(h.ID))
	}
	r, err := s.Report(t.Context(), h.ID, engine.Page{})
	if err != nil || len(r.Steps) != 2 {
		t.Errorf("the report has %d steps, %v", len(r.Steps), err)
	}
}

// TestARunThatFitsNobodyWaitsAndSaysWhy holds that a run goes to the worker that has all
// that it needs, whatever that is, and says what is lacking while there is none.
func TestARunThatFitsNobodyWaitsAndSaysWhy(t *testing.T) {
	s := newStage(t)
	h := s.begin(`{name: entry, steps: [{id: a, tool_name: act, arguments: {name: a}}]}`,
		func(r *engine.Request) { r.Needs = []string{"app=sap", "screen=2560x1440", "tools=core"} })
	waits := func(want string) {
		t.Helper()
		for late := scratch.Deadline(t); ; time.Sleep(10 * time.Millisecond) { // a worker is there when it has told of itself
			got, err := s.Client.Get(t.Context(), h.ID)
			r, failed := s.Report(t.Context(), h.ID, engine.Page{})
			if err == nil && failed == nil && got.Status == engine.Queued && got.Waits == want && r.Waits == want {
				return
			}
			if time.Now().After(late) {
				t.Fatalf("the run is %s and waits: %q, %q; wanted %q: %v, %v", got.Status, got.Waits, r.Waits, want, err, failed)
			}
		}
	}
	waits("no worker is connected")
	defer s.work("far", "app=calc", "screen=1920x1080")()
	defer s.work("near", "app=sap", "tools=core", "screen=1920x1080")()
	waits("no worker has all that it needs: near comes nearest and lacks screen=2560x1440")
	defer s.work("fits", "app=sap", "tools=core", "screen=2560x1440")()
	if h = s.rest(h.ID); h.Status != engine.Succeeded || h.Worker != "fits" || h.Waits != "" {
		t.Errorf("the run is %s (%+v) at worker %s and waits: %q", h.Status, h.Error, h.Worker, h.Waits)
	}
	busy := s.begin(`{name: long, steps: [{id: l, tool_name: hold, arguments: {name: l}}]}`, func(r *engine.Request) { r.Needs = []string{"app=calc"} })
	for late := scratch.Deadline(t); h.ID != busy.ID || h.Status != engine.Running; time.Sleep(10 * time.Millisecond) {
		var err error
		if h, err = s.Client.Get(t.Context(), busy.ID); err != nil || time.Now().After(late) {
			t.Fatalf("the long run is %s: %v", h.Status, err)
		}
	}
	h = s.begin(`{name: entry, steps: [{id: a, tool_name: act, arguments: {name: a}}]}`, func(r *engine.Request) { r.Needs = []string{"app=calc"} })
	waits("the workers that have what it needs are busy")
	s.letGo("l")
	s.rest(h.ID)
}

func TestAStopReachesTheWorker(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: long, steps: [{id: a, tool_name: act, arguments: {name: a, for: 600000}}], finally: [{tool_name: act, arguments: {name: f}}]}`, nil)
	s.until(h.ID, "a w")
	asked := time.Now()
	if _, err := s.Stop(t.Context(), h.ID, engine.ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	t.Logf("stopped after %s", time.Since(asked))
	if h = s.rest(h.ID); h.Status != engine.Cancelled || s.did(h.ID) != "a w, f w" {
		t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(h.ID))
	}
}

// TestAWorkerForgetsTheSecretsOfARunThatWentElsewhere lets a run wait at one worker and go on at
// another.
func TestAWorkerForgetsTheSecretsOfARunThatWentElsewhere(t *testing.T) {
	s := newStage(t)
	st := s.store("worker")
	first := s.newWorker(st, "first")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- first.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	h := s.begin(`{name: asks, variables: {password: {secret: true}}, steps: [{tool_name: ask_user, arguments: {question: "go on?"}}, {tool_name: act, arguments: {name: a}}]}`,
		func(r *engine.Request) { r.Secrets = map[string]string{"password": "swordfish"} })
	keeps := func(n int) {
		t.Helper()
		for late := scratch.Deadline(t); len(first.Engine.Kept()) != n; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("the worker keeps something of %v", first.Engine.Kept())
			}
		}
	}
	if h = s.rest(h.ID); h.Status != engine.Waiting {
		t.Fatalf("the run is %s", h.Status)
	}
	keeps(1)
	busy := s.begin(`{name: long, steps: [{tool_name: act, arguments: {name: b}}, {tool_name: hold, arguments: {name: l}}]}`, nil)
	s.until(busy.ID, "b first")
	defer s.work("second")()
	if _, err := s.Answer(t.Context(), h.ID, engine.Answer{Value: "yes"}); err != nil {
		t.Fatal(err)
	}
	s.rest(h.ID)
	s.letGo("l")
	s.rest(busy.ID)
	keeps(0)
}

// TestARunThatIsExecutedIsNotResumed resumes a run in the middle of its step: the worker keeps
// the run.
func TestARunThatIsExecutedIsNotResumed(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: two, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: hold, arguments: {name: b}}]}`, nil)
	s.until(h.ID, "a w")
	for _, from := range []string{"", "0"} {
		if _, err := s.Resume(t.Context(), h.ID, engine.ResumeRequest{From: from}); steps.CodeOf(err) != steps.Busy || !strings.Contains(err.Error(), "worker w") {
			t.Errorf("resumed from %q: %v, want busy at worker w", from, err)
		}
	}
	s.letGo("b")
	if h = s.rest(h.ID); h.Status != engine.Succeeded || h.Attempt != 1 || s.did(h.ID) != "a w" {
		t.Errorf("the run is %s at attempt %d and did %q: %+v", h.Status, h.Attempt, s.did(h.ID), h.Error)
	}
}

func TestTwoWorkersOfOneName(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: short, steps: [{tool_name: act, arguments: {name: a}}]}`, nil)
	s.rest(h.ID) // the worker is there
	st := s.store("worker")
	second := s.newWorker(st, "w")
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	if err := second.Run(ctx); err == nil || !strings.Contains(err.Error(), "a worker named w ") {
		t.Errorf("wanted the second one refused, got %v", err)
	}
}

// together is a store through which two workers ask at the same time who is there.
type together struct {
	Store
	both *sync.WaitGroup
}

func (s together) Ask(ctx context.Context, message []byte, name ...string) ([]byte, error) {
	raw, err := s.Store.Ask(ctx, message, name...)
	s.both.Done()
	s.both.Wait()
	return raw, err
}

func TestTwoWorkersOfOneNameAtOnce(t *testing.T) {
	s := newStage(t)
	both := &sync.WaitGroup{}
	both.Add(2)
	ended := make(chan error, 2)
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	for range 2 {
		st := s.store("worker")
		w := s.newWorker(st, "w")
		w.Store = together{st, both}
		go func() { ended <- w.Run(ctx) }()
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "a worker named w ") {
		t.Errorf("wanted one of the two refused, got %v", err)
	}
	cancel()
	<-ended
}

// mute is a store through which no process answers. Its user gives up after the first question.
type mute struct {
	Store
	giveUp context.CancelFunc
}

func (m mute) Ask(context.Context, []byte, ...string) ([]byte, error) {
	m.giveUp()
	return nil, errors.New("nobody is there")
}

func TestAStopNamesTheWorkerThatDoesNotAnswer(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: long, steps: [{id: a, tool_name: act, arguments: {name: a, for: 600000}}]}`, nil)
	s.until(h.ID, "a w")
	answering := s.Client.store
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Client.store = mute{answering, cancel}
	if _, err := s.Stop(ctx, h.ID, engine.ByUser, "enough"); err == nil || !strings.Contains(err.Error(), "worker w of run "+h.ID) {
		t.Errorf("wanted the worker and the run named, got %v", err)
	}
	s.Client.store = answering
	if _, err := s.Stop(t.Context(), h.ID, engine.ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
}

// unanswered is a store whose user gets no answer to its calls of one worker, as if that died
// while it executes them.
type unanswered struct {
	Store
	worker string
	called chan struct{} // closed by the first call
}

func (s unanswered) Ask(ctx context.Context, message []byte, name ...string) ([]byte, error) {
	if name[0] != callsName || name[1] != s.worker {
		return s.Store.Ask(ctx, message, name...)
	}
	close(s.called)
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestAStopOutlivesTheWorker stops a run whose worker goes before it answers: the stop is
// asked of the worker that has the run next.
func TestAStopOutlivesTheWorker(t *testing.T) {
	s := newStage(t)
	end := s.work("first")
	h := s.begin(`{name: three, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: hold, arguments: {name: b}}, {tool_name: hold, arguments: {name: c}}]}`, nil)
	s.until(h.ID, "a first")
	called := make(chan struct{})
	s.Client.store = unanswered{s.Client.store, "first", called}
	type outcome struct {
		h   engine.Header
		err error
	}
	stopped := make(chan outcome, 1)
	go func() {
		h, err := s.Stop(t.Context(), h.ID, engine.ByUser, "enough")
		stopped <- outcome{h, err}
	}()
	<-called
	s.endDuring("b", end)
	defer s.work("second")()
	select {
	case o := <-stopped:
		if o.err != nil || o.h.Status != engine.Cancelled || o.h.Worker != "second" {
			t.Errorf("the run is %s at worker %s, %v", o.h.Status, o.h.Worker, o.err)
		}
	case <-time.After(time.Until(scratch.Deadline(t))):
		s.letGo("c")
		t.Error("the stop waits for a worker that is gone")
	}
}

func TestAStopOfARunThatWaitsForAWorker(t *testing.T) {
	s := newStage(t)
	h := s.begin(`{name: short, steps: [{id: a, tool_name: act, arguments: {name: a}}]}`, nil)
	if _, err := s.Stop(t.Context(), h.ID, engine.ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	if h = s.rest(h.ID); h.Status != engine.Cancelled { // whether there is a worker or not
		t.Errorf("the run is %s (%+v)", h.Status, h.Error)
	}
	defer s.work("w")()
	if after := s.begin(`{name: after, steps: [{id: b, tool_name: act, arguments: {name: b}}]}`, nil); s.rest(after.ID).Status != engine.Succeeded {
		t.Error("the run after it did not succeed")
	}
	if h = s.rest(h.ID); h.Status != engine.Cancelled || s.did(h.ID) != "" {
		t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(h.ID))
	}
}

// TestAWorkerThatEndsHandsOn holds that a run goes on elsewhere after the step
// that was under way, which is not done again.
func TestAWorkerThatEndsHandsOn(t *testing.T) {
	s := newStage(t)
	end := s.work("first")
	h := s.begin(threeSteps, nil)
	s.holding("b")
	s.endDuring("b", end)
	defer s.work("second")()
	if h = s.rest(h.ID); h.Status != engine.Succeeded || s.did(h.ID) != "a first, c second" || h.Attempt != 1 {
		t.Errorf("the run is %s (%+v), attempt %d, and did %q", h.Status, h.Error, h.Attempt, s.did(h.ID))
	}
}

// TestAWorkerThatEndsLeavesAPausedRunPaused pauses a run whose worker ends before the step
// under way does.
func TestAWorkerThatEndsLeavesAPausedRunPaused(t *testing.T) {
	s := newStage(t)
	end := s.work("first")
	h := s.begin(threeSteps, nil)
	s.holding("b")
	if err := s.Pause(t.Context(), h.ID); err != nil {
		t.Fatal(err)
	}
	s.endDuring("b", end)
	if h = s.rest(h.ID); h.Status != engine.Paused || s.did(h.ID) != "a first" {
		t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(h.ID))
	}
}

// TestAWorkerThatEndsLeavesAStepThatLasts ends a worker whose step takes longer than it may:
// the run continues elsewhere as that of a worker which died, and what becomes of the step
// once the worker closes its desktops changes nothing.
func TestAWorkerThatEndsLeavesAStepThatLasts(t *testing.T) {
	s := newStage(t)
	st := s.store("worker")
	w := s.newWorker(st, "first")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	h := s.begin(`{name: two, steps: [{id: a, tool_name: hold, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}}]}`, nil)
	s.holding("a")
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if runs := w.Engine.Active(); len(runs) > 0 {
		t.Errorf("the worker has ended and executes %v", runs)
	}
	s.letGo("a")
	time.Sleep(100 * time.Millisecond)
	defer s.work("second")()
	if h = s.rest(h.ID); h.Status != engine.Succeeded || s.did(h.ID) != "b second" || h.Worker != "second" {
		t.Errorf("the run is %s (%+v) at worker %s and did %q", h.Status, h.Error, h.Worker, s.did(h.ID))
	}
}

// lastTake is a store whose user is told to end while it is handed a run.
type lastTake struct {
	Store
	end context.CancelFunc
}

func (s lastTake) Take(ctx context.Context, labels []string) (engine.Entry, error) {
	e, err := s.Store.Take(ctx, labels)
	s.end()
	return e, err
}

// TestAWorkerThatEndsPutsBackWhatItIsHanded tests that no run waits for the lease of a
// worker that did not begin it.
func TestAWorkerThatEndsPutsBackWhatItIsHanded(t *testing.T) {
	s := newStage(t)
	s.lease = time.Hour // longer than the test waits
	st := s.store("worker")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var err error
	if s.Client, err = NewClient(t.Context(), s.store("client"), s.Kinds); err != nil {
		t.Fatal(err)
	}
	w := s.newWorker(st, "first")
	w.Store = lastTake{st, cancel}
	h := s.begin(`{name: short, steps: [{id: a, tool_name: act, arguments: {name: a}}]}`, nil)
	if err := w.Run(ctx); err != nil {
		t.Fatal(err)
	}
	defer s.work("second")()
	if h = s.rest(h.ID); h.Status != engine.Succeeded || s.did(h.ID) != "a second" {
		t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did(h.ID))
	}
}

// lateAnswer tells that a batch is stored only when the run is at rest.
type lateAnswer struct{ Store }

func (s lateAnswer) Append(ctx context.Context, run string, b engine.Batch) error {
	if err := s.Store.Append(ctx, run, b); err != nil {
		return err
	}
	for {
		if h, _, err := s.Run(ctx, run); err != nil || rests(h.Status) {
			return err
		}
		if err := steps.Sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
}

// TestAWorkerGetsTheSecretsOfARunAtOnce tests that a worker which takes a run before its
// client knows that the run is stored gets the secrets of the run.
func TestAWorkerGetsTheSecretsOfARunAtOnce(t *testing.T) {
	s := newStage(t)
	var err error
	if s.Client, err = NewClient(t.Context(), lateAnswer{s.store("client")}, s.Kinds); err != nil {
		t.Fatal(err)
	}
	defer s.work("w")()
	h := s.begin(`{name: login, variables: {password: {type: string, secret: true}}, steps: [{id: a, tool_name: act, arguments: {name: "${{ inputs.password }}"}}]}`,
		func(r *engine.Request) { r.Secrets = map[string]string{"password": "swordfish"} })
	if h = s.rest(h.ID); h.Status != engine.Succeeded || s.did(h.ID) != "swordfish w" {
		t.Errorf("the run is %s (%+v, %+v) and did %q", h.Status, h.Error, h.Question, s.did(h.ID))
	}
}

// TestSecretsTravelSealed holds that a worker gets the secrets of a run from who
// began it, and that they are stored nowhere.
func TestSecretsTravelSealed(t *testing.T) {
	const secret = "correct-horse-battery"
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: login, variables: {password: {type: string, secret: true}}, steps: [{id: a, tool_name: act, arguments: {name: "${{ inputs.password }}"}}]}`,
		func(r *engine.Request) { r.Secrets = map[string]string{"password": secret} })
	if h = s.rest(h.ID); h.Status != engine.Succeeded || s.did(h.ID) != secret+" w" {
		t.Fatalf("the run is %s (%+v, %+v) and did %q", h.Status, h.Error, h.Question, s.did(h.ID))
	}
	for ev, err := range engine.History(t.Context(), s, h.ID) {
		if err != nil || strings.Contains(string(ev.Data), secret) {
			t.Errorf("event %s: %s, %v", ev.Type, ev.Data, err)
		}
	}
	_ = s.hub.Close()
	err := filepath.Walk(s.dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRemovingARun(t *testing.T) {
	s := newStage(t)
	h := s.begin(`{name: short, steps: [{id: a, tool_name: look, arguments: {name: a}}]}`, nil)
	if err := s.Remove(t.Context(), h.ID, true); steps.CodeOf(err) != steps.Busy {
		t.Errorf("a run that waits for a worker: %v", err)
	}
	defer s.work("w")()
	s.rest(h.ID)
	if err := s.Remove(t.Context(), h.ID, false); err == nil {
		t.Error("a client removed a run")
	}
	c, err := NewClient(t.Context(), s.store("admin"), s.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(t.Context(), h.ID, false); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), h.ID); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestABackupOfAFleet holds that a backup is a store of one machine with the same runs.
func TestABackupOfAFleet(t *testing.T) {
	s := newStage(t)
	defer s.work("w")()
	h := s.begin(`{name: two, steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: look, arguments: {name: b}}]}`, nil)
	s.rest(h.ID)
	dir := filepath.Join(t.TempDir(), "backup")
	if err := s.Backup(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), dir); err == nil {
		t.Error("a backup was written over another")
	}
	st, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if c, err := st.Check(t.Context()); err != nil || !c.Clean() || c.Runs != 1 {
		t.Errorf("the backup: %+v, %v", c, err)
	}
	there := &engine.Engine{Store: st, Files: st, Kinds: s.Kinds}
	for name, runs := range map[string]engine.Runs{"fleet": s.Client, "backup": there} {
		got, err := runs.Get(t.Context(), h.ID)
		events := 0
		for _, err := range engine.History(t.Context(), runs, h.ID) {
			if err != nil {
				t.Error(err)
			}
			events++
		}
		if err != nil || got.Status != engine.Succeeded || events != int(got.Seq) || events < 5 {
			t.Errorf("%s: run %s is %s with %d events, %v", name, h.ID, got.Status, events, err)
		}
	}
	if c, err := s.Check(t.Context()); err != nil || !c.Clean() || c.Runs != 1 {
		t.Errorf("the fleet: %+v, %v", c, err)
	}
	if _, err := s.Prune(t.Context(), engine.Retention{Count: 1}); err != nil {
		t.Errorf("pruning nothing: %v", err)
	}
}

// TestABackupIsPutIntoAnotherFleet holds that runs are in the fleet as they were, rest
// there, and can be resumed, however often that is done.
func TestABackupIsPutIntoAnotherFleet(t *testing.T) {
	s := newStage(t)
	end := s.work("w")
	done := s.begin(`{name: two, steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: look, arguments: {name: b}}]}`, nil).ID
	s.rest(done)
	end()
	waits := s.begin(`{name: waits, steps: [{id: a, tool_name: act, arguments: {name: late}}]}`, nil).ID
	dir := filepath.Join(t.TempDir(), "backup")
	if err := s.Backup(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	there := newStage(t)
	there.Kinds = worldKinds(there.world, "client")
	for _, want := range []Restored{{Runs: 2, Interrupted: 1}, {There: 2}} {
		got, err := there.Restore(t.Context(), dir)
		if err != nil || got.Runs > 0 && (got.Events < 6 || got.Files < 2) {
			t.Fatalf("%+v, %v", got, err)
		}
		if got.Events, got.Files = 0, 0; got != want {
			t.Errorf("restored %+v, wanted %+v", got, want)
		}
	}
	if c, err := there.Check(t.Context()); err != nil || !c.Clean() || c.Runs != 2 {
		t.Errorf("the fleet: %+v, %v", c, err)
	}
	defer there.work("x")()
	if h, err := there.Get(t.Context(), done); err != nil || h.Status != engine.Succeeded {
		t.Errorf("the run that had ended is %s, %v", h.Status, err)
	}
	if h, err := there.Get(t.Context(), waits); err != nil || h.Status != engine.Interrupted || h.ResumeFrom != "a" {
		t.Errorf("the run that had waited is %s, goes on at %q, %v", h.Status, h.ResumeFrom, err)
	}
	if _, err := there.Resume(t.Context(), waits, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h := there.rest(waits); h.Status != engine.Succeeded || there.did(waits) != "late x" {
		t.Errorf("it is %s (%+v) and did %q", h.Status, h.Error, there.did(waits))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the backup has %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(files[0], []byte(strings.ReplaceAll(string(raw), `"b"`, `"B"`)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := newStage(t).Restore(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "damaged") || got.Runs > 0 {
		t.Errorf("of a damaged backup %+v was restored, %v", got, err)
	}
}

func TestSingleStepsAreNotForAFleet(t *testing.T) {
	s := newStage(t)
	_, err := s.Start(t.Context(), engine.Request{Call: "act", Args: map[string]any{"name": "a"}})
	if steps.CodeOf(err) != steps.Unavailable {
		t.Errorf("a single step: %v", err)
	}
}
