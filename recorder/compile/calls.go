package compile

import (
	"cmp"
	"reflect"
	"regexp"
	"strings"
	"time"

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
	Begin  time.Time
	End    time.Time
}

// Calls makes a workflow of successful calls. Calls that only read are left out, unless they waited.
func Calls(calls []Call, o Options) ([]byte, []Note, error) {
	var all []*step
	for _, c := range calls {
		if !c.Kind.Reads || strings.HasPrefix(c.Kind.Name, "wait_") || c.Kind.Name == assert {
			all = append(all, c.step())
		}
	}
	if len(all) == 0 {
		return nil, nil, steps.Errorf(steps.Invalid, "no successful step of these runs acted: wanted at least one")
	}
	w, err := write(all, "", o)
	return w.Text, w.Notes, err
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
	s := &step{kind: c.Kind.Name, subject: c.ID, begin: c.Begin, end: c.End}
	for _, name := range c.Kind.Fields().PropertyOrder {
		v, given := args[name]
		if !given || resultOnly[name] {
			continue
		}
		if name == "ref" {
			c.seen(s)
			continue
		}
		s.set(name, c.withTemplates(s, v))
	}
	if x, y := args["x"], args["y"]; x != nil && y != nil {
		s.doubt("it uses a point of the screen, so everything must be where it was")
	}
	s.subject = cmp.Or(s.subject, strings.TrimSuffix(c.Kind.Name, "_element")+" "+c.about())
	if arg := map[string]string{typeIntoElement: "text_to_type", typeText: "text"}[s.kind]; arg != "" {
		if text, ok := args[arg].(string); ok {
			s.input = &input{arg: arg, value: text, names: c.about()}
		}
	}
	return s
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
	for _, key := range []string{"name", "label", "role"} {
		if text, ok := e[key].(string); ok && text != "" {
			return text
		}
	}
	for _, key := range []string{"app_name", "key", "title"} {
		if text, ok := c.Args[key].(string); ok {
			return text
		}
	}
	return ""
}

// seen replaces a ref by a selector, made of the element in the result.
func (c *Call) seen(s *step) {
	e := c.element()
	text := func(key string) string { t, _ := e[key].(string); return t }
	if text("role") == "" {
		s.set("selector", "role:unknown")
		s.doubt("it used a ref, and nothing else is known about the element: write a selector")
		return
	}
	if p := text("process"); p != "" {
		s.set("process", p)
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
