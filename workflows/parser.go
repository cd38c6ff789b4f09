package workflows

import (
	"regexp"
	"strings"

	"understudy/workflows/dialect"
)

// parsedOutput is the id of the step that an output parser becomes.
const parsedOutput = "parsed_output"

// javaScript matches an output that is a script, and no expression.
var javaScript = regexp.MustCompile(`(?m)\breturn\b|\b(?:const|let|var)\s+\w+\s*=|=>|\bfunction\b|;\s*$`)

// outputParser makes a last step of the JavaScript that other programs run over the
// results of a run, and the result of that step the output.
func (t *translator) outputParser(root *value) {
	e := root.entry("output_parser")
	if e == nil {
		e = root.entry("output")
	}
	list := root.get("steps")
	if e == nil || list == nil || list.sort != sortList {
		return
	}
	code, source := parserOf(e.value, e.key.text == "output_parser")
	if code == "" {
		return
	}
	key, end := e.key.text, root.get("end_at_step")
	if end != nil && end.sort == sortText {
		t.report.note(e.key.position, "", "%s has no effect beside end_at_step: only a part of the workflow runs", key)
		root.remove(key)
		return
	}
	t.report.note(e.key.position, "the last step has it, and the output is its result", "%s becomes a step that runs the script", key)
	order := t.nameSteps(list)
	at := root.get(key).position
	root.remove(key)
	root.remove("output")
	list.add([]Pair{
		{"id", parsedOutput},
		{"tool_name", "run_command"},
		{"arguments", []Pair{
			{"engine", "javascript"},
			{"run", parserCode(order, source, code)},
			{"env", []Pair{{"_steps", "${{ steps }}"}, {"_env", "${{ env }}"}}},
		}},
	})
	list.list[len(list.list)-1].move(at)
	root.insert("output", parsedOutput+"_result.result", false)
}

// parserOf returns the script of an output parser, and the step whose tree it reads.
func parserOf(v *value, certain bool) (code, source string) {
	if v.sort == sortText {
		if certain || javaScript.MatchString(v.text) {
			code = v.text
		}
		return code, ""
	}
	for _, key := range []string{"javascript_code", "run", "javascript", "code"} {
		if x := v.get(key); x != nil && x.sort == sortText && (certain || isScript[key]) {
			return x.text, v.get("ui_tree_source_step_id").str()
		}
	}
	return "", ""
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

// parserCode returns the script with the names that it expects: sequenceResult and tree.
func parserCode(order [][2]string, source, code string) string {
	return "const sequenceResult = { action: 'execute_sequence', status: 'executed_without_error', env: _env, results: " + encode(order) +
		".flatMap(([id, tool], index) => { const s = _steps[id]; if (!s) return []; const status = { success: 'executed_without_error' }[s.status] ?? s.status;" +
		" const content = [{ type: 'text', text: JSON.stringify(s.result ?? null) }];" +
		" return [{ step_id: id, tool_name: tool, index, status, executed: status !== 'skipped', error: s.error?.message, result: { ...(s.result ?? {}), content } }]; }) };\n" +
		"const tree = (() => { const from = sequenceResult.results.filter((r) => " + wantedStep(source) + "); const t = from.at(-1)?.result; const v = t?.tree ?? t?.ui_tree;" +
		" try { return typeof v === 'string' ? JSON.parse(v) : v; } catch { return v; } })();\n" +
		"return await (async () => {\n" + literalBraces(code) + "\n})();"
}

func wantedStep(source string) string {
	if source != "" {
		return "r.step_id === " + encode(source)
	}
	return "r.result.tree ?? r.result.ui_tree"
}

// literalBraces keeps the braces of a script from being read as expressions.
func literalBraces(code string) string { return strings.ReplaceAll(code, "${{", "$${{") }
