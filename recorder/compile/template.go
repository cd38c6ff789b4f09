package compile

import (
	"fmt"
	"strings"
)

// A template is an argument with references in it. Any other string among the arguments of a
// step is literal text, which is escaped when it is written.
type template string

// inputs returns a reference to a variable.
func inputs(name string) template { return template("${{ inputs." + name + " }}") }

// templateOf joins references, and literal texts.
func templateOf(parts ...any) template {
	var b strings.Builder
	text := "" // the literal text since the last reference
	for _, p := range parts {
		ref, ok := p.(template)
		if !ok {
			text += fmt.Sprint(p)
			continue
		}
		if before := strings.TrimRight(text, "$"); before != text { // it would escape the reference
			text, ref = before, template("${{ '"+text[len(before):]+"' }}")+ref
		}
		b.WriteString(escape(text) + string(ref))
		text = ""
	}
	return template(b.String() + escape(text))
}

// template returns a text with the results of steps in it.
func (in *input) template() template {
	return templateOf(append(each(in.parts, func(p any) any {
		if s, ok := p.(*step); ok {
			return template("${{ " + s.id + "_result.text }}")
		}
		return p
	}), in.after)...)
}

// escape escapes what looks like a template in a literal text.
func escape(text string) string {
	return strings.NewReplacer("${{", "$${{", "{{", "${{ '{{' }}").Replace(text)
}

// written returns an argument as the document writes it.
func written(v any) any {
	switch v := v.(type) {
	case template:
		return string(v)
	case string:
		return escape(v)
	case []string:
		return each(v, escape)
	case []any:
		return each(v, written)
	case []arg:
		return each(v, func(a arg) arg { return arg{Key: a.Key, Value: written(a.Value)} })
	case map[string]any:
		object := make(map[string]any, len(v))
		for k, e := range v {
			object[k] = written(e)
		}
		return object
	}
	return v
}

// each returns the results of a function for each element.
func each[T, R any](all []T, of func(T) R) []R {
	made := make([]R, len(all))
	for i, e := range all {
		made[i] = of(e)
	}
	return made
}
