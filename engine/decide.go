package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// effect is what the engine does next: one of the types below.
type effect any

// record stores a fact that follows from the state.
type record struct {
	typ  EventType
	path string
	data any
}

// evaluate evaluates an expression of a node or of a document.
type evaluate struct {
	purpose Purpose
	path    string
	index   int
	node    *workflows.Node // nil for an expression of the document
	doc     *workflows.Program
	jump    int
	round   int // of a while
}

type start struct {
	path  string
	index int
	node  *workflows.Node
	try   int
}

type wait struct {
	path string
	why  string
	node *workflows.Node
	try  int
}

type ask struct {
	path  string
	index int
	node  *workflows.Node
	sort  string
}

type finish struct {
	status Status
	err    *ErrorRecord
}

// decide returns the next effect. It is pure: no clock, no store, no desktop.
func decide(l *layout, s *State) effect {
	f := s.top()
	d := decider{l, s, f, l.lists[f.List]}
	if s.Stop != nil {
		if e := d.unwind(); e != nil {
			return e
		}
	}
	if f.Scope != 0 {
		c := s.Scopes[f.Scope]
		if c.Selectors == nil && f.Failure == nil {
			return evaluate{purpose: TheSelectors, doc: d.list.program}
		}
		if c.Finally == Done {
			return d.leave()
		}
	}
	if f.Cur != nil && f.Cur.Settled == "" && f.Next < len(d.list.nodes) {
		if e := d.step(d.list.nodes[f.Next]); e != nil {
			return e
		}
	}
	return d.next()
}

// decider holds what the rules of decide look at.
type decider struct {
	l    *layout
	s    *State
	f    *Frame
	list *list
}

func (d decider) path(i int) string { return d.f.Base + strconv.Itoa(i) }

// unwind ends the lists of a run that is to stop, the innermost first, so that the
// finally of each document is still executed.
func (d decider) unwind() effect {
	s := d.s
	if s.Stop.Abort || s.Stop.Cause == ByShutdown {
		return d.finish()
	}
	if s.finishing() {
		return nil
	}
	i := s.document()
	if i < len(s.Frames)-1 {
		return record{EvUnwound, "", Unwound{Depth: i + 1}}
	}
	if len(d.list.program.Finally) > 0 && s.scope().Finally == "" {
		return d.enterFinally()
	}
	if i == 0 {
		return d.finish()
	}
	return record{EvUnwound, "", Unwound{Depth: i}}
}

// next continues with the first node after the cursor that is to be executed.
func (d decider) next() effect {
	f, i := d.f, d.f.Next
	ending := f.Ending || f.Sort == FinallyFrame && f.Failure != nil // finally exceeded its limits
	if f.Cur != nil {
		ending = ending || d.isLast(i)
		i++
	}
	ending = ending || d.isBeyond(i)
	for ; !ending && i < len(d.list.nodes) && !d.isBeyond(i); i++ {
		n := d.list.nodes[i]
		if f.Failure == nil || n.If != nil && n.If.Always() {
			return d.begin(n, i)
		}
	}
	return d.endOfList(ending)
}

// isLast reports whether the run is to end at node i of the list.
func (d decider) isLast(i int) bool {
	to := d.s.Created.To
	return to != "" && i < len(d.list.nodes) && d.list.nodes[i].ID == to && d.list.program == d.l.lists[bodyKey].program
}

// isBeyond reports whether node i of the list stands behind the last one of the run,
// where only a jump can lead.
func (d decider) isBeyond(i int) bool {
	if d.s.Created.To == "" || d.list.program != d.l.lists[bodyKey].program {
		return false
	}
	last, ok := d.list.ids[d.s.Created.To]
	return ok && i > last
}

func (d decider) begin(n *workflows.Node, i int) effect {
	if e := d.bound(n, i); e != nil {
		return e
	}
	if n.If != nil {
		return evaluate{purpose: TheIf, path: d.path(i), index: i, node: n}
	}
	return d.enter(n, i, nil)
}

// bound stops what has used up its step executions: the run, or a finally list, which
// has a budget of its own.
func (d decider) bound(n *workflows.Node, i int) effect {
	limit, used, finally := d.l.lists[bodyKey].program.Options.MaxSteps, d.s.Budget, d.s.finally()
	if finally >= 0 {
		used -= d.s.Frames[finally].Spent
	}
	if used < limit {
		return nil
	}
	e := ErrorRecord{
		Code: steps.LoopLimit, Step: name(n, d.path(i)),
		Message: fmt.Sprintf("%d steps were executed, the limit of this workflow", limit),
		Next:    "look for an endless loop of jumps, or raise max_steps",
	}
	if finally >= 0 {
		return record{EvExpired, d.path(i), Expired{Depth: finally + 1, Error: e}}
	}
	return record{EvStopping, d.path(i), Stopping{Cause: ByLoopLimit, Error: e}}
}

// enter executes a node whose condition holds. The execution is nil if the node has
// not been begun.
func (d decider) enter(n *workflows.Node, i int, c *Step) effect {
	path := d.path(i)
	switch n.Type {
	case workflows.GroupNode:
		return d.enterList(n, i, d.group(i))
	case workflows.ForeachNode:
		return evaluate{purpose: TheList, path: path, index: i, node: n}
	case workflows.WhileNode:
		e := evaluate{purpose: TheWhile, path: path, index: i, node: n}
		if c != nil {
			e.round = c.Round
		}
		return e
	case workflows.CallNode:
		return evaluate{purpose: TheInputs, path: path, index: i, node: n}
	}
	if n.Kind.Asks {
		return ask{path, i, n, AskUser}
	}
	if n.Expect != nil && !n.Repeatable() && (c == nil || c.Held == nil) {
		return evaluate{purpose: TheBefore, path: path, index: i, node: n}
	}
	return start{path, i, n, 1}
}

func (d decider) group(i int) Frame {
	return Frame{List: childKey(d.f.List, i), Sort: GroupFrame, Base: d.path(i) + "."}
}

// another begins a further try of a step, or of a group from its start.
func (d decider) another(n *workflows.Node, i int) effect {
	if n.Type != workflows.GroupNode {
		return start{d.path(i), i, n, d.f.Cur.Tries + 1}
	}
	f := d.group(i)
	f.Limit = n.Timeout
	return record{EvEntered, d.path(i), Entered{Index: i, ID: n.ID, Frame: f, Clear: f.List}}
}

func (d decider) tooManyRounds(n *workflows.Node, i int) effect {
	return record{EvEnded, d.path(i), Ended{Index: i, ID: n.ID, Outcome: Outcome{Status: Errored, Error: &ErrorRecord{
		Code: steps.LoopLimit, Step: name(n, d.path(i)),
		Message: fmt.Sprintf("the loop ran %d times and its condition is still true", n.Max),
		Next:    "check what should make the condition false, or raise max",
	}}}}
}

func (d decider) enterList(n *workflows.Node, i int, f Frame) effect {
	f.Limit = n.Timeout
	e := Entered{Index: i, ID: n.ID, Frame: f}
	if f.Sort == LoopFrame {
		e.Clear = f.List
	}
	return record{EvEntered, d.path(i), e}
}

func (d decider) enterRound(n *workflows.Node) effect {
	i, c := d.f.Next, d.f.Cur
	path := d.path(i)
	if n.Type == workflows.CallNode {
		f := Frame{List: callKey(d.f.List, i) + bodyKey, Sort: BodyFrame, Base: path + "/", Limit: n.Timeout}
		return record{EvEntered, path, Entered{Index: i, ID: n.ID, Frame: f, Scope: newScope(n.Call, c.Inputs)}}
	}
	if n.Type == workflows.WhileNode && c.Round-c.First >= n.Max {
		return d.tooManyRounds(n, i)
	}
	round := &LoopRound{As: n.As, Index: c.Round}
	if c.Items != nil {
		round.Value = c.Items[c.Round]
	}
	return d.enterList(n, i, Frame{
		List: childKey(d.f.List, i), Sort: LoopFrame, Base: fmt.Sprintf("%s[%d].", path, c.Round), Loop: round,
	})
}

// newScope returns the initial scope of a document: env starts as a copy of the
// inputs.
func newScope(p *workflows.Program, inputs map[string]any) *Scope {
	c := &Scope{Inputs: inputs, Env: maps.Clone(inputs)}
	if p.Selectors == nil {
		c.Selectors = map[string]any{}
	} else if v, ok := p.Selectors.Constant(); ok {
		c.Selectors, _ = v.(map[string]any)
	}
	return c
}

// step returns the next effect for the node under the cursor; nil: the node is done.
func (d decider) step(n *workflows.Node) effect {
	c, i := d.f.Cur, d.f.Next
	switch c.Phase {
	case ready:
		return d.enter(n, i, c)
	case inside:
		if n.Type == workflows.GroupNode {
			return d.enter(n, i, c)
		}
		return d.enterRound(n)
	case ended:
		if n.Proven() && c.Outcome.Error == nil {
			return evaluate{purpose: TheExpect, path: d.path(i), index: i, node: n}
		}
		return d.concluded(n)
	case checked:
		return d.concluded(n)
	case again:
		if len(n.Retry.Before) > 0 {
			f := Frame{List: beforeKey(d.f.List, i), Sort: BeforeFrame, Base: d.path(i) + ".before."}
			return record{EvEntered, d.path(i), Entered{Index: i, ID: n.ID, Frame: f}}
		}
		return d.another(n, i)
	case anew:
		return d.another(n, i)
	case due:
		return wait{d.path(i), "retry", n, c.Tries}
	case doubt:
		return d.doubtful(n)
	case asking:
		if n.Kind != nil && n.Kind.Asks {
			return ask{d.path(i), i, n, AskUser}
		}
		return ask{d.path(i), i, n, AskDoubt}
	}
	return nil
}

// doubtful decides about a step that was interrupted, or failed, after it may have
// acted. Such a step is never silently repeated.
func (d decider) doubtful(n *workflows.Node) effect {
	c, path, i := d.f.Cur, d.path(d.f.Next), d.f.Next
	switch {
	case n.OnInterrupt == workflows.Skip:
		return record{EvSkipped, path, SkippedStep{Index: i, ID: n.ID, Why: "on_interrupt"}}
	case n.OnInterrupt == workflows.AskIt:
		return ask{path, i, n, AskDoubt}
	case n.Repeatable():
		return record{EvCleared, path, Cleared{Why: "repeating it does no harm"}}
	case n.Expect != nil && c.Held != nil && !*c.Held:
		return evaluate{purpose: TheRecheck, path: path, index: i, node: n}
	}
	return ask{path, i, n, AskDoubt}
}

// concluded returns what follows from the outcome of a node.
func (d decider) concluded(n *workflows.Node) effect {
	c := d.f.Cur
	if c.Outcome.Error == nil {
		return d.succeeded(n)
	}
	return d.failed(n, c)
}

func (d decider) succeeded(n *workflows.Node) effect {
	c, i := d.f.Cur, d.f.Next
	if c.Outcome.Status == Skipped && c.Tries == 0 {
		return nil // its condition did not hold; a step that was tried and then skipped by decision counts as done
	}
	if n.Delay > 0 && !c.Rested {
		return wait{d.path(i), "delay", n, 0}
	}
	if d.listFails() || d.f.Ending || d.isLast(i) && !d.s.Created.JumpsAtEnd {
		return nil
	}
	if c.Taken {
		return d.move("jump", n.Jumps[c.Jump].To, n.Jumps[c.Jump].Reason)
	}
	if c.Jump < len(n.Jumps) {
		return evaluate{purpose: TheJump, path: d.path(i), index: i, node: n, jump: c.Jump}
	}
	return nil
}

// neverRetried are the failures that a retry cannot mend.
var neverRetried = []steps.Code{steps.Denied, steps.Cancelled, steps.LoopLimit}

func (d decider) failed(n *workflows.Node, c *Step) effect {
	e, i := *c.Outcome.Error, d.f.Next
	if c.Tries > 0 && c.Tries < n.Retry.Attempts && n.Retry.Retries(e.Code) && !slices.Contains(neverRetried, e.Code) {
		if n.Type == workflows.GroupNode { // decided before the pause, so that a resume begins the group anew
			return record{EvWaited, d.path(i), Waited{Why: forGroup}}
		}
		return wait{d.path(i), "retry", n, c.Tries}
	}
	if n.Fallback != "" && d.s.Created.Fallbacks && !d.listFails() {
		return d.move("fallback", n.Fallback, e.Message)
	}
	how := Failing
	if n.ContinueOnError || !d.list.program.Options.StopOnError {
		how = Tolerated
	}
	return record{EvSettled, d.path(i), Settled{How: how, Error: e}}
}

// listFails reports whether the list has failed, or one around it within the same
// document or finally.
func (d decider) listFails() bool {
	return failureIn(d.s.Frames[max(d.s.document(), d.s.finally()):]) != nil
}

// move jumps to a step: in one of the lists being executed, else in troubleshooting.
func (d decider) move(why, to, reason string) effect {
	m := Moved{Why: why, To: to, Reason: reason}
	path := d.path(d.f.Next)
	for i := len(d.s.Frames) - 1; i >= 0; i-- {
		f := d.s.Frames[i]
		if at, ok := d.l.lists[f.List].ids[to]; ok {
			m.Depth, m.Index = i+1, at
			return record{EvMoved, path, m}
		}
		if f.Sort == FinallyFrame {
			break
		}
		if f.Scope == 0 {
			continue
		}
		key := documentKey(f.List) + troubleKey
		if at, ok := d.l.lists[key].ids[to]; ok {
			if why == "jump" && d.endsBefore(key) {
				return d.endOfList(true)
			}
			m.Depth, m.Index = len(d.s.Frames), at
			m.Frame = &Frame{List: key, Sort: TroubleFrame, Base: f.Base + "troubleshooting."}
			return record{EvMoved, path, m}
		}
		break
	}
	return record{EvSettled, path, Settled{How: Failing, Error: ErrorRecord{
		Code: steps.Invalid, Message: fmt.Sprintf("the step %q cannot be reached from here", to),
	}}}
}

// endsBefore reports whether the run is to end before the steps of a list: in the steps,
// when these are the troubleshooting.
func (d decider) endsBefore(trouble string) bool {
	_, ok := d.l.lists[bodyKey].ids[d.s.Created.To]
	return ok && trouble == troubleKey
}

// finallyLimit is how long a finally list may take.
const finallyLimit = 30 * time.Second

func (d decider) enterFinally() effect {
	f := Frame{
		List: documentKey(d.f.List) + finallyKey, Sort: FinallyFrame, Base: d.f.Base + "finally.", Limit: finallyLimit,
		Spent: d.s.Budget,
	}
	return record{EvEntered, f.Base[:len(f.Base)-1], Entered{Index: d.f.Next, Frame: f}}
}

// endOfList ends a list. A document first evaluates its output and executes finally.
func (d decider) endOfList(ending bool) effect {
	if d.f.Scope == 0 {
		return d.leaveList(ending)
	}
	p, c := d.list.program, d.s.Scopes[d.f.Scope]
	if d.f.Failure == nil && p.Output != nil && !c.HasOutput && !ending {
		return evaluate{purpose: TheOutput, path: strings.TrimSuffix(d.f.Base, "/"), doc: p}
	}
	if len(p.Finally) > 0 && c.Finally == "" {
		return d.enterFinally()
	}
	return d.leave()
}

func (d decider) leave() effect {
	if len(d.s.Frames) == 1 {
		return d.finish()
	}
	parent, path := d.parent()
	return record{EvLeft, path, Left{ID: parent.ID, Result: d.s.Scopes[d.f.Scope].Output}}
}

func (d decider) leaveList(ending bool) effect {
	parent, path := d.parent()
	l := Left{Ending: ending, Lost: d.f.Lost}
	if d.f.Sort == GroupFrame || d.f.Sort == LoopFrame {
		l.ID = parent.ID
	}
	return record{EvLeft, path, l}
}

// parent returns the node that owns the list, and its path.
func (d decider) parent() (*workflows.Node, string) {
	p := &d.s.Frames[len(d.s.Frames)-2]
	n, err := d.l.node(p)
	if err != nil { // finally of a document whose steps are all done
		n = &workflows.Node{}
	}
	return n, p.Base + strconv.Itoa(p.Next)
}

// finish returns how the attempt ends. A stop changes the result only if it prevented
// something: it hides no earlier failure, and a stop that arrives when only finally
// is left, and lets it finish, changes nothing.
func (d decider) finish() effect {
	s := d.s
	root := s.Frames[0]
	switch {
	case s.Stop != nil && s.Stop.Cause == ByShutdown:
		return finish{Interrupted, &s.Stop.Error}
	case root.Failure != nil:
		return finish{Failed, &root.Failure.Error}
	case s.Stop == nil || s.Stop.Late && !s.Stop.Abort:
	case s.Stop.Cause == ByTimeout || s.Stop.Cause == ByLoopLimit || s.Stop.Cause == BySpace:
		return finish{Failed, &s.Stop.Error}
	default:
		return finish{Cancelled, &s.Stop.Error}
	}
	if e := s.Scopes[1].FinallyError; e != nil {
		return finish{Failed, e}
	}
	return finish{Succeeded, nil}
}

// name returns how messages refer to a step: by its id, else by its path.
func name(n *workflows.Node, path string) string {
	if n != nil && n.ID != "" {
		return n.ID
	}
	return path
}

func pathOf(f *Frame) string { return f.Base + strconv.Itoa(f.Next) }
