package workflows

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
)

// A leaf is a value that is not looked into any further by the shape of the
// document.
type leaf interface {
	// read keeps a value, and reports when it is not one that may stand here.
	read(v *value, k *key, r *report)
	// schema says which values may.
	schema(k *key) *jsonschema.Schema
}

// key is the declaration of one key of an object.
type key struct {
	name     string
	doc      string
	words    []string
	min, max *float64
	whole    bool
	required bool
	form     string   // the form of a step that this key stands for
	of       []string // the forms of a step that may have it; nil: all
	index    int      // of the field
}

// keysOf reads the declaration of a type's keys.
func keysOf(t reflect.Type) []*key {
	var keys []*key
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("json")
		if name == "" {
			continue
		}
		keys = append(keys, &key{
			name: name, doc: f.Tag.Get("doc"), index: i,
			words: split(f.Tag.Get("words")), of: split(f.Tag.Get("of")), form: f.Tag.Get("form"),
			min: bound(f.Tag.Get("min")), max: bound(f.Tag.Get("max")),
			whole: f.Tag.Get("whole") != "", required: f.Tag.Get("required") != "",
		})
	}
	return keys
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return &n
}

// keys of each type of the declaration.
var declared = map[reflect.Type][]*key{}

func init() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[document](), reflect.TypeFor[step](), reflect.TypeFor[retry](),
		reflect.TypeFor[jump](), reflect.TypeFor[variable](), reflect.TypeFor[call](),
	} {
		declared[t] = keysOf(t)
	}
}

// mustBe says whether a key's value may be left out by writing null.
func (k *key) mustBe() bool { return k.required || k.form != "" }

// decode reads a value into a declared type. A null under a key that may be
// left out is the same as leaving it out.
func decode(v *value, into reflect.Value, k *key, r *report) {
	if v.sort == sortNull && (k == nil || !k.mustBe()) {
		if l, ok := into.Addr().Interface().(*anything); ok {
			l.value = v
		}
		return
	}
	if l, ok := into.Addr().Interface().(leaf); ok {
		l.read(v, k, r)
		return
	}
	if d, ok := into.Addr().Interface().(interface {
		decodeDict(*value, *key, *report)
	}); ok {
		d.decodeDict(v, k, r)
		return
	}
	switch into.Kind() {
	case reflect.Slice:
		decodeList(v, into, k, r)
	case reflect.Pointer:
		if wanted(v, sortObject, k, r) {
			into.Set(reflect.New(into.Type().Elem()))
			decodeObject(v, into.Elem(), r)
		}
	}
}

func decodeList(v *value, into reflect.Value, k *key, r *report) {
	if !wanted(v, sortList, k, r) {
		return
	}
	items := reflect.MakeSlice(into.Type(), 0, len(v.list))
	for _, x := range v.list {
		item := reflect.New(into.Type().Elem()).Elem()
		decode(x, item, &key{name: k.name, required: true}, r)
		if !item.IsNil() {
			items = reflect.Append(items, item)
		}
	}
	into.Set(items)
}

func decodeObject(v *value, into reflect.Value, r *report) {
	keys := declared[into.Type()]
	if s, ok := into.Addr().Interface().(interface{ set(*value) }); ok {
		s.set(v)
	}
	for _, e := range v.entries {
		i := slices.IndexFunc(keys, func(k *key) bool { return k.name == e.key.text })
		if i < 0 {
			unknownKey(e.key, keys, r)
			continue
		}
		decode(e.value, into.Field(keys[i].index), keys[i], r)
	}
	for _, k := range keys {
		if k.required && len(k.of) == 0 && v.get(k.name) == nil && !replaced(into.Addr().Interface(), k.name) {
			r.add(v.place, "", "%q is missing", k.name)
		}
	}
	if c, ok := into.Addr().Interface().(interface{ check(*report) }); ok {
		c.check(r)
	}
}

// replaced says whether another key stands for a required one.
func replaced(owner any, name string) bool {
	d, ok := owner.(*document)
	return ok && name == "steps" && d.URL.value != nil
}

func (d *document) set(v *value) { d.at = v }
func (s *step) set(v *value)     { s.at = v }
func (x *retry) set(v *value)    { x.at = v }
func (j *jump) set(v *value)     { j.at = v }
func (x *variable) set(v *value) { x.at = v }
func (c *call) set(v *value)     { c.at = v }

// refusedKeys are keys that users of other systems know, and what to write
// instead.
var refusedKeys = map[string]string{
	"output_parser": "JavaScript is not run here; name what the run returns with `output`, such as output: {saved: check_result.exists}",
	"command":       "a step is named by tool_name; for a command line write tool_name: run_command",
	"on_error":      "write fallback_id, or continue_on_error: true",
	"else":          "write a second step with the opposite `if`, or jumps",
	"args":          "write arguments",
	"tool":          "write tool_name",
	"name":          "write id to name a step, group_name to name a group",
}

func unknownKey(k *value, keys []*key, r *report) {
	names := make([]string, len(keys))
	for i, x := range keys {
		names[i] = x.name
	}
	hint := refusedKeys[k.text]
	if hint == "" {
		hint = words.DidYouMean(shorten(k.text, 60), names)
	}
	r.add(k.place, hint, "unknown key %q", shorten(k.text, 60))
}

// wanted says whether a value has a type, and reports when it has not.
func wanted(v *value, s sort, k *key, r *report) bool {
	if v.sort == s {
		return true
	}
	names := map[sort]string{sortObject: "an object", sortList: "a list", sortText: "a text", sortTruth: "true or false", sortNumber: "a number"}
	hint := ""
	if s == sortText && (v.sort == sortNumber || v.sort == sortTruth) {
		hint = "write it in quotes"
	}
	r.add(v.place, hint, "%s wants %s, found %s", k.name, names[s], v)
	return false
}

// check holds a step to its form: exactly one, and only the keys of that.
func (s *step) check(r *report) {
	form := s.form()
	if form == "" {
		s.reportForm(r)
		return
	}
	for _, k := range declared[reflect.TypeFor[step]()] {
		e := s.at.entry(k.name)
		if e != nil && len(k.of) > 0 && !slices.Contains(k.of, formOf(form)) {
			r.add(e.key.place, keyBelongs(k, form), "%q cannot stand on %s", k.name, formNames[formOf(form)])
		}
		if k.required && e == nil && slices.Contains(k.of, formOf(form)) {
			r.add(s.at.place, "", "%q is missing", k.name)
		}
	}
}

func (s *step) reportForm(r *report) {
	var found []string
	for _, f := range stepForms {
		if s.at.get(f) != nil {
			found = append(found, f)
		}
	}
	if len(found) == 0 && s.misspelt() {
		return // the unknown key is reported
	}
	if len(found) == 0 {
		r.add(s.at.place, "a step has tool_name, group_name, foreach, while or workflow", "this step does not say what to do")
		return
	}
	r.add(s.at.entry(found[1]).key.place, "make two steps of it", "a step has only one of %s", strings.Join(found, " and "))
}

// misspelt says whether the step has a key that was meant to give its form.
func (s *step) misspelt() bool {
	names := keyNames(reflect.TypeFor[step]())
	return slices.ContainsFunc(s.at.entries, func(e entry) bool {
		return !slices.Contains(names, e.key.text) &&
			(slices.Contains(stepForms, words.Nearest(e.key.text, names)) || e.key.text == "command" || e.key.text == "tool")
	})
}

// formOf is the form that a key stands for.
func formOf(name string) string {
	switch name {
	case "tool_name":
		return "step"
	case "group_name":
		return "group"
	}
	return name
}

var formNames = map[string]string{
	"step": "a plain step", "group": "a group", "foreach": "a foreach loop", "while": "a while loop", "workflow": "a call",
}

func keyBelongs(k *key, form string) string {
	if form != "tool_name" && slices.Contains(k.of, "step") {
		return "put it on the steps inside"
	}
	return "it belongs to " + formNames[k.of[0]]
}

// check refuses what makes no sense together.
func (d *document) check(r *report) {
	if d.URL.value == nil {
		return
	}
	for _, name := range insteadOfURL {
		if e := d.at.entry(name); e != nil && e.value.sort != sortNull {
			r.add(e.key.place, "leave out one of the two", "%q cannot stand beside url, which brings its own", name)
		}
	}
}

// insteadOfURL are the keys that the document at a url brings.
var insteadOfURL = []string{"steps", "troubleshooting", "finally", "variables", "output"}
