package kinds

import (
	"maps"
	"regexp"
	"strings"

	"understudy/steps"
)

// scriptValues returns what a script sees: names are its variables, and all is its variable
// env. A text that is an object or a list as JSON is one among the names that the step gives,
// as other programs have it; the value of a template is what it is.
func scriptValues(env *steps.Env, given map[string]any) (names, all, inputs map[string]any) {
	names, inputs = map[string]any{}, map[string]any{}
	maps.Copy(inputs, env.Inputs)
	maps.Copy(names, env.Named)
	for name, v := range given {
		if names[name] = v; !strings.HasPrefix(name, steps.TemplateVariable) {
			names[name] = fromJSON(v)
		}
	}
	all = map[string]any{"inputs": inputs}
	maps.Copy(all, env.Vars)
	maps.Copy(all, names)
	return names, all, inputs
}

// mentioned keeps the values whose names occur in the text of a script.
func mentioned(code string, values map[string]any) map[string]any {
	kept := map[string]any{}
	for _, word := range word.FindAllString(code, -1) {
		if v, ok := values[word]; ok {
			kept[word] = v
		}
	}
	return kept
}

var word = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
