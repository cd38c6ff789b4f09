package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// ResumeRequest describes how a run continues.
type ResumeRequest struct {
	From     string            `json:"from,omitempty"` // id or path of a step
	Inputs   map[string]any    `json:"inputs,omitempty"`
	Secrets  map[string]string `json:"secrets,omitempty"`
	Decision string            `json:"decision,omitempty"` // for a doubtful step: redo or skip; for any step: done
	Bundle   *Bundle           `json:"bundle,omitempty"`   // a replacement for the document
	Force    bool              `json:"force,omitempty"`    // accept a document in which executed steps differ
	Queue    bool              `json:"queue,omitempty"`
	Environ  []string          `json:"environ,omitempty"`
	By       string            `json:"by,omitempty"`
	Owner    string            `json:"owner,omitempty"`   // of the new run of a Fork
	Within   *Bounds           `json:"within,omitempty"`  // nil: the folders of the run stay as they are
	Mandate  *Mandate          `json:"mandate,omitempty"` // of the caller, in a fleet; nil: unchanged
	// Key is from NewKey, or empty. A repeated request with the same key has no
	// further effect. It becomes the id of the new run of a Fork.
	Key string `json:"key,omitempty"`
	// Seq is the number of events that the run must have, so that nothing happens to one
	// that has changed since it was looked at; 0: any number.
	Seq uint64 `json:"seq,omitempty"`

	// Auto marks a resumption that nobody asked for. It requires that the document
	// allows it and that the run was interrupted.
	Auto bool `json:"auto,omitempty"`

	caller *Caller
	lost   bool // the run continues on a new desktop, because its own is gone
}

// Resume continues a run that has ended, from the first step that did not succeed or
// from the given step.
func (e *Engine) Resume(ctx context.Context, id string, r ResumeRequest) (Header, error) {
	return e.once(ctx, id, r.Key, func() (Header, error) { return e.resume(ctx, id, r) })
}

func (e *Engine) resume(ctx context.Context, id string, r ResumeRequest) (Header, error) {
	w, err := e.reviveAt(ctx, id, r)
	if err != nil {
		return Header{}, err
	}
	w.header.Key = r.Key
	if err := resumable(w, r); err != nil {
		return Header{}, err
	}
	if err := w.checkAuto(r); err != nil {
		return Header{}, err
	}
	if err := w.refuseBusy(r.Queue); err != nil {
		return Header{}, err
	}
	if r, err = w.backOnDesktop(ctx, r); err != nil {
		return Header{}, err
	}
	ev, err := w.resumption(ctx, r)
	if err != nil {
		return Header{}, err
	}
	w.header.EndedAt, w.may.actor, w.may.caller = time.Time{}, r.By, cmp.Or(r.caller, w.may.caller)
	w.replaceEnviron(r.Environ)
	if r.Auto {
		w.keepStopping()
	}
	return e.launchAfter(w, EvResumed, ev)
}

func resumable(w *worker, r ResumeRequest) error {
	if w.s.Status == Succeeded && r.From == "" {
		return steps.Errorf(steps.Invalid, "run %s has succeeded: there is nothing to resume", w.id).
			WithNext("name the step to begin again at with --from STEP")
	}
	if w.s.Status == Waiting && w.s.Question != nil && w.s.Question.Sort == AskUser && r.From == "" {
		return steps.Errorf(steps.Invalid, "run %s waits for an answer: %s", w.id, w.s.Question.Text).WithNext("answer it instead of resuming")
	}
	return nil
}

// revive returns a worker for a run that is to continue; nobody has its desktop.
func (e *Engine) revive(ctx context.Context, id string, other *Bundle, force bool) (*worker, error) {
	if err := e.refuseHeld(ctx, id); err != nil {
		return nil, err
	}
	return e.load(ctx, id, other, force)
}

// reviveAt is revive for a run that must not have changed since it was looked at. What is
// stored after that is refused if anything else was stored in between.
func (e *Engine) reviveAt(ctx context.Context, id string, r ResumeRequest) (*worker, error) {
	w, err := e.revive(ctx, id, r.Bundle, r.Force)
	if err == nil && r.Seq > 0 && w.s.Seq != r.Seq {
		return nil, steps.Errorf(steps.Busy, "run %s has changed: it has %d events, and had %d", id, w.s.Seq, r.Seq).WithNext("look at it again")
	}
	return w, err
}

// load returns a worker for a run that is not being executed, with the state that its
// events add up to.
func (e *Engine) load(ctx context.Context, id string, other *Bundle, force bool) (*worker, error) {
	if !e.isAtRest(ctx, id) {
		return nil, steps.Errorf(steps.Busy, "run %s is being executed", id).WithNext("wait for it, or stop it first")
	}
	h, snap, err := e.Store.Run(ctx, id)
	if err != nil {
		return nil, noRun(id, err)
	}
	s, err := fold(ctx, e.Store, id, snap)
	if err != nil {
		return nil, err
	}
	kept := e.Unstored(id)
	p, bundle, err := e.programOf(ctx, &s, kept.Secrets)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", id, err)
	}
	w := newWorker(e, id, p)
	if other != nil {
		if err := w.replaceDocument(ctx, other, force); err != nil {
			return nil, err
		}
		bundle = *other
	}
	w.may.mandate = s.mandate(h.StartedAt)
	w.on.Store(s.Desktop)
	w.located.Store(s.Desktop != nil)
	w.bundle, w.s, w.header, w.base, w.stored, w.snapped = bundle, s, h, s.Attempt, s.Seq, s.Seq
	if h.Status == Queued {
		w.waits = s.wants()
	}
	maps.Copy(w.secrets, kept.Secrets)
	w.environ, w.may.caller = kept.Environ, kept.caller
	return w, nil
}

func (e *Engine) programOf(ctx context.Context, s *State, known secrets) (*workflows.Program, Bundle, error) {
	var b Bundle
	if s.Created.Call == "" {
		raw, err := e.Files.Get(ctx, Documents, s.Created.Document)
		if err == nil {
			err = json.Unmarshal(raw, &b)
		}
		if err != nil {
			return nil, b, err
		}
	}
	args, _ := resolve(s.Created.Args, known.value).(map[string]any)
	p, err := b.program(e.Kinds, s.Created.Call, args)
	return p, b, err
}

func (v *evaluator) resumption(ctx context.Context, r ResumeRequest) (Resumed, error) {
	ev := Resumed{Decision: r.Decision, By: r.By, Within: r.Within, Mandate: r.Mandate, Lost: r.lost, Auto: r.Auto}
	if r.Decision != "" && r.Decision != Redo && r.Decision != SkipStep && r.Decision != DoneByHand {
		return ev, steps.Errorf(steps.Invalid, "invalid decision %q: wanted %s, %s or %s", r.Decision, Redo, SkipStep, DoneByHand)
	}
	if err := v.replaceInputs(&ev, r); err != nil {
		return ev, err
	}
	if r.Bundle != nil {
		hash, err := r.Bundle.keep(ctx, v.e.Files)
		if err != nil {
			return ev, err
		}
		ev.Document = hash
	}
	f, err := v.startFrom(ctx, &ev, r.From)
	if err == nil && f != nil && r.Decision == DoneByHand {
		var n *workflows.Node
		if n, err = v.layout.node(f); err == nil {
			ev.ID, ev.Done = n.ID, &f.Next
		}
	}
	return ev, err
}

// startFrom sets where an attempt starts, and returns the frame of the step that it begins
// with; nil: no step is left.
func (v *evaluator) startFrom(ctx context.Context, ev *Resumed, from string) (*Frame, error) {
	if from == "" {
		n, f := resumeNode(&v.s, v.layout)
		if n != nil {
			ev.ID = n.ID
			_, f = upcoming(n, f, v.layout)
		}
		return f, v.checkPlace()
	}
	base, path, err := v.lastStart(ctx, from)
	if err != nil {
		return nil, err
	}
	if ev.Base = base; base > 0 {
		earlier, err := foldTo(ctx, v.e.Store, v.id, base)
		if err != nil {
			return nil, err
		}
		v.s = v.s.goBack(earlier)
		f := *v.s.top()
		f.Next, _ = strconv.Atoi(path[strings.LastIndexAny(path, "./")+1:]) // never fails: the path is that of a node
		return &f, nil
	}
	ev.From = from
	if ev.Frames, err = v.layout.startAt(from); err != nil {
		return nil, err
	}
	return &ev.Frames[len(ev.Frames)-1], nil
}

// checkPlace returns an error if the lists in which the run stands are not in its document,
// which may have replaced another one.
func (j *journal) checkPlace() error {
	for _, f := range j.s.resumeFrames() {
		if j.layout.lists[f.List] == nil {
			return steps.Errorf(steps.Invalid, "the run stopped at step %s, and the new document has no list of steps there", pathOf(&f)).
				WithNext("name the step to begin again at with --from STEP")
		}
	}
	return nil
}

func (v *evaluator) replaceInputs(ev *Resumed, r ResumeRequest) error {
	ev.Inputs = map[string]any{}
	for _, x := range v.program.Variables {
		if given, ok := r.Secrets[x.Name]; ok && x.Secret {
			v.secrets[x.Name], ev.Inputs[x.Name] = given, reference(x.Name)
		}
	}
	if len(r.Inputs) == 0 {
		return nil
	}
	all := maps.Clone(v.reveal(v.s.Scopes[1].Inputs))
	for _, name := range v.lacks() { // the run asks for them
		delete(all, name)
	}
	maps.Copy(all, r.Inputs)
	checked, err := v.accept(all, r.Secrets)
	if err != nil {
		return err
	}
	for name := range r.Inputs {
		ev.Inputs[name] = checked[name]
	}
	return nil
}

// lastStart returns the number of the event before the last start of a step, and the path of
// the step; 0: the step was never reached.
func (j *journal) lastStart(ctx context.Context, step string) (base uint64, path string, err error) {
	_, ours := j.program.Node(step) // preferred to a step with the same id in a called workflow
	last := map[string]Event{}      // by path
	for ev, err := range j.e.Store.Events(ctx, j.id, 1) {
		if err != nil {
			return 0, "", err
		}
		n := j.layout.nodeAt(ev.Path)
		if n == nil {
			continue
		}
		meant := ev.Path == step || n.ID == step && !(ours && called(ev.Path))
		if meant && begins(ev, n, last[ev.Path]) {
			base, path = ev.Seq-1, ev.Path
		}
		last[ev.Path] = ev
	}
	return base, path, nil
}

func called(path string) bool { return strings.Contains(path, "/") }

// begins reports whether an event is the first of an execution of a node.
func begins(ev Event, n *workflows.Node, last Event) bool {
	is := func(p Purpose) bool { return evaluates(ev, p) }
	switch {
	case n.If != nil:
		return is(TheIf)
	case n.Type == workflows.ForeachNode:
		return is(TheList)
	case n.Type == workflows.CallNode:
		return is(TheInputs)
	case n.Type == workflows.WhileNode:
		return is(TheWhile) && last.Type != EvLeft
	case n.Type == workflows.GroupNode:
		return ev.Type == EvEntered
	case is(TheBefore), is(TheArguments) && last.Type != EvWaited, ev.Type == EvAsked && n.Kind.Asks:
		return true
	}
	st, err := factOf[Started](ev)
	return err == nil && ev.Type == EvStarted && st.Try == 1 && !evaluates(last, TheBefore)
}

func evaluates(ev Event, p Purpose) bool {
	e, err := factOf[Evaluated](ev)
	return ev.Type == EvEvaluated && err == nil && e.Purpose == p
}

// Answer answers the question of a waiting run.
type Answer struct {
	Value   any               `json:"value,omitempty"`
	Choice  string            `json:"choice,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"`
	By      string            `json:"by,omitempty"`
	Within  *Bounds           `json:"within,omitempty"`  // as in ResumeRequest
	Mandate *Mandate          `json:"mandate,omitempty"` // as in ResumeRequest
	Environ []string          `json:"environ,omitempty"`
	Key     string            `json:"key,omitempty"` // as in ResumeRequest

	caller *Caller
}

// Answer continues a waiting run.
func (e *Engine) Answer(ctx context.Context, id string, a Answer) (Header, error) {
	return e.once(ctx, id, a.Key, func() (Header, error) { return e.answer(ctx, id, a) })
}

func (e *Engine) answer(ctx context.Context, id string, a Answer) (Header, error) {
	w, err := e.revive(ctx, id, nil, false)
	if err != nil {
		return Header{}, err
	}
	w.header.Key = a.Key
	if w.s.Status != Waiting || w.s.Question == nil {
		return Header{}, steps.Errorf(steps.Invalid, "run %s is not waiting for an answer: it is %s", id, e.present(w.header).Status)
	}
	if err := checkAnswer(w.s.Question, a, w.secrets.maskTexts(a.Value)); err != nil {
		return Header{}, err
	}
	if err := w.refuseGone(ctx); err != nil {
		return Header{}, err
	}
	maps.Copy(w.secrets, a.Secrets)
	w.may.actor, w.may.caller = a.By, cmp.Or(a.caller, w.may.caller)
	w.replaceEnviron(a.Environ)
	return e.launchAfter(w, EvAnswered, Answered{Value: w.secrets.mask(a.Value), Choice: a.Choice, By: a.By, Within: a.Within, Mandate: a.Mandate})
}

// checkAnswer checks an answer. The choices of a question are masked, so that a secret
// among them is given as it was shown, or as it is.
func checkAnswer(q *Question, a Answer, masked any) error {
	switch q.Sort {
	case AskDoubt:
		if a.Choice != Redo && a.Choice != SkipStep {
			return steps.Errorf(steps.Invalid, "invalid answer %q: choose %s (repeat the step) or %s (skip it)", a.Choice, Redo, SkipStep)
		}
	case AskSecret:
		if len(a.Secrets) == 0 {
			return steps.Errorf(steps.Invalid, "the run needs the secret %s", join(q.Choices))
		}
	case AskUser:
		if a.Value == nil {
			return steps.Errorf(steps.Invalid, "the run is waiting for an answer to: %s", q.Text)
		}
		if _, object := a.Value.(map[string]any); q.Fields != nil && !object {
			return steps.Errorf(steps.Invalid, "the run needs several values: give one object with %s", join(slices.Sorted(maps.Keys(q.Fields))))
		}
		if len(q.Choices) > 0 && !slices.Contains(q.Choices, fmt.Sprint(a.Value)) && !slices.Contains(q.Choices, fmt.Sprint(masked)) {
			return steps.Errorf(steps.Invalid, "the answer %q is not one of the choices: %s", fmt.Sprint(masked), join(q.Choices))
		}
	}
	return nil
}

// Continue continues a paused run.
func (e *Engine) Continue(ctx context.Context, id string) (Header, error) {
	return e.proceed(ctx, id, nil)
}

func (e *Engine) proceed(ctx context.Context, id string, by *Caller) (Header, error) {
	w, err := e.revive(ctx, id, nil, false)
	if err != nil {
		return Header{}, err
	}
	if w.s.Status != Paused {
		return Header{}, steps.Errorf(steps.Invalid, "run %s is not paused: it is %s", id, e.present(w.header).Status)
	}
	if err := w.refuseGone(ctx); err != nil {
		return Header{}, err
	}
	w.may.caller = cmp.Or(by, w.may.caller)
	return e.launchAfter(w, EvContinued, struct{}{})
}

// Fork starts a new run of a run's document, with the state that the run had before a
// step; empty: where the run would be resumed.
func (e *Engine) Fork(ctx context.Context, id, from string, r ResumeRequest) (Header, error) {
	return e.once(ctx, "", r.Key, func() (Header, error) { return e.fork(ctx, id, from, r) })
}

func (e *Engine) fork(ctx context.Context, id, from string, r ResumeRequest) (Header, error) {
	old, err := e.reviveAt(ctx, id, r)
	if err != nil {
		return Header{}, err
	}
	if err := old.refuseBusy(r.Queue); err != nil {
		return Header{}, err
	}
	r.From = from
	if err := resumable(old, r); err != nil {
		return Header{}, err
	}
	if r, err = old.backOnDesktop(ctx, r); err != nil {
		return Header{}, err
	}
	ev, err := old.resumption(ctx, r)
	if err != nil {
		return Header{}, err
	}
	if err := old.record(EvResumed, "", ev); err != nil { // in memory only: the new run begins as the old one would continue
		return Header{}, err
	}
	created := old.s.Created
	created.Owner, created.Client, created.Rights, created.Server = r.Owner, cmp.Or(r.By, created.Client), nil, "" // the new run belongs to the caller
	if m := r.Mandate; m != nil {
		created.Rights, created.Server = m.Rights, m.Server
	}
	created.Parent, created.Start, created.Scope = id, keep(old.s.Frames), *old.s.Scopes[1]
	if len(old.s.Scopes) > 1 {
		return Header{}, steps.Errorf(steps.Invalid, "a run cannot be forked inside a called workflow: fork at the step that calls it")
	}
	created.Scope.Finally, created.Scope.FinallyError = "", nil
	w := newWorker(e, cmp.Or(r.Key, NewKey()), old.program)
	w.bundle, w.secrets, w.environ, w.may.caller = old.bundle, old.secrets, r.Environ, r.caller
	w.header = Header{ID: w.id, StartedAt: time.Now().UTC(), Call: created.Call, Reads: readsOnly(w.program)}
	if err := w.record(EvCreated, "", created); err != nil {
		return Header{}, err
	}
	if on := old.on.Load(); on != nil { // it continues on the desktop of its parent
		w.on.Store(on)
		if err := w.record(EvLocated, "", *on); err != nil {
			return Header{}, err
		}
	}
	return e.launch(w)
}

func (w *worker) replaceEnviron(environ []string) {
	if environ != nil {
		w.environ = environ
	}
}
