package engine

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/steps"
)

var cutDocuments = flag.Uint64("cut-documents", 10, "how many documents are cut short everywhere")

// operator continues a run that was cut short or stopped, and answers
// truthfully whether a step in doubt has acted.
type operator struct {
	*stage
	*rand.Rand // how: an answer, a resumption, or one that says nothing
}

// see continues a run until it ends.
func (o operator) see(id string) Header {
	o.t.Helper()
	for range 50 {
		if h, over, err := o.proceed(id); err != nil {
			o.t.Fatal(err)
		} else if over {
			return h
		}
	}
	o.t.Fatalf("run %s does not end: %s", id, o.types(id))
	return Header{}
}

// proceed continues a run once, and says whether there was nothing to do.
func (o operator) proceed(id string) (h Header, over bool, err error) {
	o.t.Helper()
	if h, err = o.Get(o.t.Context(), id); err != nil {
		return h, false, err
	}
	switch h.Status {
	case Interrupted, Cancelled:
		_, err = o.Resume(o.t.Context(), id, ResumeRequest{})
	case Waiting:
		err = o.decide(id)
	default:
		return h, true, nil
	}
	if err == nil {
		o.rest(id)
	}
	return h, false, err
}

// decide answers what a waiting run asks, in one of the ways there are.
func (o operator) decide(id string) (err error) {
	switch o.IntN(4) {
	case 0: // without a decision it goes on waiting
		_, err = o.Resume(o.t.Context(), id, ResumeRequest{})
	case 1:
		_, err = o.Resume(o.t.Context(), id, ResumeRequest{Decision: o.choose(id)})
	default:
		_, err = o.Answer(o.t.Context(), id, Answer{Choice: o.choose(id)})
	}
	return err
}

// past is what the events of a run say of its acts.
type past struct {
	name, kind string         // of the step that was started last
	settled    map[string]int // acts that were reported, or left out by decision, by name
	left       []string       // the ids of the steps that were left out by decision
}

func (o operator) past(id string) past {
	p, asked := past{settled: map[string]int{}}, ""
	for ev := range o.store.Events(o.t.Context(), id, 1) {
		switch ev.Type {
		case EvStarted:
			st, _ := factOf[Started](ev)
			args, _ := st.Args.(map[string]any)
			p.name, _ = args["name"].(string)
			p.kind = st.Kind
		case EvEnded:
			if e, _ := factOf[Ended](ev); e.Outcome.Acted == steps.ActedYes {
				p.settled[p.name]++
			}
		case EvAsked:
			q, _ := factOf[Question](ev)
			asked = q.ID
		case EvAnswered:
			if a, _ := factOf[Answered](ev); a.Choice == SkipStep {
				p.settled[p.name]++
				p.left = append(p.left, asked)
			}
		case EvResumed:
			if r, _ := factOf[Resumed](ev); r.Decision == SkipStep {
				p.settled[p.name]++
				p.left = append(p.left, r.ID)
			}
		}
	}
	return p
}

// choose says whether the step in doubt has acted.
func (o operator) choose(id string) string {
	p, acted := o.past(id), 0
	for x := range strings.FieldsSeq(o.did()) {
		if x == p.name {
			acted++
		}
	}
	if p.kind == "set" || acted <= p.settled[p.name] {
		return Redo
	}
	return SkipStep
}

// cutDown makes the power go off at the nth batch: before it is stored, or
// after that and before anything else.
func (s *stage) cutDown(n int, stored bool) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	count := 0
	s.store.fail = func(Batch) error {
		count++
		if count > n || count == n && !stored {
			return errCut
		}
		if count == n {
			s.mu.Lock()
			s.down = true
			s.mu.Unlock()
		}
		return nil
	}
}

// acts is how often each step that must not be repeated acted, without those
// that each attempt may do again.
func (s *stage) acts(d *genDoc, failed bool) map[string]int {
	again := repeatable{}
	again.document(d, false, failed)
	out := map[string]int{}
	for name := range strings.FieldsSeq(s.did()) {
		step, _, _ := strings.Cut(name, "-")
		if may, known := again[step]; known && !may {
			out[name]++
		}
	}
	return out
}

// repeatable says of each act whether a resumption may do it again.
type repeatable map[string]bool

// document looks at a document that each attempt does again, or does not. Where
// it failed, a resumption goes on at what failed, and so comes to its
// troubleshooting and finally once more; of a called one, that may be so in
// any run, for its failure can be tolerated.
func (x repeatable) document(d *genDoc, may, failed bool) {
	x.list(d.steps, may)
	x.list(d.trouble, may || failed)
	x.list(d.finally, may || failed)
}

func (x repeatable) list(nodes []*genNode, may bool) {
	for _, n := range nodes {
		here := may || n.cond.always()
		switch n.sort {
		case "step":
			x[n.act] = here || n.kind != "act"
		case "call":
			x.document(n.called, here, true)
		}
		x.list(n.nodes, here)
	}
}

// TestCut holds that a run that is cut short at any batch, once and up to
// twice more as it goes on, and resumed by an operator who tells the truth,
// ends as one that went straight through: with the same statuses, env and
// output, and no act done twice.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		everyDocument(t, *cutDocuments, func(p *played) {
			for cut := 1; cut <= p.straight.store.batches; cut++ {
				for _, stored := range []bool{false, true} {
					runs++
					if !p.cut(t, cut, stored) {
						t.Fatalf("document %d, cut at batch %d of %d (stored: %v)", p.seed, cut, p.straight.store.batches, stored)
					}
				}
			}
		})
		if runs < 100 {
			t.Errorf("only %d runs were cut", runs)
		}
	})
}

// TestStopAndGoOn holds the same of a run that is stopped before any effect:
// what a stop ends, a resumption takes up where it was.
func TestStopAndGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		everyDocument(t, *cutDocuments, func(p *played) {
			for at := 1; at <= p.effects; at++ {
				runs++
				if !p.stop(t, at) {
					t.Fatalf("document %d, stopped before effect %d of %d", p.seed, at, p.effects)
				}
			}
		})
		if runs < 100 {
			t.Errorf("only %d runs were stopped", runs)
		}
	})
}

// played is a document that was made up, and how it goes straight through.
type played struct {
	seed     uint64
	g        *generator
	d        *genDoc
	straight *stage
	effects  int
	want     story
}

func everyDocument(t *testing.T, n uint64, look func(p *played)) {
	for seed := range n {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), steady: true}
		d := g.make(false)
		if m := (&model{root: d}); m.tell().Code == steps.LoopLimit || m.bounded {
			continue // an attempt has a bound of its own
		}
		p := &played{seed: seed, g: g, d: d, straight: newStage(t)}
		r, err := p.straight.bring(g, d)
		if err != nil {
			continue
		}
		p.straight.beforeEffect = func(*worker) { p.effects++ }
		p.want = p.straight.heard(p.straight.play(r))
		look(p)
	}
}

// cut cuts a run short, and lets it go on until it ends.
func (p *played) cut(t *testing.T, at int, stored bool) bool {
	s, r := p.begin(t)
	s.cutDown(at, stored)
	h, err := s.Start(t.Context(), r)
	if err == nil {
		s.rest(h.ID)
	}
	s.mend()
	s.Engine.every = 7
	id := s.newest()
	if id == "" {
		return true // the power went off before anything was stored
	}
	o := operator{s, rand.New(rand.NewPCG(p.seed, uint64(at)))}
	for range o.IntN(3) { // the power goes off once more
		s.cutDown(1+o.IntN(4), o.IntN(2) == 0)
		_, _, _ = o.proceed(id)
		s.mend()
		s.Engine.every = 7
	}
	return p.same(o, o.see(id))
}

// stop stops a run before an effect, and lets it go on until it ends.
func (p *played) stop(t *testing.T, at int) bool {
	s, r := p.begin(t)
	count := 0
	s.beforeEffect = func(w *worker) {
		if count++; count == at {
			w.stops.interrupt(ByUser, "enough")
		}
	}
	h := s.play(r)
	s.beforeEffect = nil
	if h.Status == Failed { // it was failing already, and the stop kept it from what follows a failure
		h = s.resume(h.ID, ResumeRequest{})
	}
	o := operator{s, rand.New(rand.NewPCG(p.seed, uint64(at)))}
	return p.same(o, o.see(h.ID))
}

func (p *played) begin(t *testing.T) (*stage, Request) {
	s := newStage(t)
	s.Engine.every = 7
	r, err := s.bring(p.g, p.d)
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

// same says whether a run that did not go straight through ended as if it had.
func (p *played) same(o operator, h Header) bool {
	s, want, got := o.stage, p.want, o.heard(h)
	left := o.past(h.ID).left
	for _, x := range []*story{&want, &got} {
		x.Did, x.Errors, x.Executed = "", 0, 0 // of all attempts
		x.Steps = plainly(x.Steps, left)
		if s.stoppedOnce(h.ID) { // its finally followed a stop, and then what the straight one followed
			withoutSteps(x.Steps, p.d.finally)
		}
	}
	ok := true
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		s.t.Errorf("it does not end (+) as straight through (-):\n%s", diff)
		ok = false
	}
	again := want.Status != Succeeded || s.stoppedOnce(h.ID)
	if diff := cmp.Diff(p.straight.acts(p.d, again), s.acts(p.d, again), cmpopts.EquateEmpty()); diff != "" {
		s.t.Errorf("it does not act (+) as straight through (-):\n%s", diff)
		ok = false
	}
	s.foldsAgree(h.ID)
	ok = s.reportIsTrue(h.ID) && ok
	if !ok {
		s.t.Logf("%s\nstraight: %s\nnot straight: %s\n%s", p.d.everything(p.g), p.straight.did(), s.did(), s.types(h.ID))
	}
	return ok
}

// stoppedOnce says whether a run was stopped, so that an attempt ended with
// its finally.
func (s *stage) stoppedOnce(id string) bool { return strings.Contains(s.types(id), string(EvStopping)) }

// reportIsTrue holds that each step that is reported to have acted did.
func (s *stage) reportIsTrue(id string) bool {
	did, said := map[string]int{}, map[string]int{}
	for name := range strings.FieldsSeq(s.did()) {
		did[name]++
	}
	name := ""
	for ev := range s.store.Events(s.t.Context(), id, 1) {
		if st, err := factOf[Started](ev); ev.Type == EvStarted && err == nil {
			args, _ := st.Args.(map[string]any)
			name, _ = args["name"].(string)
		}
		if e, err := factOf[Ended](ev); ev.Type == EvEnded && err == nil && e.Outcome.Acted == steps.ActedYes {
			if said[name]++; said[name] > did[name] {
				s.t.Errorf("event %d says that %s acted, and it did not", ev.Seq, name)
				return false
			}
		}
	}
	return true
}

// plainly are statuses without what another attempt or a decision changes.
func plainly(all map[string]seen, decided []string) map[string]seen {
	out := map[string]seen{}
	for id, x := range all {
		if slices.Contains(decided, id) {
			x = seen{Status: Success}
		}
		x.Attempts = 0
		if x.Status == Skipped && slices.Contains(decided, id) {
			x.Status = Success
		}
		out[id] = x
	}
	return out
}

// withoutSteps forgets what came of the steps of a list.
func withoutSteps(all map[string]seen, nodes []*genNode) {
	for _, n := range nodes {
		delete(all, n.id)
		withoutSteps(all, n.nodes)
		withoutSteps(all, n.before)
	}
}

// foldsAgree holds that a snapshot and the first event lead to one state.
func (s *stage) foldsAgree(id string) {
	s.t.Helper()
	_, snap, err := s.store.Run(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	short, err := fold(s.t.Context(), s.store, id, snap)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(written(s.t, s.state(id)), written(s.t, short)); diff != "" {
		s.t.Fatalf("from the snapshot (+) the state is not that from the start (-):\n%s", diff)
	}
}

func written(t *testing.T, s State) string {
	t.Helper()
	raw, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestFoldIsLive holds that the events that are stored add up to the state
// that the worker has, at every batch.
func TestFoldIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(60) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 3))}
			d := g.make(false)
			s := newStage(t)
			r, err := s.bring(g, d)
			if err != nil {
				continue
			}
			s.store.after = func(run string, _ Batch) {
				w := s.workers.of(run)
				if w == nil {
					return
				}
				if diff := cmp.Diff(written(t, w.s), written(t, s.state(run))); diff != "" {
					t.Fatalf("document %d: the events add up to (+), the worker has (-):\n%s", seed, diff)
				}
			}
			s.play(r)
		}
	})
}
