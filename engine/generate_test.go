package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// genDoc is a document that was made up, as the model reads it.
type genDoc struct {
	name                    string
	steps, trouble, finally []*genNode
	tolerant                bool // stop_on_error: false
	start                   int  // what env.n begins with
	maxSteps                int
	startFrom, endAt        string
	jumpsAtEnd              bool
}

// genNode is one of its nodes.
type genNode struct {
	sort     string // step, group, foreach, while, call
	id       string
	cond     genCond
	fallback string
	jumps    []genJump
	tolerant bool

	kind     string // act, look, idem, set
	act      string
	named    bool // its name in the journal ends with env.n
	fail     int
	clean    bool
	code     string
	attempts int
	notOn    []string
	before   []*genNode
	expect   genCond
	reads    string // the id of the step whose status it returns
	strict   bool   // and fails when there is none

	nodes  []*genNode
	rounds int // of a foreach, or at most of a while; of a call: its input
	while  genCond
	called *genDoc
}

type genJump struct {
	cond genCond
	to   string
}

// genCond is a condition: its text, and what it means.
type genCond struct {
	text string
	says func(*scene) bool
}

func (g genCond) holds(c *scene) bool { return g.text == "" || g.says(c) }

func (g genCond) always() bool {
	return g.text == "always()" || g.text == "failure()" || g.text == "always() && success()"
}

func number(n int) string { return strconv.Itoa(n) }

// generator makes documents up.
type generator struct {
	*rand.Rand
	count int
	calls []*genDoc
	ids   []string // in the document that is made
	doc   *genDoc
	depth int
	area  string
	loop  int // how many loops are around
	// steady makes documents that end alike however often they are resumed:
	// what fails does so at each try, before it acts; nothing looks at how
	// another step went; and env is not changed where each attempt goes.
	steady bool
	always int // how many conditions around run also while failing
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// make makes a document up. At most one level of calls is in it.
func (g *generator) make(called bool) *genDoc {
	outer, ids, loop, depth := g.doc, g.ids, g.loop, g.depth
	d := &genDoc{start: g.IntN(2), maxSteps: 15 + g.IntN(60), tolerant: g.chance(15)}
	g.count++
	d.name = "doc" + number(g.count)
	g.doc, g.ids, g.loop, g.depth = d, nil, 0, 0
	if called {
		g.depth = 2
	}
	g.area = "steps"
	d.steps = g.list(2+g.IntN(5), called)
	if g.chance(50) {
		g.area = "troubleshooting"
		d.trouble = g.list(1+g.IntN(3), true)
	}
	if g.chance(40) {
		g.area = "finally"
		d.finally = g.list(1+g.IntN(3), called)
	}
	g.link(d)
	if !called {
		g.bounds(d)
	}
	g.doc, g.ids, g.loop, g.depth = outer, ids, loop, depth
	g.area = "steps"
	return d
}

// bounds makes a document begin or end in the middle.
func (g *generator) bounds(d *genDoc) {
	var top []string
	for _, n := range d.steps {
		top = append(top, n.id)
		if n.sort == "group" {
			for _, in := range n.nodes {
				top = append(top, in.id)
			}
		}
	}
	pick := func() string { return top[g.IntN(len(top))] }
	if g.chance(12) {
		d.startFrom = pick()
		if len(d.trouble) > 0 && g.chance(30) {
			d.startFrom = d.trouble[g.IntN(len(d.trouble))].id
		}
	}
	if g.chance(12) {
		d.endAt, d.jumpsAtEnd = pick(), g.chance(50)
	}
}

func (g *generator) list(n int, simple bool) []*genNode {
	var out []*genNode
	for range n {
		out = append(out, g.node(simple))
	}
	return out
}

func (g *generator) node(simple bool) *genNode {
	g.count++
	n := &genNode{sort: "step", tolerant: g.chance(12), cond: g.condition(30)}
	if g.chance(75) {
		n.id = "s" + number(g.count)
	}
	if n.cond.always() {
		g.always++
		defer func() { g.always-- }()
	}
	if !simple && g.depth < 3 && g.chance(35) {
		g.nest(n)
	} else {
		g.step(n)
	}
	if n.id != "" {
		g.ids = append(g.ids, n.id)
	}
	return n
}

func (g *generator) nest(n *genNode) {
	g.depth++
	defer func() { g.depth-- }()
	switch g.IntN(4) {
	case 0:
		n.sort = "group"
		n.nodes = g.list(1+g.IntN(3), false)
		g.retries(n, 25)
	case 1:
		n.sort, n.rounds = "foreach", g.IntN(4)
		g.loop++
		n.nodes = g.list(1+g.IntN(3), false)
		g.loop--
	case 2:
		n.sort, n.rounds = "while", 1+g.IntN(3)
		bound := g.IntN(5)
		n.while = genCond{"env.n < " + number(bound), func(c *scene) bool { return c.env["n"] < bound }}
		g.loop++
		n.nodes = g.list(1+g.IntN(3), false)
		g.loop--
	case 3:
		area := g.area
		n.sort, n.rounds, n.called = "call", g.IntN(3), g.make(true)
		g.area = area
		g.calls = append(g.calls, n.called)
	}
}

func (g *generator) retries(n *genNode, chance int) {
	n.attempts = 1
	if g.chance(chance) {
		n.attempts = 2 + g.IntN(2)
		n.notOn = []string{"denied", "cancelled", "loop_limit"}
		if g.chance(20) {
			n.notOn = append(n.notOn, "timeout")
		}
		if g.chance(40) {
			n.before = g.befores()
		}
	}
}

func (g *generator) step(n *genNode) {
	n.kind = []string{"act", "act", "act", "look", "idem", "set"}[g.IntN(6)]
	n.act, n.named = "a"+number(g.count), g.chance(20)
	if g.chance(35) {
		n.fail, n.clean = 1+g.IntN(3), g.chance(40)
	}
	n.code = []string{"not_found", "timeout", "unavailable", "denied"}[g.IntN(4)]
	g.retries(n, 35)
	if g.chance(15) {
		n.expect = g.condition(100)
	}
	if g.steady {
		g.settle(n)
		return
	}
	if g.chance(30) && len(g.ids) > 0 && n.kind != "set" {
		n.reads, n.strict = g.ids[g.IntN(len(g.ids))], g.chance(30)
	}
}

// settle makes a step steady.
func (g *generator) settle(n *genNode) {
	if n.kind == "set" && (g.always > 0 || g.area != "steps") {
		n.kind = "look"
	}
	if n.fail > 0 {
		n.fail, n.clean = 99, true
		switch {
		case n.attempts > 1 && (n.code == "not_found" || n.code == "unavailable"):
			n.fail = 1 // a further try mends it, of which one that is resumed has no need
			n.before = nil
		case g.chance(60):
			n.fail = 0
		}
	}
	if n.kind == "act" || n.kind == "set" {
		n.expect = genCond{}
	}
}

func (g *generator) befores() []*genNode {
	var out []*genNode
	for range 1 + g.IntN(2) {
		g.count++
		n := &genNode{sort: "step", kind: "act", act: "b" + number(g.count), attempts: 1, tolerant: g.chance(30), code: "not_found", cond: g.condition(20)}
		n.id = "s" + number(g.count)
		if g.chance(30) && !g.steady {
			n.fail = 1
		}
		out = append(out, n)
		g.ids = append(g.ids, n.id)
	}
	return out
}

// condition is one of the few forms that the model knows, or none.
func (g *generator) condition(percent int) genCond {
	if !g.chance(percent) {
		return genCond{}
	}
	k := g.IntN(4)
	forms := []genCond{
		{"always()", func(*scene) bool { return true }},
		{"failure()", (*scene).failing},
		{"success()", func(c *scene) bool { return !c.failing() }},
		{"always() && success()", func(c *scene) bool { return !c.failing() }},
		{"1 == 2", func(*scene) bool { return false }},
		{"env.n > " + number(k), func(c *scene) bool { return c.env["n"] > k }},
	}
	if g.loop > 0 {
		forms = append(forms, genCond{"index == " + number(k), func(c *scene) bool { return c.rounds[len(c.rounds)-1] == k }})
	}
	if len(g.ids) > 0 && !g.steady {
		id := g.ids[g.IntN(len(g.ids))]
		forms = append(forms,
			genCond{id + "_status == 'success'", func(c *scene) bool { return c.seen[id].Status == Success }},
			genCond{id + "_status == nil", func(c *scene) bool { return c.seen[id].Status == "" }},
			genCond{"steps." + id + ".attempts > 1", func(c *scene) bool { return c.seen[id].Attempts > 1 }})
	}
	return forms[g.IntN(len(forms))]
}

// link gives nodes jumps and fallbacks to where they may lead.
func (g *generator) link(d *genDoc) {
	trouble := idsOf(d.trouble)
	g.linkList(d.steps, nil, trouble)
	g.linkList(d.trouble, idsOf(d.steps), nil)
	g.linkList(d.finally, nil, nil)
}

func idsOf(nodes []*genNode) []string {
	var out []string
	for _, n := range nodes {
		if n.id != "" {
			out = append(out, n.id)
		}
	}
	return out
}

func (g *generator) linkList(nodes []*genNode, around, trouble []string) {
	here := append(idsOf(nodes), around...)
	to := append(append([]string{}, here...), trouble...)
	pick := func() string { return to[g.IntN(len(to))] }
	for _, n := range nodes {
		if len(to) > 0 && g.chance(15) {
			n.fallback = pick()
			if len(trouble) > 0 && g.chance(60) {
				n.fallback = trouble[g.IntN(len(trouble))]
			}
		}
		for len(to) > 0 && g.chance(12) && (!g.steady || n.kind != "act") { // one that is left out by decision does not jump
			bound := g.IntN(4)
			j := genJump{genCond{"env.n == " + number(bound), func(c *scene) bool { return c.env["n"] == bound }}, pick()}
			if g.chance(20) {
				j.cond = genCond{"1 == 1", func(*scene) bool { return true }}
			}
			n.jumps = append(n.jumps, j)
		}
		if n.sort != "call" {
			g.linkList(n.nodes, here, trouble)
		}
	}
}

// written is the document as the engine reads it.
func (d *genDoc) written() map[string]any {
	out := map[string]any{
		"variables": map[string]any{"n": map[string]any{"type": "number", "default": d.start}},
		"max_steps": d.maxSteps, "steps": writtenList(d.steps), "output": map[string]any{"n": "env.n"},
	}
	put := func(key string, v any, when bool) {
		if when {
			out[key] = v
		}
	}
	put("troubleshooting", writtenList(d.trouble), len(d.trouble) > 0)
	put("finally", writtenList(d.finally), len(d.finally) > 0)
	put("stop_on_error", false, d.tolerant)
	put("start_from_step", d.startFrom, d.startFrom != "")
	put("end_at_step", d.endAt, d.endAt != "")
	put("execute_jumps_at_end", true, d.jumpsAtEnd)
	return out
}

func (d *genDoc) text() string {
	raw, err := json.MarshalIndent(d.written(), "", " ")
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func writtenList(nodes []*genNode) []any {
	out := []any{}
	for _, n := range nodes {
		out = append(out, n.written())
	}
	return out
}

func (n *genNode) written() map[string]any {
	out := map[string]any{}
	put := func(key string, v any, when bool) {
		if when {
			out[key] = v
		}
	}
	put("id", n.id, n.id != "")
	put("if", n.cond.text, n.cond.text != "")
	put("fallback_id", n.fallback, n.fallback != "")
	put("continue_on_error", true, n.tolerant)
	jumps := []any{}
	for _, j := range n.jumps {
		jumps = append(jumps, map[string]any{"if": j.cond.text, "to_id": j.to})
	}
	put("jumps", jumps, len(jumps) > 0)
	switch n.sort {
	case "group":
		out["group_name"], out["steps"] = "g", writtenList(n.nodes)
		n.writeRetry(out)
	case "foreach":
		items := []any{}
		for i := range n.rounds {
			items = append(items, i)
		}
		out["foreach"], out["as"], out["steps"] = items, "it", writtenList(n.nodes)
	case "while":
		out["while"], out["max"], out["steps"] = n.while.text, n.rounds, writtenList(n.nodes)
	case "call":
		out["workflow"], out["inputs"] = n.called.name, map[string]any{"n": n.rounds}
	default:
		n.writeStep(out, put)
	}
	return out
}

func (n *genNode) writeStep(out map[string]any, put func(string, any, bool)) {
	out["tool_name"] = n.kind
	put("expect", n.expect.text, n.expect.text != "")
	n.writeRetry(out)
	if n.kind == "set" {
		out["arguments"] = map[string]any{"env": map[string]any{"n": "${{ env.n + 1 }}"}}
		return
	}
	n.writeArguments(out)
}

func (n *genNode) writeRetry(out map[string]any) {
	if n.attempts > 1 {
		retry := map[string]any{"attempts": n.attempts, "delay": "100ms", "jitter": 0.5}
		if len(n.notOn) > 3 {
			retry["not_on"] = n.notOn[3:]
		}
		if len(n.before) > 0 {
			retry["before"] = writtenList(n.before)
		}
		out["retry"] = retry
	}
}

func (n *genNode) writeArguments(out map[string]any) {
	args := map[string]any{"name": n.act, "value": "v"}
	if n.named {
		args["name"] = n.act + "-${{ env.n }}"
	}
	if n.fail > 0 {
		args["fail"], args["clean"], args["code"] = n.fail, n.clean, n.code
	}
	switch {
	case n.reads != "" && n.strict:
		args["value"] = fmt.Sprintf("${{ %s_status }}", n.reads)
	case n.reads != "":
		args["value"] = fmt.Sprintf("${{ %s_status ?? 'nothing' }}", n.reads)
	}
	out["arguments"] = args
}

// everything is a document with those that it calls.
func (d *genDoc) everything(g *generator) string {
	var text strings.Builder
	text.WriteString(d.text())
	for _, c := range g.calls {
		text.WriteString("\n" + c.name + ": " + c.text())
	}
	return text.String()
}
