package workflows

import (
	"cmp"
	"regexp"
	"strings"

	"understudy/workflows/dialect"
)

// The ids of the steps that an output parser becomes.
const (
	parsedOutput = "parsed_output"
	parserInput  = "parser_input"
)

// javaScript matches an output that is a script, and no expression.
var javaScript = regexp.MustCompile(`(?m)\breturn\b|\b(?:const|let|var)\s+\w+\s*=|=>|\bfunction\b|;\s*$`)

// A parser is the script that other programs run over the results of a run.
type outputParser struct {
	key        *value // under which it stands
	code, file string
	source     string // the step whose tree it reads
}

// takeParser removes the parser of a document that names another one with the steps, for
// that one.
func (t *translator) takeParser(root *value) *outputParser {
	p := parserIn(root)
	if p != nil {
		root.remove(p.key.text)
	}
	return p
}

// outputParser makes a last step of the JavaScript that other programs run over the
// results of a run, and the result of that step the output. A parser of the document that
// named this one counts.
func (t *translator) outputParser(root *value) {
	p, list := cmp.Or(t.parser, parserIn(root)), root.get("steps")
	if p == nil || list == nil || list.sort != sortList {
		return
	}
	end := root.get("part").get("to")
	own := parserIn(root)
	if own != nil {
		root.remove(own.key.text)
	}
	if end.str() != "" {
		t.report.note(p.key.position, "", "%s has no effect with part.to: only a part of the workflow runs", p.key.text)
		return
	}
	t.report.note(p.key.position, "the last step has it, and the output is its result", "%s becomes a step that runs the script", p.key.text)
	if p.walks() {
		askForObjects(list, p.source)
	}
	order := t.nameSteps(list)
	root.remove("output")
	for _, step := range p.steps(order) {
		list.add(step)
		list.list[len(list.list)-1].move(p.key.position)
	}
	root.insert("output", parsedOutput+"_result.result", false)
}

// parserIn returns the parser of a document, or nil.
func parserIn(root *value) *outputParser {
	e := root.entry("output_parser")
	if e == nil {
		e = root.entry("output")
	}
	if e == nil {
		return nil
	}
	certain := e.key.text == "output_parser"
	p := &outputParser{key: e.key, source: e.value.get("ui_tree_source_step_id").str()}
	if e.value.sort == sortText && (certain || javaScript.MatchString(e.value.text)) {
		p.code = e.value.text
	}
	for _, key := range []string{"javascript_code", "run", "javascript", "code"} {
		if x := e.value.get(key); x != nil && x.sort == sortText && (certain || isScript[key]) && p.code == "" {
			p.code = x.text
		}
	}
	for _, key := range []string{"javascript_file_path", "script_file"} {
		if certain || isScript[key] {
			p.file = cmp.Or(p.file, e.value.get(key).str())
		}
	}
	if p.code == "" && p.file == "" {
		return nil
	}
	return p
}

// steps returns the steps that run the parser: a script in a file gets what it reads from
// a step before it.
func (p *outputParser) steps(order [][2]string) [][]Pair {
	given := []Pair{{"_steps", "${{ steps }}"}, {"_env", "${{ env }}"}}
	if p.code != "" {
		return [][]Pair{scriptStep(parsedOutput, Pair{"run", p.names(order) + "return await (async () => {\n" + literalBraces(p.code) + "\n})();"}, given)}
	}
	return [][]Pair{
		scriptStep(parserInput, Pair{"run", p.names(order) + "return [sequenceResult, tree];"}, given),
		scriptStep(parsedOutput, Pair{"script_file", p.file}, []Pair{
			{"sequenceResult", "${{ " + parserInput + "_result.result[0] }}"}, {"tree", "${{ " + parserInput + "_result.result[1] ?? '' }}"},
		}),
	}
}

func scriptStep(id string, script Pair, env []Pair) []Pair {
	return []Pair{{"id", id}, {"tool_name", "run_command"}, {"arguments", []Pair{{"engine", "javascript"}, script, {"env", env}}}}
}

// nameSteps gives each step an id, so that its result is kept, and returns the ids and
// the kinds in order.
func (t *translator) nameSteps(list *value) (order [][2]string) {
	taken := map[string]bool{}
	var visit func(list *value, name bool)
	visit = func(list *value, name bool) {
		for _, x := range list.elements() {
			if x.sort != sortObject {
				continue
			}
			if x.get("tool_name") != nil {
				if name && x.get("id") == nil {
					x.insert("id", UnusedName("step_"+notInNames.ReplaceAllString(dialect.Plain(x.get("tool_name").str()), "_"), taken), true)
				}
				if id := x.get("id").str(); id != "" && name {
					order = append(order, [2]string{id, dialect.Plain(x.get("tool_name").str())})
				}
			}
			taken[x.get("id").str()] = true
			visit(x.get("steps"), name)
		}
	}
	visit(list, false)
	visit(list, true)
	return order
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// walk matches what a parser does with a tree of objects, and with no text.
var walk = regexp.MustCompile(`\.\s*(?:attributes|children)\b`)

// walks reports whether the parser reads the tree as objects, as far as can be seen.
func (p *outputParser) walks() bool { return p.file != "" || walk.MatchString(p.code) }

// askForObjects lets the steps that show a tree write it so that a parser can walk it.
func askForObjects(list *value, source string) {
	for _, x := range list.elements() {
		askForObjects(x.get("steps"), source)
		if source != "" && x.get("id").str() != source || !showsTree(x) {
			continue
		}
		if x.get("arguments") == nil {
			x.insert("arguments", map[string]any{}, false)
		}
		if args := x.get("arguments"); args.sort == sortObject && args.get("tree_output_format") == nil && args.get("show") == nil {
			args.insert("tree_output_format", "verbose_json", false)
		}
	}
}

func showsTree(step *value) bool {
	tool := dialect.Plain(step.get("tool_name").str())
	if row, ok := dialect.Find(dialect.Tool, "", tool); ok {
		tool = row.Now
	}
	args := step.get("arguments")
	asks := func(key string) bool {
		v := args.get(key)
		return v != nil && (v.sort == sortObject || v.truthOr(false))
	}
	return tool == "get_window_tree" || tool != "" && (asks("include_tree") || asks("include_tree_after_action"))
}

// names returns the declarations of the names that a parser expects: sequenceResult
// and tree.
func (p *outputParser) names(order [][2]string) string {
	text := "const sequenceResult = { action: 'execute_sequence', status: 'executed_without_error', env: _env, results: " + encode(order) +
		".flatMap(([id, tool], index) => { const s = _steps[id]; if (!s) return []; const status = { success: 'executed_without_error' }[s.status] ?? s.status;" +
		" const content = [{ type: 'text', text: JSON.stringify(s.result ?? null) }];" +
		" return [{ step_id: id, tool_name: tool, index, status, executed: status !== 'skipped', error: s.error?.message, result: { ...(s.result ?? {}), content } }]; }) };\n"
	shape := "v"
	if p.walks() {
		text += dialect.NodeScript
		shape = "(Array.isArray(v) ? (v.length === 1 ? node(v[0]) : { attributes: {}, children: v.map(node) }) : v)"
	}
	return text + "const tree = (() => { const from = sequenceResult.results.filter((r) => " + wantedStep(p.source) + "); const t = from.at(-1)?.result; let v = t?.tree ?? t?.ui_tree;" +
		" try { if (typeof v === 'string') v = JSON.parse(v); } catch {} return " + shape + "; })();\n"
}

func wantedStep(source string) string {
	if source != "" {
		return "r.step_id === " + encode(source)
	}
	return "r.result.tree ?? r.result.ui_tree"
}

// literalBraces keeps the braces of a script from being read as expressions.
func literalBraces(code string) string { return strings.ReplaceAll(code, "${{", "$${{") }
