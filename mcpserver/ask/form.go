package ask

import (
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/workflows"
)

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
