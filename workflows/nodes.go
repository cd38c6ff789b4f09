package workflows

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows/dialect"
	"understudy/workflows/expression"
)

// Bounds of a document that sets none.
const (
	defaultRounds     = 1000 // of a while
	defaultAttempts   = 3    // of a retry
	defaultRetryDelay = 500 * time.Millisecond
)

// nodes compiles a list of steps. Their paths begin with prefix.
func (u *unit) nodes(list []*step, prefix string, s *scope) []*Node {
	if len(list) == 0 {
		return nil
	}
	nodes := make([]*Node, 0, len(list))
	for i, x := range list {
		nodes = append(nodes, u.node(x, prefix+strconv.Itoa(i), s))
	}
	return nodes
}

func (u *unit) node(x *step, path string, s *scope) *Node {
	n := &Node{
		Path: path, ID: x.ID.str(), Line: x.at.line, Digest: digest(x.at),
		If:              u.expr(x.If, s),
		Timeout:         x.Timeout.duration(),
		Fallback:        x.Fallback.str(),
		ContinueOnError: x.Continue.truthOr(false),
		Note:            note(x.Note),
	}
	for _, j := range x.Jumps {
		n.Jumps = append(n.Jumps, Jump{If: u.expr(j.If, s), To: j.To.str(), Reason: j.Reason.str()})
	}
	switch x.form() {
	case "step":
		u.stepNode(n, x, s)
	case "group":
		n.Type, n.GroupName = GroupNode, x.GroupName.str()
		n.Retry, n.Delay = u.retry(x, path, s), x.Delay.duration()
		n.Steps = u.nodes(x.Steps, path+".", s)
	case "foreach":
		u.foreachNode(n, x, s)
	case "while":
		s = u.scope(append(slices.Clip(s.loops), expression.Loop{}))
		n.Type, n.While, n.Max = WhileNode, u.expr(x.While, s), int(min(x.Max.numberOr(defaultRounds), 1e9))
		n.Steps = u.nodes(x.Steps, path+".", s)
	case "workflow":
		u.callNode(n, x, s)
	}
	if n.ID != "" && u.program.ids[n.ID] == nil {
		u.program.ids[n.ID] = n
	}
	return n
}

func (u *unit) stepNode(n *Node, x *step, s *scope) {
	n.Type = StepNode
	n.Kind = u.kind(x.ToolName)
	n.Args = u.arguments(x, n.Kind, s)
	n.Retry = u.retry(x, n.Path, s)
	n.Delay = x.Delay.duration()
	n.Expect = u.expr(x.Expect, s)
	if n.Effect = u.effect(x.Effect, s); n.Effect != nil {
		n.Watched, n.Effect.Since = true, n
	}
	n.Idempotent = x.Idem.truthOr(false)
	n.OnInterrupt = Interrupt(x.Interrupt.str())
	n.Screenshots = Policy(x.Pictures.str())
}

// effect compiles the change of a text.
func (u *unit) effect(x *textEdit, s *scope) *TextEdit {
	if x == nil {
		return nil
	}
	e := &TextEdit{Inserted: &Template{constant{""}}, Deleted: int(x.Deleted.numberOr(0)), At: x.At.str()}
	if x.Inserted != nil {
		e.Inserted = &Template{u.part(x.Inserted, &jsonschema.Schema{Type: "string"}, "inserted", s)}
	}
	return e
}

// since finds the earlier steps from whose beginning on effects count.
func (u *unit) since() {
	for _, t := range u.targets.all {
		if t.step.Effect == nil || t.step.Effect.Since == nil {
			continue
		}
		name, n := t.step.Effect.Since, u.program.ids[t.step.ID.str()]
		from := u.program.ids[name.text]
		if n == nil || n.Effect == nil || from == nil {
			u.report.add(name.position, "give the step an id, and name an earlier step on the same field", "the effect counts from the step %q, which is not there", words.Shorten(name.text, 60))
			continue
		}
		from.Watched, n.Effect.Since = true, from
	}
}

// reservedNames are names that a loop cannot give to its element.
var reservedNames = []string{"inputs", "env", "selectors", "steps", "run", "index", "true", "false", "nil"}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (u *unit) foreachNode(n *Node, x *step, s *scope) {
	n.Type = ForeachNode
	n.Each = &Template{u.each(x.Foreach, s)}
	n.As = cmp.Or(x.As.str(), "item")
	if !identifier.MatchString(n.As) || slices.Contains(reservedNames, n.As) {
		u.report.add(x.As.position, "use a word such as item", "%q cannot be the name of an element", words.Shorten(n.As, 60))
		n.As = "item"
	}
	loop := expression.Loop{As: n.As, Element: u.element(x.Foreach)}
	n.Steps = u.nodes(x.Steps, n.Path+".", u.scope(append(slices.Clip(s.loops), loop)))
}

func note(v *value) string {
	switch {
	case v == nil || v.sort == sortNull:
		return ""
	case v.sort == sortText:
		return v.text
	}
	return encode(v.plain())
}

// retry compiles retry, or its short form retries.
func (u *unit) retry(x *step, path string, s *scope) Retry {
	if x.Retry != nil && x.Retries != nil {
		u.report.add(x.at.at([]string{"retries"}, true), "leave out one of the two", "the step has both retry and retries")
	}
	y := x.Retry
	if y == nil {
		return Retry{Attempts: int(x.Retries.numberOr(0)) + 1, Delay: defaultRetryDelay, Backoff: 1}
	}
	r := Retry{
		Attempts: int(y.Attempts.numberOr(defaultAttempts)), Delay: defaultRetryDelay, Backoff: y.Backoff.numberOr(1),
		MaxDelay: y.MaxDelay.duration(), Jitter: y.Jitter.numberOr(0), On: y.On.codes(), NotOn: y.NotOn.codes(),
		Before: u.nodes(y.Before, path+".before.", s),
	}
	if y.Delay != nil {
		r.Delay = y.Delay.duration()
	}
	y.check(r, u.report)
	return r
}

func (y *retry) check(r Retry, to *report) {
	if r.MaxDelay > 0 && r.MaxDelay < r.Delay {
		to.add(y.MaxDelay.position, "", "max_delay %s is shorter than delay %s", r.MaxDelay, r.Delay)
	}
	for _, c := range r.On {
		if slices.Contains(r.NotOn, c) {
			to.add(y.NotOn.position, "leave it out of one of the two", "%s is in both on and not_on", c)
		}
	}
	if y.Attempts != nil && r.Attempts == 1 && len(r.Before) > 0 {
		to.add(y.at.at([]string{"before"}, true), "set attempts to 2 or more", "with one attempt there is no next one to do steps before")
	}
}

func (u *unit) kind(name *value) *steps.Kind {
	if name == nil {
		return nil
	}
	if k := u.kinds[name.str()]; k != nil {
		return k
	}
	if row, ok := dialect.Find(dialect.Tool, "", name.str()); ok && row.Refused {
		u.report.add(name.position, row.Why, "%s is no kind of step here", name.str())
		return nil
	}
	u.report.add(name.position, cmp.Or(u.report.nearest(name.str(), steps.Names(u.options.Kinds)), "list them with: understudy tools"), "there is no kind of step called %q", words.Shorten(name.str(), 60))
	return nil
}

// digest returns a hash of what a step does: of its text without the steps inside
// it and without what only people read. Two steps with one digest do the same.
func digest(v *value) string {
	m, ok := v.plain().(map[string]any)
	if !ok {
		return ""
	}
	for _, inner := range []string{"steps", "group_name", "note", "screenshots"} {
		delete(m, inner)
	}
	if r, ok := m["retry"].(map[string]any); ok {
		delete(r, "before")
	}
	sum := sha256.Sum256([]byte(encode(m)))
	return hex.EncodeToString(sum[:8])
}
