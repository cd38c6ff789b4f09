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

// operator continues a run that was cut short, and answers truthfully whether
// a step in doubt has acted.
type operator struct{ *stage }

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
	case Interrupted:
		_, err = o.Resume(o.t.Context(), id, ResumeRequest{})
	case Waiting:
		_, err = o.Answer(o.t.Context(), id, Answer{Choice: o.choose(id)})
	default:
		return h, true, nil
	}
	if err == nil {
		o.rest(id)
	}
	return h, false, err
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
func (s *stage) acts(d *genDoc, g *generator, failed bool) map[string]int {
	again := map[string]bool{}
	for _, x := range append([]*genDoc{d}, g.calls...) {
		repeated(x.steps, false, again)
		// a called document that failed is cut short in its finally: it goes
		// on at what failed, as a run does
		repeated(x.trouble, failed || x != d, again)
		repeated(x.finally, failed || x != d, again)
	}
	out := map[string]int{}
	for name := range strings.FieldsSeq(s.did()) {
		step, _, _ := strings.Cut(name, "-")
		if may, known := again[step]; known && !may && (!failed || !again["calls"]) {
			out[name]++
		}
	}
	return out
}

// repeated says of each step whether a resumption may do it again.
func repeated(nodes []*genNode, may bool, out map[string]bool) {
	for _, n := range nodes {
		here := may || n.cond.always()
		out["calls"] = out["calls"] || n.sort == "call"
		if n.sort == "step" {
			out[n.act] = here || n.kind != "act"
		}
		repeated(n.nodes, here, out)
	}
}

// TestCut holds that a run that is cut short at any batch, and resumed by an
// operator who tells the truth, ends as one that went straight through: with
// the same statuses, env and output, and no act done twice.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		for seed := range *cutDocuments {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), steady: true}
			d := g.make(false)
			if m := (&model{root: d}); m.tell().Code == steps.LoopLimit || m.bounded {
				continue // an attempt has a bound of its own
			}
			straight := newStage(t)
			r, err := straight.bring(g, d)
			if err != nil {
				continue
			}
			h := straight.play(r)
			want := straight.heard(h)
			batches := straight.store.batches
			for cut := 1; cut <= batches; cut++ {
				for _, stored := range []bool{false, true} {
					again := (cut + int(seed)) % 4 // how far the next attempt comes before it is cut short too
					runs++
					if !cutOnce(t, g, d, cut, again, stored, want, straight) {
						t.Fatalf("document %d, cut at batch %d of %d, then at %d (stored: %v)", seed, cut, batches, again, stored)
					}
				}
			}
		}
		if runs < 100 {
			t.Errorf("only %d runs were cut", runs)
		}
	})
}

func cutOnce(t *testing.T, g *generator, d *genDoc, cut, again int, stored bool, want story, straight *stage) bool {
	s := newStage(t)
	s.Engine.every = 7
	r, err := s.bring(g, d)
	if err != nil {
		t.Fatal(err)
	}
	s.cutDown(cut, stored)
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
	o := operator{s}
	if again > 0 {
		s.cutDown(again, stored)
		_, _, _ = o.proceed(id) // the power goes off once more
		s.mend()
		s.Engine.every = 7
	}
	h = o.see(id)
	got := s.heard(h)
	failed, left := want.Status != Succeeded, o.past(id).left
	for _, x := range []*story{&want, &got} {
		x.Did, x.Errors, x.Executed = "", 0, 0 // of all attempts
		x.Steps = plainly(x.Steps, left)
	}
	ok := true
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("cut short (+), it does not end as straight through (-):\n%s", diff)
		ok = false
	}
	if diff := cmp.Diff(straight.acts(d, g, failed), s.acts(d, g, failed), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("cut short (+), it does not act as straight through (-):\n%s", diff)
		ok = false
	}
	s.foldsAgree(id)
	ok = s.reportIsTrue(id) && ok
	if !ok {
		t.Logf("%s\nstraight: %s\ncut: %s\n%s", d.everything(g), straight.did(), s.did(), s.types(id))
	}
	return ok
}

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
				w := s.at(run)
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
