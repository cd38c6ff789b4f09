package mcpserver

import (
	"maps"
	"math"
	"slices"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
)

// Many models are shown only the text of a reply. So the text contains everything that
// the structured content does, in fewer words: one line of short values, then the long
// texts unchanged.

// maxValueText bounds a value within a line, and maxGlimpse the text of an element that
// only tells it from others.
const maxValueText, maxGlimpse = 300, 80

// blockFields are the fields with texts of many lines, in the order in which they are
// shown.
var blockFields = []string{"content", "text", "stdout", "stderr", "happened", "ui_diff", "ui_tree"}

// outlines are the blocks that this program writes, with names and texts in quotes.
var outlines = []string{"happened", "ui_diff", "ui_tree"}

// textOf returns the result of a kind as text.
func textOf(k steps.Kind, value any) words.Marked {
	m, ok := value.(map[string]any)
	if text, said := k.Say(m); ok && said {
		if k.Picture == steps.IsPicture { // the text is our own: the address of the picture
			return words.Outline(text)
		}
		return words.Fenced(text)
	}
	var facts []words.Marked
	var texts []string
	verbatim := false
	for _, name := range fieldsOf(k, m) {
		text, isText := m[name].(string)
		switch {
		case isText && slices.Contains(blockFields, name):
			switch {
			case text != "":
				texts = append(texts, headings[name]+strings.TrimRight(text, "\n"))
				verbatim = verbatim || !slices.Contains(outlines, name)
			case k.Result().Properties[name] != nil && slices.Contains(k.Result().Required, name):
				facts = append(facts, words.Say("the %s is empty", name))
			}
		case name == "screenshots" || name == "screenshot_areas": // replied as images or links
		case name == "at": // redundant beside an element
			if m["element"] == nil {
				facts = append(facts, "at: "+valueText(k, m[name]))
			}
		case name == "element" || name == "window":
			limit := maxGlimpse
			if whole := elementContent(m[name]); k.Reads && len(whole) > maxValueText { // reading it is the purpose of the kind
				texts, verbatim = append(texts, whole), true
			} else if k.Reads {
				limit = maxValueText
			}
			if thing := elementText(m[name], m["value"], limit); thing != "" {
				facts = append(facts, thing)
			}
		default:
			if v := valueText(k, m[name]); v != "" {
				facts = append(facts, words.Say("%s: %s", name, v))
			}
		}
	}
	if len(facts) == 0 && len(texts) == 0 {
		return words.Say("%s: done", k.Name)
	}
	text := words.Say("%s: %s", k.Name, words.Join(facts, ", "))
	switch whole := strings.Join(texts, "\n"); {
	case len(texts) == 0:
	case verbatim:
		text += "\n" + words.Fenced(whole)
	default:
		text += "\n" + words.Outline(whole)
	}
	return text
}

// fieldsOf returns the fields of a result: first in the order of the schema, then
// others; texts of many lines are last.
func fieldsOf(k steps.Kind, m map[string]any) []string {
	order := slices.Concat(k.Result().PropertyOrder, slices.Sorted(maps.Keys(m)), blockFields)
	var names []string
	for i, name := range order {
		_, there := m[name]
		if there && !slices.Contains(names, name) && (!slices.Contains(blockFields, name) || i >= len(order)-len(blockFields)) {
			names = append(names, name)
		}
	}
	return names
}

// headings introduce texts whose meaning is not obvious; the others are the result
// itself.
var headings = map[string]string{"stderr": "on the error output:\n", "ui_diff": "what changed:\n", "ui_tree": "the window now:\n"}

func valueText(k steps.Kind, v any) words.Marked {
	if v == nil {
		return ""
	}
	limit := maxValueText
	if k.Whole {
		limit = math.MaxInt
	}
	text, _ := words.JSONLine(v, limit)
	return text
}

// elementContent returns the text that an element shows.
func elementContent(v any) string {
	m, _ := v.(map[string]any)
	text, _ := m["text"].(string)
	return text
}

// elementText describes an element or a window briefly, without the text that is shown
// as its value. Its text has at most so many characters.
func elementText(v, value any, limit int) words.Marked {
	m, _ := v.(map[string]any)
	if m == nil {
		return ""
	}
	if title, ok := m["title"].(string); ok {
		name, _ := words.JSONLine(title, math.MaxInt)
		id, _ := words.JSONLine(m["id"], math.MaxInt)
		return words.Say("window %s of %s, id %s", name, m["process"], id)
	}
	names := []words.Marked{words.Say("element: %s", m["role"])}
	for _, name := range []string{"name", "text"} {
		if text, ok := m[name].(string); ok && text != "" && (name == "name" || text != m["name"] && text != value) {
			short, _ := words.JSONLine(words.Shorten(text, limit), math.MaxInt)
			names = append(names, short)
		}
	}
	if ref, ok := m["ref"].(string); ok {
		names = append(names, words.Say("[ref=%s]", ref))
	}
	return words.Join(names, " ")
}
