package workflows

import (
	"reflect"
	"slices"

	"understudy/internal/words"
	"understudy/workflows/dialect"
)

// decode reads a value into a declared type. A null under a key that may be
// left out means the same as leaving it out.
func decode(v *value, into reflect.Value, k *key, r *report) {
	if v.sort == sortNull && !k.mustBe() && k.typ != "anything" {
		return
	}
	switch x := into.Addr().Interface().(type) {
	case **value:
		*x = k.read(v, r)
	case *dict:
		x.read(v, k, r)
	default:
		if into.Kind() == reflect.Slice {
			decodeList(v, into, k, r)
		} else if wanted(v, sortObject, k, r) != nil {
			into.Set(reflect.New(into.Type().Elem()))
			decodeObject(v, into.Elem(), r)
		}
	}
}

func decodeList(v *value, into reflect.Value, k *key, r *report) {
	if wanted(v, sortList, k, r) == nil {
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

func (d *dict) read(v *value, k *key, r *report) {
	if wanted(v, sortObject, k, r) == nil {
		return
	}
	*d = dict{}
	for _, e := range v.entries {
		x := declaration{key: e.key}
		decode(e.value, reflect.ValueOf(&x.variable).Elem(), &key{name: words.Shorten(e.key.text, 60), required: true}, r)
		if x.variable != nil {
			*d = append(*d, x)
		}
	}
}

// decodeObject reads an object into a type of document.go, and has the type check
// itself.
func decodeObject(v *value, into reflect.Value, r *report) {
	keys, owner := declared[into.Type()], into.Addr().Interface()
	owner.(interface{ set(*value) }).set(v)
	for _, e := range v.entries {
		i := slices.IndexFunc(keys, func(k *key) bool { return k.name == e.key.text })
		if i < 0 {
			unknownKey(e.key, keys, r)
			continue
		}
		decode(e.value, into.Field(keys[i].index), keys[i], r)
	}
	for _, k := range keys {
		if k.required && len(k.of) == 0 && v.get(k.name) == nil && !replaced(owner, k.name) {
			r.add(v.position, "", "%q is missing", k.name)
		}
	}
	if c, ok := owner.(interface{ check(*report) }); ok {
		c.check(r)
	}
}

// replaced reports whether another key stands for a required one.
func replaced(owner any, name string) bool {
	d, ok := owner.(*document)
	return ok && name == "steps" && d.URL != nil
}

func unknownKey(k *value, keys []*key, r *report) {
	hint := refusal(k.text)
	if hint == "" {
		hint = r.nearest(k.text, keyNames(keys))
	}
	r.add(k.position, hint, "unknown key %q", words.Shorten(k.text, 60))
}

// refusal returns what to write in place of a key that other programs have, or "".
func refusal(name string) string {
	for _, sort := range []dialect.Sort{dialect.Step, dialect.Document} {
		row, ok := dialect.Find(sort, "", name)
		switch {
		case ok && name == "output_parser":
			return "give it a script: javascript_code, or javascript_file_path"
		case ok && row.Now != "":
			return "it is written " + row.Now + ", which is also given and says otherwise: leave out one of the two"
		case ok:
			return row.Why
		}
	}
	return ""
}

// sortNames are the names of the sorts of values in messages.
var sortNames = map[sort]string{sortObject: "an object", sortList: "a list", sortText: "a text", sortTruth: "true or false", sortNumber: "a number"}

// wanted returns the value if it is of the sort. If not, it reports that and returns
// nil.
func wanted(v *value, s sort, k *key, r *report) *value {
	hint := ""
	if s == sortText && (v.sort == sortNumber || v.sort == sortTruth) {
		hint = "write it in quotes"
	}
	return wantedOne(v, k, r, sortNames[s], hint, s)
}

// wantedOne is wanted for a value of one of several sorts.
func wantedOne(v *value, k *key, r *report, what, hint string, sorts ...sort) *value {
	if slices.Contains(sorts, v.sort) {
		return v
	}
	r.add(v.position, hint, "%s wants %s, found %s", k.name, what, v)
	return nil
}

// check refuses keys that contradict url.
func (d *document) check(r *report) {
	if d.URL == nil {
		return
	}
	for _, e := range d.besideURL() {
		r.add(e.key.position, "leave out one of the two", "%q cannot be used with url, which has its own", e.key.text)
	}
}

// besideURL returns the entries for which the document at a url has its own.
func (d *document) besideURL() (found []entry) {
	for _, name := range insteadOfURL {
		if e := d.at.entry(name); e != nil && e.value.sort != sortNull {
			found = append(found, *e)
		}
	}
	return found
}

// insteadOfURL lists the keys that the document at a url brings.
var insteadOfURL = []string{"steps", "troubleshooting", "finally", "variables", "output"}
