package workflows

import (
	"reflect"
	"slices"

	"understudy/internal/words"
)

// mustBe reports whether a key's value may be left out by writing null.
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
	if l, ok := into.Addr().Interface().(fieldType); ok {
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
			r.add(v.position, "", "%q is missing", k.name)
		}
	}
	if c, ok := into.Addr().Interface().(interface{ check(*report) }); ok {
		c.check(r)
	}
}

// replaced reports whether another key stands for a required one.
func replaced(owner any, name string) bool {
	d, ok := owner.(*document)
	return ok && name == "steps" && d.URL.value != nil
}

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
		hint = r.nearest(k.text, names)
	}
	r.add(k.position, hint, "unknown key %q", words.Shorten(k.text, 60))
}

func wanted(v *value, s sort, k *key, r *report) bool {
	if v.sort == s {
		return true
	}
	names := map[sort]string{sortObject: "an object", sortList: "a list", sortText: "a text", sortTruth: "true or false", sortNumber: "a number"}
	hint := ""
	if s == sortText && (v.sort == sortNumber || v.sort == sortTruth) {
		hint = "write it in quotes"
	}
	r.add(v.position, hint, "%s wants %s, found %s", k.name, names[s], v)
	return false
}

// check refuses what makes no sense together.
func (d *document) check(r *report) {
	if d.URL.value == nil {
		return
	}
	for _, name := range insteadOfURL {
		if e := d.at.entry(name); e != nil && e.value.sort != sortNull {
			r.add(e.key.position, "leave out one of the two", "%q cannot stand beside url, which brings its own", name)
		}
	}
}

// contradictsURL reports whether the document has a key that its url brings.
func (d *document) contradictsURL() bool {
	return slices.ContainsFunc(insteadOfURL, func(name string) bool {
		v := d.at.get(name)
		return v != nil && v.sort != sortNull
	})
}

// insteadOfURL are the keys that the document at a url brings.
var insteadOfURL = []string{"steps", "troubleshooting", "finally", "variables", "output"}
