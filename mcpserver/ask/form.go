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

// sanitized returns a form as it is displayed to a person. Others wrote parts of it, such
// as an application whose text went into the question: a message of several lines is
// fenced, and invisible characters are replaced by their numbers.
func sanitized(q mcp.ElicitParams) *mcp.ElicitParams {
	q.Message = string(words.Outline(words.Visible(q.Message)))
	q.RequestedSchema = words.VisibleIn(plain(q.RequestedSchema))
	return &q
}

// original returns what a person answered, with choices as they were before sanitized
// replaced their invisible characters.
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

// plain converts a schema to the types that JSON decodes to.
func plain(schema any) (v any) {
	raw, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return v
}

// formOf returns the form for a question of a run.
func formOf(q *engine.Question) *mcp.ElicitParams {
	message := q.Text
	if q.Context != "" {
		message += "\n" + q.Context
	}
	p := &mcp.ElicitParams{Mode: "form", Message: message}
	switch {
	case q.Sort == engine.AskDoubt:
		p.RequestedSchema = objectSchema("choice", map[string]any{"type": "string", "enum": q.Choices})
	case len(q.Fields) > 0:
		p.RequestedSchema = map[string]any{"type": "object", "properties": q.Fields, "required": slices.Sorted(maps.Keys(q.Fields))}
	case len(q.Choices) > 0:
		p.RequestedSchema = objectSchema(answerKey, map[string]any{"type": "string", "enum": q.Choices})
	default:
		p.RequestedSchema = objectSchema(answerKey, map[string]any{"type": "string"})
	}
	return p
}

func objectSchema(name string, schema map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{name: schema}, "required": []string{name}}
}

// answerOf converts a filled form to the answer of a run.
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

// inputForm returns a form for variables. It fails if one is not a string, a number, a
// boolean or a choice of strings, because forms can hold nothing else.
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
