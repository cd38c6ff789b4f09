package ask

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/words"
	"understudy/workflows"
)

// shown is a form in which a person sees what others wrote, such as an application
// whose text went into the question: a message of several lines stands between two of
// ours, and what cannot be seen stands as its number.
func shown(q mcp.ElicitParams) *mcp.ElicitParams {
	q.Message = words.FencedLines(words.Visible(q.Message))
	q.RequestedSchema = words.VisibleIn(plain(q.RequestedSchema))
	return &q
}

// original is what a person said to a form, with the choices as they were before they
// were shown.
func original(form any, content map[string]any) map[string]any {
	was := map[string]string{}
	var note func(v any)
	note = func(v any) {
		switch v := v.(type) {
		case string:
			was[words.Visible(v)] = v
		case []any:
			for _, x := range v {
				note(x)
			}
		case map[string]any:
			for _, x := range v {
				note(x)
			}
		}
	}
	note(plain(form))
	out := maps.Clone(content)
	for name, v := range out {
		if text, ok := v.(string); ok && was[text] != "" {
			out[name] = was[text]
		}
	}
	return out
}

// plain is a schema as JSON holds it.
func plain(schema any) (v any) {
	raw, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// formOf is the question of a run as a form.
func formOf(q *engine.Question) *mcp.ElicitParams {
	message := q.Text
	if q.Context != "" {
		message += "\n" + q.Context
	}
	p := &mcp.ElicitParams{Mode: "form", Message: message}
	switch {
	case q.Sort == engine.AskDoubt:
		p.RequestedSchema = object("choice", map[string]any{"type": "string", "enum": q.Choices})
	case len(q.Fields) > 0:
		p.RequestedSchema = map[string]any{"type": "object", "properties": q.Fields, "required": slices.Sorted(maps.Keys(q.Fields))}
	case len(q.Choices) > 0:
		p.RequestedSchema = object(answerKey, map[string]any{"type": "string", "enum": q.Choices})
	default:
		p.RequestedSchema = object(answerKey, map[string]any{"type": "string"})
	}
	return p
}

func object(name string, schema map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{name: schema}, "required": []string{name}}
}

// answerOf is a filled form as the answer of a run.
func answerOf(q *engine.Question, content map[string]any) *engine.Answer {
	content = original(formOf(q).RequestedSchema, content)
	switch {
	case q.Sort == engine.AskDoubt:
		choice, _ := content["choice"].(string)
		return &engine.Answer{Choice: choice}
	case len(q.Fields) > 0:
		return &engine.Answer{Value: content}
	}
	return &engine.Answer{Value: content[answerKey]}
}

// inputForm is a form for variables; it fails for values that are not plain, which
// a form cannot hold.
func inputForm(missing []workflows.Variable) (map[string]any, bool) {
	properties, names := map[string]any{}, []string{}
	for _, v := range missing {
		p := map[string]any{"type": v.Type}
		switch v.Type {
		case "string", "number", "boolean":
		case "enum":
			options := []string{}
			for _, o := range v.Options {
				text, ok := o.(string)
				if !ok {
					return nil, false
				}
				options = append(options, text)
			}
			p["type"], p["enum"] = "string", options
		default:
			return nil, false
		}
		if v.Label != "" {
			p["title"] = v.Label
		}
		if v.Description != "" {
			p["description"] = v.Description
		}
		properties[v.Name], names = p, append(names, v.Name)
	}
	return map[string]any{"type": "object", "properties": properties, "required": names}, true
}
