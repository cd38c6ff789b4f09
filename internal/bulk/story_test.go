package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/audit"
	"understudy/internal/desktop"
	"understudy/internal/inbox"
	"understudy/internal/notify"
	"understudy/internal/operations"
	"understudy/internal/testing/mailbox"
	"understudy/steps"
	"understudy/store"
	"understudy/workflows"
)

// night is an engine over a real store. Its steps act in memory, and fail as the machine
// around them is.
type night struct {
	*engine.Engine
	t     *testing.T
	trail *audit.Trail

	mu    sync.Mutex
	acted map[string]int // by run and step
	fails map[string]string
}

type actArgs struct {
	Name string `json:"name" jsonschema:"what it is called"`
	Of   string `json:"of" jsonschema:"the run that it counts for"`
}

type actResult struct{}

func (n *night) act(_ context.Context, env *steps.Env, a actArgs) (actResult, error) {
	n.mu.Lock()
	why := n.fails[a.Name+" "+a.Of]
	n.mu.Unlock()
	if why != "" {
		return actResult{}, steps.Errorf(steps.Code(why), "%s does not go", a.Name)
	}
	return actResult{}, env.Act(func() error {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.acted[a.Of+" "+a.Name]++
		return nil
	})
}

// breaks has a step of a run fail with a code from now on, or with none succeed.
func (n *night) breaks(what string, why steps.Code) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fails[what] = string(why)
}

type noDesk struct{}

func (noDesk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(errors.New("no desktop in this test")), nil
}
func (noDesk) Drop(*desktop.Desktop) {}

func newNight(t *testing.T, told func(context.Context) notify.Config) (*night, *notify.Notifier) {
	st, err := store.Open(t.TempDir(), store.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	n := &night{t: t, trail: audit.New(t.TempDir()), acted: map[string]int{}, fails: map[string]string{}}
	var notifier *notify.Notifier
	n.Engine = &engine.Engine{
		Store: st, Files: st, Maintainer: st, Desk: noDesk{}, Lease: engine.Lease{Places: 3}, Log: slog.New(slog.DiscardHandler),
		Kinds: []steps.Kind{steps.Define(steps.Kind{Name: "act", Summary: "For tests.", Touches: steps.Act}, actArgs{}, n.act)},
		Observe: func(h engine.Header, ev engine.Event, fact any) {
			if a, ok := audit.Of(h, ev, fact); ok {
				n.trail.Keep(a, func(err error) { t.Error(err) })
			}
			if notifier != nil {
				notifier.Observe(h, ev)
			}
		},
	}
	if told != nil {
		notifier = notify.New(told(t.Context()), n.Engine, nil, slog.New(slog.DiscardHandler))
	}
	t.Cleanup(func() {
		_ = n.Shutdown(context.Background())
		n.trail.Close()
		_ = st.Close()
	})
	return n, notifier
}

const threeSteps = `
name: FLOW
labels: [LABEL]
durability: interval
steps:
  - {id: open, tool_name: act, arguments: {name: open, of: NAME}}
  - {id: save, tool_name: act, arguments: {name: save, of: NAME}}
  - {id: send, tool_name: act, arguments: {name: send, of: NAME}}
`

// begin starts a run of a workflow with three steps.
func (n *night) begin(workflow, name string, label string) string {
	n.t.Helper()
	doc := strings.NewReplacer("NAME", name, "FLOW", workflow, "LABEL", label).Replace(threeSteps)
	bundle, _, err := engine.Pack(workflows.Source{Name: workflow, Text: []byte(doc)}, n.Kinds, nil)
	if err != nil {
		n.t.Fatal(err)
	}
	h, err := n.Start(n.t.Context(), engine.Request{Bundle: bundle, Queue: true})
	if err != nil {
		n.t.Fatal(err)
	}
	return h.ID
}

func (n *night) caller() Caller {
	return Caller{
		Name: "ada", All: true, Runs: func(context.Context) (engine.Runs, error) { return n.Engine, nil },
		Do: func(ctx context.Context, runs engine.Runs, p Plan, i Item) error {
			return Do(ctx, runs, p, i, engine.ResumeRequest{By: "ada"})
		},
	}
}

// twice returns what acted more than once.
func (n *night) twice() (all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for what, times := range n.acted {
		if times > 1 {
			all = append(all, what)
		}
	}
	return all
}

// TestTheMorningAfter plays a night of 300 runs of six workflows on three desktops, of
// which 40 fail by three causes, and the morning of who is told of it.
func TestTheMorningAfter(t *testing.T) {
	post := mailbox.Serve(t)
	n, told := newNight(t, func(context.Context) notify.Config {
		ada := &notify.Receiver{On: []notify.Occasion{notify.Failed}, Mail: &notify.Mail{Server: post.Address, From: "robot@example.com", To: []string{"ada@example.com"}, Plain: true}}
		return notify.Config{Wait: operations.Period(time.Hour), PerHour: 30, Receivers: map[string]*notify.Receiver{"ada": ada}}
	})
	flows := []string{"invoice", "order", "report", "payroll", "stock", "letters"}
	runs := map[string]string{} // name → id
	for i := range 300 {
		name := fmt.Sprintf("r%03d", i)
		switch flow := i % 6; { // 25, 8 and 7 fail
		case flow == 0 && i < 150:
			n.breaks("open "+name, steps.Unavailable)
		case flow == 1 && i < 48:
			n.breaks("save "+name, steps.NotActionable)
		case flow == 2 && i < 42:
			n.breaks("send "+name, steps.Invalid)
		}
		runs[name] = n.begin(flows[i%6], name, "night")
	}
	for _, id := range runs {
		if _, err := n.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	told.Close()
	letters := map[string]bool{} // by their subjects
	for _, m := range post.Mails() {
		letters[m.Header(t, "Subject")] = true
	}
	src := inbox.Sources{Runs: n.Engine, Trail: n.trail}
	causes, err := src.Causes(t.Context(), time.Now())
	if err != nil || len(causes) != 3 {
		t.Fatalf("%d causes, %v", len(causes), err)
	}
	byFlow, needs := map[string]inbox.Cause{}, 0
	for _, c := range causes {
		byFlow[c.Workflow] = c
		needs += c.Count
		if subject := fmt.Sprintf("Understudy: failed: %s at %s (%d runs)", c.Workflow, c.Step, c.Count); !letters[subject] {
			t.Errorf("no mail %q: %v", subject, letters)
		}
	}
	if mails := post.Mails(); needs != 40 || len(mails) != 3 {
		t.Errorf("%d runs need somebody, by %d mails", needs, len(mails))
	}

	n.mu.Lock()
	for what := range n.fails { // the server of the invoices is back
		if strings.HasPrefix(what, "open ") {
			delete(n.fails, what)
		}
	}
	n.mu.Unlock()
	plans := Folder(t.TempDir())
	p, err := Make(t.Context(), plans, n.caller(), Plan{Act: Resume, Where: `status == "failed" && workflow == "invoice" && "night" in labels && started > "yesterday"`})
	if err != nil || len(p.Items) != 25 || len(p.Left) != 0 {
		t.Fatalf("the plan has %d runs and leaves out %d: %v", len(p.Items), len(p.Left), err)
	}
	if n.acted["r000 open"] != 0 {
		t.Error("the plan acted")
	}
	cut, cancel := context.WithCancel(t.Context()) // the operator closes the window on the way
	c := n.caller()
	c.Do = func(ctx context.Context, runs engine.Runs, p Plan, i Item) error {
		if i.Run == p.Items[7].Run {
			cancel()
		}
		return Do(ctx, runs, p, i, engine.ResumeRequest{By: "ada"})
	}
	if _, err := CarryOut(cut, plans, c, p.ID); !errors.Is(err, context.Canceled) {
		t.Errorf("cut short: %v", err)
	}
	for range 2 { // again, and once more for nothing
		out, err := CarryOut(t.Context(), plans, n.caller(), p.ID)
		if got := out.Value.(Progress); err != nil || got.Ended[engine.Succeeded] != 25 {
			t.Errorf("%s, %v", out.Text, err)
		}
	}

	taught := byFlow["order"].Entries[0].Run // a person closes the dialog and saves
	if _, err := n.TakeOver(t.Context(), taught, engine.Takeover{By: "ada"}); err != nil {
		t.Fatal(err)
	}
	if _, err := n.HandBack(t.Context(), taught, "ada"); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Resume(t.Context(), taught, engine.ResumeRequest{Decision: engine.DoneByHand, By: "ada", Queue: true}); err != nil {
		t.Fatal(err)
	}
	if h, err := n.Wait(t.Context(), taught); err != nil || h.Status != engine.Succeeded {
		t.Errorf("after the takeover: %s, %v", h.Status, err)
	}

	operate := inbox.Operations()[1]
	for _, flow := range []string{"order", "report"} {
		args, err := operate.Decode(fmt.Appendf(nil, `{"cause": %q, "reason": "of last month, and not needed any more"}`, byFlow[flow].ID))
		if err != nil {
			t.Fatal(err)
		}
		open := func(context.Context) (inbox.Sources, error) { return src, nil }
		if _, err := operate.Do(t.Context(), open, inbox.Caller{Name: "ada", All: true}, args); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := src.Causes(t.Context(), time.Now()); err != nil {
		t.Error(err)
	} else {
		for _, c := range left {
			if c.Trouble != inbox.Healed { // those that were resumed have failed on their way
				t.Errorf("left: %s at %s", c.Workflow, c.Step)
			}
		}
	}
	if twice := n.twice(); len(twice) > 0 {
		t.Errorf("acted twice: %v", twice)
	}
	n.trail.Close()
	counts := map[audit.Verb]int{}
	acts, err := n.trail.Acts("", func(audit.Act) bool { return true })
	for _, a := range acts {
		counts[a.Verb]++
	}
	if err != nil || counts[audit.Started] != 300 || counts[audit.Resumed] != 26 || counts[audit.TookOver] != 1 || counts[audit.Dismissed] != 14 {
		t.Errorf("the trail has %v, %v", counts, err)
	}
}

// TestWhatAPlanLeavesOut makes plans for runs in several states.
func TestWhatAPlanLeavesOut(t *testing.T) {
	n, _ := newNight(t, nil)
	n.breaks("save bad", steps.NotFound)
	good, bad := n.begin("w", "good", "a"), n.begin("w", "bad", "b")
	for _, id := range []string{good, bad} {
		if _, err := n.Wait(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		says string
		plan Plan
		do   []string
		left string
	}{
		{"what failed is resumed, what succeeded is not", Plan{Act: Resume, Where: `true`}, []string{bad}, "has succeeded"},
		{"what has ended is not stopped", Plan{Act: Stop, Where: `"a" in labels`}, nil, "has ended: succeeded"},
		{"all are forked from a step", Plan{Act: Fork, Where: `true`, From: "save"}, []string{bad, good}, ""},
		{"a step that the run lacks", Plan{Act: Fork, Where: `"a" in labels`, From: "sav"}, nil, "sav"},
		{"both are removed", Plan{Act: Remove, Where: `workflow == "w"`}, []string{bad, good}, ""},
	} {
		t.Run(row.says, func(t *testing.T) {
			p, err := Make(t.Context(), Folder(t.TempDir()), n.caller(), row.plan)
			if err != nil {
				t.Fatal(err)
			}
			var do, left []string
			for _, i := range p.Items {
				do = append(do, i.Run)
			}
			for _, l := range p.Left {
				left = append(left, l.Why)
			}
			if fmt.Sprint(do) != fmt.Sprint(row.do) || !strings.Contains(strings.Join(left, "; "), row.left) {
				t.Errorf("does %v, leaves out %v", do, left)
			}
		})
	}
	for says, p := range map[string]Plan{"no expression": {Act: Resume}, "another act": {Act: "pay", Where: "true"}, "a fork from nowhere": {Act: Fork, Where: "true"}, "too many at once": {Act: Stop, Where: "true", AtOnce: 1000}} {
		if _, err := Make(t.Context(), Folder(t.TempDir()), n.caller(), p); steps.CodeOf(err) != steps.Invalid {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// TestARunThatChangedIsLeftAlone carries out a plan after somebody else has resumed one of
// its runs.
func TestARunThatChangedIsLeftAlone(t *testing.T) {
	n, _ := newNight(t, nil)
	n.breaks("save bad", steps.NotFound)
	bad := n.begin("w", "bad", "b")
	if _, err := n.Wait(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	plans := Folder(t.TempDir())
	p, err := Make(t.Context(), plans, n.caller(), Plan{Act: Resume, Where: `true`})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Resume(t.Context(), bad, engine.ResumeRequest{Queue: true}); err != nil {
		t.Fatal(err)
	}
	before, err := n.Wait(t.Context(), bad)
	if err != nil {
		t.Fatal(err)
	}
	out, err := CarryOut(t.Context(), plans, n.caller(), p.ID)
	after, _ := n.Get(t.Context(), bad)
	if done, _ := out.Value.(Progress); err != nil || done.Count[Changed] != 1 || after.Attempt != before.Attempt || done.Items[0].State != Changed || !strings.Contains(out.Text, "left alone, because they changed since: "+bad) {
		t.Errorf("%s, %v; attempt %d after %d", out.Text, err, after.Attempt, before.Attempt)
	}
	other := n.caller()
	other.Owner, other.All = "bob", false
	for _, id := range []string{p.ID, "../" + p.ID, "", strings.Repeat("0", 26)} {
		if _, err := CarryOut(t.Context(), plans, other, id); steps.CodeOf(err) != steps.NotFound {
			t.Errorf("another's plan %q: %v", id, err)
		}
	}
}

// TestWhatEndedByItselfWasNotStopped looks at a run that a plan was to stop.
func TestWhatEndedByItselfWasNotStopped(t *testing.T) {
	i := Item{Attempt: 1, Seq: 3}
	for status, want := range map[engine.Status]ItemState{
		engine.Running: Open, engine.Waiting: Open, engine.Cancelled: Done, engine.Succeeded: Changed, engine.Failed: Changed, engine.Interrupted: Changed,
	} {
		if got := (Plan{Act: Stop}).stateOf(i, engine.Header{Status: status, Attempt: 1, Seq: 9}); got != want {
			t.Errorf("%s: %s, wanted %s", status, got, want)
		}
	}
}

// TestARunThatChangesMeanwhileIsLeftAlone has somebody else resume a run after a plan has
// read its state, and before it acts.
func TestARunThatChangesMeanwhileIsLeftAlone(t *testing.T) {
	for _, act := range []Act{Resume, Fork} {
		t.Run(string(act), func(t *testing.T) {
			n, _ := newNight(t, nil)
			n.breaks("send bad", steps.NotFound)
			bad := n.begin("w", "bad", "b")
			if _, err := n.Wait(t.Context(), bad); err != nil {
				t.Fatal(err)
			}
			plans := Folder(t.TempDir())
			p, err := Make(t.Context(), plans, n.caller(), Plan{Act: act, Where: `true`, From: "save"})
			if err != nil {
				t.Fatal(err)
			}
			c := n.caller()
			c.Do = func(ctx context.Context, runs engine.Runs, p Plan, i Item) error {
				if _, err := n.Resume(ctx, bad, engine.ResumeRequest{Queue: true}); err != nil {
					return err
				}
				if _, err := n.Wait(ctx, bad); err != nil {
					return err
				}
				return Do(ctx, runs, p, i, engine.ResumeRequest{By: "ada"})
			}
			out, err := CarryOut(t.Context(), plans, c, p.ID)
			after, _ := n.Get(t.Context(), bad)
			if err != nil || out.Value.(Progress).Count[Changed] != 1 || after.Attempt != 2 {
				t.Errorf("%s, %v; attempt %d", out.Text, err, after.Attempt)
			}
			if twice := n.twice(); len(twice) > 0 {
				t.Errorf("acted twice: %v", twice)
			}
		})
	}
}
