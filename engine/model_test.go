package engine

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"understudy/steps"
	"understudy/workflows"
)

// model is a slow and obvious interpreter of generated documents. It shares
// nothing with the engine: it walks the tree by recursion, keeps no events,
// and knows only the few conditions that the generator writes. What the engine
// does must be what it does.
type model struct {
	root      *genDoc
	journal   []string
	tries     map[string]int
	errors    int
	executed  int
	budget    int
	bounded   bool  // any bound was passed
	limited   bool  // the bound of step executions was passed
	finally   []int // the budget that was used before each finally list
	fallbacks bool
}

// seen is what is known of a step with an id.
type seen struct {
	Status   string
	Code     string
	Attempts int
	Result   any
}

// scene is one document while it is executed.
type scene struct {
	m      *model
	doc    *genDoc
	env    map[string]int
	seen   map[string]seen
	levels []*level
	spent  bool  // the bound of the finally list around it was passed
	rounds []int // of the loops around, the innermost last
}

// level is one list while it is executed.
type level struct {
	sort    string
	nodes   []*genNode
	failure steps.Code
}

// flow is how a node or a list ended.
type flow struct {
	how  string // "" (went on), failing, lost, jump, ending, limit
	code steps.Code
	to   *level // of a jump
	at   int
}

func (m *model) run() (status Status, code steps.Code, c *scene) {
	m.tries = map[string]int{}
	m.fallbacks = m.root.endAt == ""
	c = m.scene(m.root, m.root.start)
	_, code = c.document(m.root.startFrom)
	switch {
	case code != "":
		return Failed, code, c
	case m.limited:
		return Failed, steps.LoopLimit, c
	}
	return Succeeded, "", c
}

func (m *model) scene(d *genDoc, n int) *scene {
	return &scene{m: m, doc: d, env: map[string]int{"n": n}, seen: map[string]seen{}}
}

// document executes a document and gives its output and the code that it
// failed with. One that ends before its last step has no output.
func (c *scene) document(from string) (output any, code steps.Code) {
	body := &level{sort: "body", nodes: c.doc.steps}
	c.levels = []*level{body}
	out := c.beginAt(body, from)
	if out.how == "" {
		output = map[string]any{"n": float64(c.env["n"])}
	}
	code = out.code
	switch out.how {
	case "spent":
		c.spent = true
		return nil, code
	case "limit":
		code = body.failure // of before, which the limit does not hide
	}
	if len(c.doc.finally) > 0 {
		c.m.finally = append(c.m.finally, c.m.budget)
		l := &level{sort: "finally", nodes: c.doc.finally}
		final := c.list(l, 0)
		if l.failure != "" { // the first failure stays
			final.code = l.failure
		}
		c.m.budget = c.m.finally[len(c.m.finally)-1]
		c.m.finally = c.m.finally[:len(c.m.finally)-1]
		if code == "" && out.how != "limit" {
			code = final.code
		}
	}
	return output, code
}

// beginAt executes the steps from one with an id on, which may stand in a
// group or in troubleshooting.
func (c *scene) beginAt(body *level, from string) flow {
	if from == "" {
		return c.nodes(body, 0, nil)
	}
	if at := index(c.doc.trouble, from); at >= 0 {
		r := c.troubleshoot(at, "")
		return c.nodes(body, -1, &r)
	}
	if at := index(body.nodes, from); at >= 0 {
		return c.nodes(body, at, nil)
	}
	for i, n := range body.nodes {
		if at := index(n.nodes, from); n.sort == "group" && at >= 0 {
			r := c.group(n, at)
			return c.nodes(body, i, &r)
		}
	}
	panic("no step " + from)
}

// list executes a list on top of those that are executed.
func (c *scene) list(l *level, at int) flow {
	c.levels = append(c.levels, l)
	depth := len(c.levels)
	defer func() { c.levels = c.levels[:depth-1] }()
	return c.nodes(l, at, nil)
}

// nodes executes the nodes of a list from one on, of which it may be known
// already how it ended.
func (c *scene) nodes(l *level, at int, begun *flow) flow {
	lost := false
	for i := at; i < len(l.nodes); i++ {
		if c.isBeyond(l, i) {
			if l.failure == "" {
				return flow{how: "ending"}
			}
			break
		}
		if begun == nil && l.failure != "" && l.sort != "finally" && !l.nodes[i].cond.always() {
			continue
		}
		r := c.nodeAt(l, i, begun)
		begun = nil
		switch r.how {
		case "limit", "spent", "ending":
			return r
		case "jump":
			if r.to != l {
				return r
			}
			if i = r.at - 1; l.sort != "finally" { // a failure in finally stays one
				l.failure, lost = "", false
			}
			continue
		case "failing", "lost":
			if l.failure == "" {
				l.failure = r.code
			}
			lost = lost || r.how == "lost"
		}
		if i < 0 || !c.isLast(l.nodes[i]) {
			continue
		}
		if l.failure == "" {
			return flow{how: "ending"}
		}
		break
	}
	switch {
	case lost:
		return flow{how: "lost", code: l.failure}
	case l.failure != "":
		return flow{how: "failing", code: l.failure}
	}
	return flow{}
}

func (c *scene) nodeAt(l *level, i int, begun *flow) flow {
	if begun != nil {
		return *begun
	}
	switch n := len(c.m.finally); {
	case n == 0 && c.m.budget >= c.m.root.maxSteps:
		c.m.limited, c.m.bounded = true, true
		return flow{how: "limit"}
	case n > 0 && c.m.budget-c.m.finally[n-1] >= c.m.root.maxSteps:
		c.m.bounded = true
		return flow{how: "spent", code: steps.LoopLimit}
	}
	return c.node(l.nodes[i])
}

func (c *scene) isLast(n *genNode) bool {
	return c.m.root == c.doc && c.doc.endAt != "" && n.id == c.doc.endAt
}

// isBeyond says whether a node stands behind the last one of the run, in the same list.
func (c *scene) isBeyond(l *level, i int) bool {
	if c.m.root != c.doc || c.doc.endAt == "" {
		return false
	}
	last := index(l.nodes, c.doc.endAt)
	return last >= 0 && i > last
}

// fails says whether a list fails, up to the document or its finally.
func (c *scene) fails() bool {
	for _, l := range slices.Backward(c.levels) {
		if l.sort == "finally" {
			return false
		}
		if l.failure != "" {
			return true
		}
	}
	return false
}

// failing is what failure() says.
func (c *scene) failing() bool {
	if c.m.limited {
		return true
	}
	return slices.ContainsFunc(c.levels, func(l *level) bool { return l.sort != "finally" && l.failure != "" })
}

func (c *scene) publish(n *genNode, s seen) {
	if n.id != "" {
		c.seen[n.id] = s
	}
}

func (c *scene) node(n *genNode) flow {
	if !n.cond.holds(c) {
		c.publish(n, seen{Status: Skipped})
		return flow{}
	}
	switch n.sort {
	case "group":
		return c.group(n, 0)
	case "foreach", "while":
		return c.loop(n)
	case "call":
		return c.call(n)
	}
	return c.step(n)
}

// group executes a group, the first time from a node on.
func (c *scene) group(n *genNode, at int) flow {
	for try := 1; ; try, at = try+1, 0 {
		if try > 1 {
			c.forget(n.nodes)
		}
		r := c.list(&level{sort: "group", nodes: n.nodes}, at)
		if r.how != "failing" || try >= n.attempts || slices.Contains(n.notOn, string(r.code)) {
			return c.conclude(n, r, try)
		}
		c.publish(n, seen{Status: Errored, Code: string(r.code), Attempts: try})
		if stop := c.before(n, r.code); stop != nil {
			return *stop
		}
	}
}

// before executes what stands before a retry, and returns how it ended unless it went
// well.
func (c *scene) before(n *genNode, code steps.Code) *flow {
	if len(n.before) == 0 {
		return nil
	}
	r := c.list(&level{sort: "before", nodes: n.before}, 0)
	switch r.how {
	case "limit", "spent":
		return &r
	case "failing", "lost":
		r = c.failed(n, code)
		return &r
	}
	return nil
}

// conclude says what a group that is over means for its list.
func (c *scene) conclude(n *genNode, r flow, tries int) flow {
	switch r.how {
	case "jump", "limit", "spent":
		return r
	case "ending":
		c.publish(n, seen{Status: Success, Attempts: tries})
		return r
	case "lost":
		c.publish(n, seen{Status: Errored, Code: string(r.code), Attempts: tries})
		return r
	case "failing":
		c.publish(n, seen{Status: Errored, Code: string(r.code), Attempts: tries})
		return c.failed(n, r.code)
	}
	c.publish(n, seen{Status: Success, Attempts: tries})
	return c.succeeded(n)
}

func (c *scene) loop(n *genNode) flow {
	for round := 0; ; round++ {
		if n.sort == "foreach" && round == n.rounds || n.sort == "while" && !n.while.holds(c) {
			c.publish(n, seen{Status: Success, Result: map[string]any{"rounds": float64(round)}})
			return c.succeeded(n)
		}
		if n.sort == "while" && round == n.rounds {
			c.m.bounded = true
			c.publish(n, seen{Status: Errored, Code: string(steps.LoopLimit)})
			return c.failed(n, steps.LoopLimit)
		}
		c.forget(n.nodes)
		c.rounds = append(c.rounds, round)
		r := c.list(&level{sort: "loop", nodes: n.nodes}, 0)
		c.rounds = c.rounds[:len(c.rounds)-1]
		if r.how != "" {
			return c.conclude(n, r, 0)
		}
	}
}

func (c *scene) forget(nodes []*genNode) {
	for _, n := range nodes {
		delete(c.seen, n.id)
		c.forget(n.nodes)
		c.forget(n.before)
	}
}

func (c *scene) call(n *genNode) flow {
	inner := c.m.scene(n.called, n.rounds)
	output, code := inner.document("")
	switch {
	case c.m.limited && len(c.m.finally) == 0:
		return flow{how: "limit"}
	case inner.spent:
		return flow{how: "spent", code: steps.LoopLimit}
	}
	if code != "" {
		c.publish(n, seen{Status: Errored, Code: string(code), Result: output})
		return c.failed(n, code)
	}
	c.publish(n, seen{Status: Success, Result: output})
	return c.succeeded(n)
}

func (c *scene) step(n *genNode) flow {
	for try := 1; ; try++ {
		code := c.try(n, try)
		if code == "" {
			return c.succeeded(n)
		}
		if try >= n.attempts || slices.Contains(n.notOn, string(code)) {
			return c.failed(n, code)
		}
		if stop := c.before(n, code); stop != nil {
			return *stop
		}
	}
}

// try makes one try of a step.
func (c *scene) try(n *genNode, try int) steps.Code {
	fail := func(code steps.Code) steps.Code {
		c.publish(n, seen{Status: Errored, Code: string(code), Attempts: try})
		return code
	}
	value := "v"
	if n.reads != "" {
		if value = c.seen[n.reads].Status; value == "" {
			value = "nothing"
			if n.strict {
				return fail(steps.Invalid)
			}
		}
	}
	c.m.executed++
	c.m.budget++
	if n.kind == "set" {
		c.env["n"]++
		c.publish(n, seen{Status: Success, Attempts: try, Result: map[string]any{"value": nil}})
		return c.expects(n, fail)
	}
	name := n.act
	if n.named {
		name += "-" + number(c.env["n"])
	}
	c.m.tries[name]++
	fails := c.m.tries[name] <= n.fail
	if !fails || !n.clean {
		c.m.journal = append(c.m.journal, name)
	}
	if fails {
		return fail(steps.Code(n.code))
	}
	c.publish(n, seen{Status: Success, Attempts: try, Result: map[string]any{"value": value}})
	return c.expects(n, fail)
}

func (c *scene) expects(n *genNode, fail func(steps.Code) steps.Code) steps.Code {
	if n.expect.text != "" && !n.expect.holds(c) {
		return fail(steps.Unexpected)
	}
	return ""
}

func (c *scene) succeeded(n *genNode) flow {
	if c.fails() || c.isLast(n) && !c.m.root.jumpsAtEnd {
		return flow{}
	}
	for _, j := range n.jumps {
		if j.cond.holds(c) {
			return c.move(j.to, "")
		}
	}
	return flow{}
}

func (c *scene) failed(n *genNode, code steps.Code) flow {
	if n.fallback != "" && c.m.fallbacks && !c.fails() {
		c.m.errors++
		return c.move(n.fallback, code)
	}
	if n.tolerant || c.doc.tolerant {
		c.m.errors++
		return flow{}
	}
	if c.levels[len(c.levels)-1].sort != "finally" {
		c.m.errors++
	}
	return flow{how: "failing", code: code}
}

// move goes to a step: of a list that is executed, else of troubleshooting.
func (c *scene) move(to string, origin steps.Code) flow {
	c.m.budget++
	for _, l := range slices.Backward(c.levels) {
		if at := index(l.nodes, to); at >= 0 {
			return flow{how: "jump", to: l, at: at}
		}
		if l.sort == "finally" {
			break
		}
	}
	if origin == "" && c.m.root == c.doc && index(c.doc.steps, c.doc.endAt) >= 0 {
		return flow{how: "ending"} // a jump over the last step
	}
	return c.troubleshoot(index(c.doc.trouble, to), origin)
}

// troubleshoot executes troubleshooting; its end is the end of the document.
func (c *scene) troubleshoot(at int, origin steps.Code) flow {
	r := c.list(&level{sort: "troubleshooting", nodes: c.doc.trouble}, at)
	switch {
	case r.how == "jump" || r.how == "limit" || r.how == "spent":
		return r
	case origin != "":
		return flow{how: "lost", code: origin}
	case r.code != "":
		return flow{how: "lost", code: r.code}
	}
	return flow{how: "ending"}
}

func index(nodes []*genNode, id string) int {
	return slices.IndexFunc(nodes, func(n *genNode) bool { return n.id != "" && n.id == id })
}

// story is what a run did and knew at its end, for comparing.
type story struct {
	Did      string
	Status   Status
	Code     steps.Code
	Errors   int
	Executed int
	Env      map[string]any
	Steps    map[string]seen
}

func (m *model) tell() story {
	status, code, c := m.run()
	return story{
		Did: strings.Join(m.journal, " "), Status: status, Code: code, Errors: m.errors, Executed: m.executed,
		Env: map[string]any{"n": float64(c.env["n"])}, Steps: maps.Clone(c.seen),
	}
}

// heard is the story of a run of the engine.
func (s *stage) heard(h Header) story {
	out := story{Did: s.did(), Status: h.Status, Errors: h.Errors, Executed: h.Executed, Steps: map[string]seen{}}
	if h.Error != nil {
		out.Code = h.Error.Code
	}
	st := s.state(h.ID)
	out.Env = st.Scopes[1].Env
	for id, x := range st.Scopes[1].Steps {
		e, _ := x.Error.(map[string]any)
		code, _ := e["code"].(string)
		out.Steps[id] = seen{Status: x.Status, Code: code, Attempts: x.Attempts, Result: x.Result}
	}
	return out
}

// bring makes a request of a generated document.
func (s *stage) bring(g *generator, d *genDoc) (Request, error) {
	load := func(ref string, _ workflows.Source) (workflows.Source, error) {
		for _, c := range g.calls {
			if c.name == ref {
				return workflows.Source{Name: ref, Text: []byte(c.text())}, nil
			}
		}
		return workflows.Source{}, fmt.Errorf("no document %q", ref)
	}
	b, _, err := Pack(workflows.Source{Name: "test.json", Text: []byte(d.text())}, s.Kinds, load)
	return Request{Bundle: b}, err
}

// documents is how many documents are made up.
var documents = flag.Uint64("documents", 150, "how many documents the model and the engine are compared on; ten times as many by TestAtLengthModel")

// TestModel holds that the engine does what a slow and obvious interpreter of
// the document does, on documents that are made up.
func TestModel(t *testing.T) { compareWithModel(t, 0, *documents) }

func TestAtLengthModel(t *testing.T) { compareWithModel(t, *documents, 10**documents) }

func compareWithModel(t *testing.T, from, upto uint64) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		for seed := from; seed < upto; seed++ {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
			d := g.make(false)
			s := newStage(t)
			r, err := s.bring(g, d)
			if err != nil {
				if refused++; refused > int((upto-from)/10) {
					t.Fatalf("too many documents are refused: %v\n%s", err, d.text())
				}
				continue
			}
			h := s.play(r)
			want, got := (&model{root: d}).tell(), s.heard(h)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("document %d: the engine (+) does not do what the model (-) does:\n%s\n%s\n%s\n%+v", seed, diff, d.everything(g), s.types(h.ID), h.Error)
			}
		}
	})
}
