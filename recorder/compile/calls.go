package compile

import (
	"cmp"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/observe"
)

// Call is a step that was executed, by a run or on its own.
type Call struct {
	Kind   steps.Kind
	ID     string
	Args   map[string]any // with references where secrets stood
	Result any
}

// Calls makes a workflow of successful calls. Calls that only read are left out, unless they waited.
func Calls(calls []Call, o Options) ([]byte, []Note, error) {
	var all stepList
	var given []string
	for _, c := range calls {
		if c.MakesStep() {
			s := c.step()
			given = append(given, c.given()...)
			c.expectWindows(s, given)
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, nil, steps.Errorf(steps.Invalid, "no successful step of these runs acted: wanted at least one")
	}
	w, err := write(all, "", o)
	return w.Text, w.Notes, err
}

// MakesStep reports whether a workflow repeats a call: it acted, or waited for something.
func (c *Call) MakesStep() bool {
	return !c.Kind.Reads || strings.HasPrefix(c.Kind.Name, "wait_") || c.Kind.Name == assert
}

// resultOnly are arguments that only change the result of a call.
var resultOnly = func() map[string]bool {
	names := map[string]bool{"include_window_screenshot": true, "include_monitor_screenshots": true, "highlight_before_action": true}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[observe.DiffOptions]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}()

// step returns the step that repeats a call.
func (c *Call) step() *step {
	args := c.Kind.Spread(c.Args)
	s := &step{kind: c.Kind.Name, subject: c.ID} // without times: between calls a model was thinking
	for _, name := range c.Kind.Fields().PropertyOrder {
		v, given := args[name]
		if !given || resultOnly[name] {
			continue
		}
		if name == "ref" {
			c.found(s)
			continue
		}
		s.set(name, c.withTemplates(s, v))
	}
	if x, y := args["x"], args["y"]; x != nil && y != nil {
		s.doubt("it uses a point of the screen, so everything must be where it was")
	}
	s.subject = cmp.Or(s.subject, strings.TrimSuffix(c.Kind.Name, "_element")+" "+c.about())
	if arg := typedArgument[s.kind]; arg != "" {
		if text, ok := args[arg].(string); ok {
			s.input = &input{arg: arg, value: text, names: c.about()}
			if s.kind == typeIntoElement { // the last keys are no part of the value
				s.input.value = trailingKeys.ReplaceAllString(text, "")
				s.input.after = text[len(s.input.value):]
			}
		}
	}
	return s
}

// typedArgument is the argument of a kind whose value becomes an input.
var typedArgument = map[string]string{typeIntoElement: "text_to_type", typeText: "text"}

// trailingKeys are those at the end of a text that type_into_element presses.
var trailingKeys = regexp.MustCompile(`(?i)(\{(enter|tab|escape)\})+$`)

// given returns the texts that a call types, and the names of files that it opens.
// Another time they may be others, and so may be the title of a window that repeats them.
func (c *Call) given() (all []string) {
	args := c.Kind.Spread(c.Args)
	for _, name := range []string{typedArgument[c.Kind.Name], "file", "url"} {
		if text, ok := args[name].(string); ok {
			all = append(all, path.Base(text))
		}
	}
	app, _ := args["app_name"].(string)
	if line := splitCommand(app); len(line) > 1 {
		for _, word := range line[1:] {
			all = append(all, path.Base(unquoteWord(word)))
		}
	}
	return slices.DeleteFunc(all, func(text string) bool { return len(text) < shortText })
}

// expectWindows has a step expect that the windows open and close which its call was
// seen to open and close, as far as they are of its program and their titles last.
func (c *Call) expectWindows(s *step, given []string) {
	r, _ := c.Result.(map[string]any)
	report, _ := r["happened"].(string)
	process, _ := s.arg("process").(string)
	if of, ok := c.element()["process"].(string); ok {
		process = of
	}
	opened, closed := observe.WindowsIn(report)
	if w, ok := r["window"].(map[string]any); ok && s.kind == closeWindow && r["checked"] == string(observe.Yes) {
		title, _ := w["title"].(string)
		process, _ = w["process"].(string)
		closed = append(closed, desktop.Window{Title: title, Process: process})
	}
	lasts := func(w desktop.Window) bool {
		return w.Process == process && process != "" && bareTitle(w.Title) != "" && selector.Lasting(w.Title) && !slices.ContainsFunc(given, func(text string) bool { return strings.Contains(w.Title, text) })
	}
	for _, w := range closed {
		if lasts(w) {
			s.addExpect("!" + windowExists(&w))
		}
	}
	for _, w := range opened { // last, for the same window may have closed before
		if lasts(w) {
			s.addExpect(windowExists(&w))
		}
	}
}

// element returns the element in the result of a call.
func (c *Call) element() map[string]any {
	r, _ := c.Result.(map[string]any)
	e, _ := r["element"].(map[string]any)
	return e
}

// about returns the subject of a call in a word or two.
func (c *Call) about() string {
	e := c.element()
	for _, key := range []string{"name", "label"} {
		if text, ok := e[key].(string); ok && text != "" {
			return text
		}
	}
	if named := namedIn.FindAllStringSubmatch(c.selector(), -1); named != nil { // as by the label beside it
		return strings.Trim(named[len(named)-1][1], `" `)
	}
	if text, ok := e["role"].(string); ok && text != "" {
		return text
	}
	for _, key := range []string{"app_name", "key", "title"} {
		if text, ok := c.Args[key].(string); ok {
			return text
		}
	}
	return ""
}

// namedIn matches the names in a selector.
var namedIn = regexp.MustCompile(`\bname:("(?:[^"\\]|\\.)*"|[^&|>()]+)`)

// selector returns the selector that the answer to a call gave, or that of the call.
func (c *Call) selector() string {
	r, _ := c.Result.(map[string]any)
	if text, ok := r["selector"].(string); ok && text != "" {
		return text
	}
	text, _ := c.Kind.Spread(c.Args)["selector"].(string)
	return text
}

// found replaces a ref by the selector that the answer gave: it found this element alone.
// Without one, it is made of the element in the result.
func (c *Call) found(s *step) {
	e := c.element()
	text := func(key string) string { t, _ := e[key].(string); return t }
	given, process := c.selector(), text("process")
	if given == "" && text("role") == "" {
		s.set("selector", "role:unknown")
		s.doubt("it used a ref, and nothing else is known about the element: write a selector")
		return
	}
	if given != "" {
		if sel, err := selector.Parse(given); err == nil && sel.Scope().Process != "" {
			process = ""
		}
	}
	if process != "" {
		s.set("process", process)
	}
	if given != "" {
		s.set("selector", given)
		return
	}
	sel := "role:" + text("role")
	switch {
	case text("id") != "":
		sel += " && id:" + selector.Quote(text("id"))
	case text("name") != "":
		sel += " && name:" + selector.Quote(text("name"))
	case text("label") != "":
		sel += " && name:" + selector.Quote(text("label"))
	}
	s.set("selector", sel)
	s.doubt("it used a ref; this selector was derived from the element, and not tried")
}

// computed is the prefix of unnamed secrets: typed into a password field, or computed.
const computed = "computed "

// plainName matches the names of inputs that can be written as inputs.NAME.
var plainName = regexp.MustCompile(`^[\pL_][\pL\d_]*(-[\pL\d_]+)*$`)

// withTemplates replaces secrets by templates.
func (c *Call) withTemplates(s *step, v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = c.withTemplates(s, e)
		}
		return out
	case map[string]any:
		if name, ok := v["$secret"].(string); ok {
			switch {
			case strings.HasPrefix(name, computed):
				name = cmp.Or(slug(c.about()), "hidden")
			case !plainName.MatchString(name): // a part of a secret, such as "code, line 1"
				name = cmp.Or(slug(name), "hidden")
			}
			s.secrets = append(s.secrets, name)
			return inputs(name)
		}
		if parts, ok := v["$join"].([]any); ok {
			all, _ := c.withTemplates(s, parts).([]any)
			return templateOf(all...)
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = c.withTemplates(s, e)
		}
		return out
	}
	return v
}
