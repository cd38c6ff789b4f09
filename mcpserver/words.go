package mcpserver

import (
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/steps/kinds"
)

// Many models are shown only the text of an answer. So the text has everything
// that the structured content says, in fewer words: one line of short values,
// then the long texts as they are.

// longest is how long a value in a line may be.
const longest = 300

// sayings are the results for which plain fields are not the best words.
var sayings = map[string]func(map[string]any) string{
	kinds.GetWindowTree.Name:                 sayTree,
	kinds.GetApplicationsAndWindowsList.Name: sayWindows,
	kinds.CaptureScreenshot.Name:             sayPicture,
	kinds.ReadText.Name:                      sayRead,
}

// blocks are the fields that hold texts of many lines, in the order in which
// they are shown.
var blocks = []string{"content", "text", "stdout", "stderr", "ui_diff", "ui_tree"}

// sayResult is the result of a kind in words.
func sayResult(k steps.Kind, value any) string {
	m, ok := value.(map[string]any)
	if say := sayings[k.Name]; ok && say != nil {
		return say(m)
	}
	var facts, texts []string
	for _, name := range fieldsOf(k, m) {
		text, isText := m[name].(string)
		switch {
		case isText && slices.Contains(blocks, name):
			switch {
			case text != "":
				texts = append(texts, heading(name)+strings.TrimRight(text, "\n"))
			case k.Result.Properties[name] != nil && slices.Contains(k.Result.Required, name):
				facts = append(facts, "the "+name+" is empty")
			}
		case name == "screenshots" || name == "screenshot_areas": // they are shown, or linked
		case name == "element" || name == "window":
			if thing := sayThing(m[name]); thing != "" {
				facts = append(facts, thing)
			}
		default:
			if v := valueText(k, m[name]); v != "" {
				facts = append(facts, name+": "+v)
			}
		}
	}
	if len(facts) == 0 && len(texts) == 0 {
		return k.Name + ": done"
	}
	return strings.Join(append([]string{k.Name + ": " + strings.Join(facts, ", ")}, texts...), "\n")
}

// fieldsOf are the fields of a result: as the kind declares them, then others;
// the texts of many lines are last.
func fieldsOf(k steps.Kind, m map[string]any) []string {
	order := slices.Concat(k.Result.PropertyOrder, slices.Sorted(maps.Keys(m)), blocks)
	var names []string
	for i, name := range order {
		_, there := m[name]
		if there && !slices.Contains(names, name) && (!slices.Contains(blocks, name) || i >= len(order)-len(blocks)) {
			names = append(names, name)
		}
	}
	return names
}

// heading tells texts apart whose meaning does not show; the others are what
// was asked for.
func heading(name string) string {
	switch name {
	case "stderr":
		return "on the error output:\n"
	case "ui_diff":
		return "what changed:\n"
	case "ui_tree":
		return "the window now:\n"
	}
	return ""
}

// listing are the kinds whose values a model wants to read whole.
var listing = []string{kinds.ValidateElement.Name, kinds.GlobFiles.Name, kinds.GrepFiles.Name, kinds.FindImage.Name, kinds.RunCommand.Name}

func valueText(k steps.Kind, v any) string {
	if v == nil {
		return ""
	}
	if !slices.Contains(listing, k.Name) {
		return short(v)
	}
	return plainJSON(v)
}

// sayThing is an element or a window in a few words.
func sayThing(v any) string {
	m, _ := v.(map[string]any)
	if m == nil {
		return ""
	}
	if title, ok := m["title"].(string); ok {
		return fmt.Sprintf("window %q of %v, id %s", title, m["process"], short(m["id"]))
	}
	words := []string{"element: " + fmt.Sprint(m["role"])}
	for _, name := range []string{"name", "text"} {
		if text, ok := m[name].(string); ok && text != "" {
			words = append(words, short(text))
		}
	}
	if ref, ok := m["ref"].(string); ok {
		words = append(words, "[ref="+ref+"]")
	}
	return strings.Join(words, " ")
}

// sayTree is a tree as it is, and what it does not show.
func sayTree(m map[string]any) string {
	text, _ := m["ui_tree"].(string)
	if text == "" {
		text = "the window shows no elements\n"
	}
	text = strings.TrimRight(text, "\n")
	if n, _ := m["omitted"].(float64); n > 0 {
		text += fmt.Sprintf("\n%v of %v elements are shown; include_hidden: true shows those that are not visible, a larger max_elements more of them, a selector in tree_from_selector a part", m["shown"], m["shown"].(float64)+n)
	}
	if unread, _ := m["unread"].([]any); len(unread) > 0 {
		text += fmt.Sprintf("\nthese applications did not answer in time: %v", unread)
	}
	return text
}

// sayWindows is a list of windows, one a line.
func sayWindows(m map[string]any) string {
	list, _ := m["windows"].([]any)
	if len(list) == 0 {
		return "no window is open; open_application starts an application"
	}
	var lines []string
	for _, w := range list {
		at, _ := w.(map[string]any)
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%v: %q", at["process"], at["title"]))
		for _, state := range []string{"active", "minimized", "hidden", "modal", "popup"} {
			if at[state] == true {
				line.WriteString(" " + state)
			}
		}
		lines = append(lines, fmt.Sprintf("%s, %s, window id %s", line.String(), sayArea(at["bounds"]), short(at["id"])))
	}
	return strings.Join(lines, "\n")
}

func sayArea(v any) string {
	r, _ := v.(map[string]any)
	return fmt.Sprintf("%vx%v at %v,%v", r["w"], r["h"], r["x"], r["y"])
}

// sayPicture says what a picture shows, and where it is.
func sayPicture(m map[string]any) string {
	return fmt.Sprintf("a picture of %vx%v pixels, of the screen's area %s: %v", m["width"], m["height"], sayArea(m["area"]), m["uri"])
}

// sayRead is a text that was read off the screen, and where to click each line.
func sayRead(m map[string]any) string {
	var read kinds.ReadTextResult
	raw, err := json.Marshal(m)
	if err == nil {
		err = json.Unmarshal(raw, &read)
	}
	if err != nil || read.Text == "" {
		return "no text was read"
	}
	lines := []string{"the text, line by line, with the middle of each on the screen:"}
	for line := range strings.Lines(read.Text) {
		var area image.Rectangle
		n := min(len(strings.Fields(line)), len(read.Words))
		for _, w := range read.Words[:n] {
			area = area.Union(w.Area.Image())
		}
		read.Words = read.Words[n:]
		middle := area.Min.Add(area.Max).Div(2)
		lines = append(lines, fmt.Sprintf("%s [%d,%d]", strings.TrimRight(line, "\n"), middle.X, middle.Y))
	}
	return strings.Join(lines, "\n")
}

// short is a value in one line, cut to what can be read.
func short(v any) string { return words.Shorten(plainJSON(v), longest) }

// plainJSON is a value as JSON that nobody takes for a page, so that <, > and &
// stay what they are.
func plainJSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
