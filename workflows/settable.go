package workflows

import (
	"regexp"
	"strings"
)

// word matches the words of a script, of which each may be a field that it returns.
var word = regexp.MustCompile(`[A-Za-z_$][A-Za-z0-9_$]*`)

// collectSet collects the names that the document sets: the values of set_env, the inputs
// that it gives, and the words of its scripts. A script may set others too.
func (u *unit) collectSet() {
	u.set = map[string]bool{}
	for _, e := range u.doc.Inputs.fields() {
		u.set[e.key.text] = true
	}
	for _, t := range u.targets.all {
		args := t.step.Arguments
		switch t.step.ToolName.str() {
		case "set_env":
			for _, e := range args.get("values").fields() {
				u.set[e.key.text] = true
			}
			u.openSet = u.openSet || args.get("values").str() != "" // an expression
		case "run_command", "execute_browser_script":
			u.collectScript(args)
		}
	}
}

func (u *unit) collectScript(args *value) {
	text := args.get("run").str() + args.get("script").str()
	if args.get("engine") == nil && args.get("script") == nil && !strings.Contains(text, "set-env") {
		return
	}
	u.openSet = true
	for _, w := range word.FindAllString(text, -1) {
		u.set[w] = true
	}
}

// fieldValues returns the values of an object.
func (v *value) fieldValues() (all []*value) {
	for _, e := range v.fields() {
		all = append(all, e.value)
	}
	return all
}

// fields returns the entries of an object; nil has none.
func (v *value) fields() []entry {
	if v == nil {
		return nil
	}
	return v.entries
}
