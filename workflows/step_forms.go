package workflows

import (
	"reflect"
	"slices"
	"strings"

	"understudy/internal/words"
)

var (
	stepKeys = declared[reflect.TypeFor[step]()]
	// formKeys are the keys that say which form a step has.
	formKeys = slices.DeleteFunc(slices.Clone(stepKeys), func(k *key) bool { return k.form == "" })
)

var formNames = map[string]string{
	"step": "a plain step", "group": "a group", "foreach": "a foreach loop", "while": "a while loop", "workflow": "a call",
}

// forms returns the keys that give the step its form: one, if the step is right.
func (s *step) forms() []*key {
	return slices.DeleteFunc(slices.Clone(formKeys), func(k *key) bool { return s.at.get(k.name) == nil })
}

// form returns the form of the step, or "" if it has none or several.
func (s *step) form() string {
	if found := s.forms(); len(found) == 1 {
		return found[0].form
	}
	return ""
}

// check holds a step to one form, and to the keys of that form.
func (s *step) check(r *report) {
	form := s.form()
	if form == "" {
		s.reportForm(r)
		return
	}
	for _, k := range stepKeys {
		e, belongs := s.at.entry(k.name), slices.Contains(k.of, form)
		switch {
		case e != nil && len(k.of) > 0 && !belongs:
			r.add(e.key.position, keyBelongs(k, form), "%q is not allowed on %s", k.name, formNames[form])
		case e == nil && k.required && belongs:
			r.add(s.at.position, "", "%q is missing", k.name)
		}
	}
}

func (s *step) reportForm(r *report) {
	found := keyNames(s.forms())
	switch {
	case len(found) > 0:
		r.add(s.at.entry(found[1]).key.position, "make two steps of it", "a step has only one of %s", strings.Join(found, " and "))
	case len(r.problems) < maxHints && !s.misspelt(): // else the unknown key is reported
		r.add(s.at.position, "a step has tool_name, group_name, foreach, while or workflow", "this step does not say what to do")
	}
}

// misspelt reports whether the step has a key that was meant to give its form.
func (s *step) misspelt() bool {
	names, formNames := keyNames(stepKeys), keyNames(formKeys)
	return slices.ContainsFunc(s.at.entries, func(e entry) bool {
		return !slices.Contains(names, e.key.text) &&
			(slices.Contains(formNames, words.Nearest(e.key.text, names)) || e.key.text == "command" || e.key.text == "tool")
	})
}

// keyBelongs returns the hint for a key that the step's form does not have.
func keyBelongs(k *key, form string) string {
	if form != "step" && slices.Contains(k.of, "step") {
		return "put it on the steps inside"
	}
	return "it belongs to " + formNames[k.of[0]]
}
