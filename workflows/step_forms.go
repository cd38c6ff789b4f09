package workflows

import (
	"reflect"
	"slices"
	"strings"

	"understudy/internal/words"
)

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
			r.add(e.key.position, keyBelongs(k, form), "%q cannot stand on %s", k.name, formNames[formOf(form)])
		}
		if k.required && e == nil && slices.Contains(k.of, formOf(form)) {
			r.add(s.at.position, "", "%q is missing", k.name)
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
	if len(found) == 0 && (len(r.problems) >= maxHints || s.misspelt()) {
		return // the unknown key is reported
	}
	if len(found) == 0 {
		r.add(s.at.position, "a step has tool_name, group_name, foreach, while or workflow", "this step does not say what to do")
		return
	}
	r.add(s.at.entry(found[1]).key.position, "make two steps of it", "a step has only one of %s", strings.Join(found, " and "))
}

// misspelt reports whether the step has a key that was meant to give its form.
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
