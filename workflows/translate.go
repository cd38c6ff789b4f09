package workflows

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps"
	"understudy/workflows/dialect"
)

// A translator gives a document its canonical spelling, by the table of dialects, and
// notes what it changed. What the table refuses it leaves, for the checks to report.
type translator struct {
	report *report
	kinds  map[string]*steps.Kind
	loose  bool // name: means a part of a name

	unversioned bool // the document gets no version
	gathers     bool // the text is kept, with arguments in their groups
	noted       bool // that some are
	parser      *outputParser
}

var (
	documentKeys = declared[reflect.TypeFor[document]()]
	callKeys     = declared[reflect.TypeFor[call]()]
)

// translate changes a document, or the one in a tool call.
func (t *translator) translate(root *value) {
	if root == nil || root.sort != sortObject {
		return
	}
	if tool := root.get("tool_name"); tool != nil {
		t.plainName(tool)
		t.version(root)
		t.keys(root, dialect.Document, callKeys)
		root = root.get("arguments")
	}
	if root == nil || root.sort != sortObject {
		return
	}
	t.version(root)
	t.keys(root, dialect.Document, documentKeys)
	if steps := root.get("steps"); root.get("url") != nil && steps != nil && steps.sort == sortList && len(steps.list) == 0 {
		root.remove("steps")
	}
	if root.get("url") == nil {
		t.outputParser(root)
	} else if !t.gathers {
		t.parser = t.takeParser(root)
	}
	t.durations(root, "timeout")
	if t.loose = root.get("version") == nil; t.loose {
		t.firsts(root)
	}
	for _, e := range root.get("selectors").fields() {
		t.looseNames(e.value)
	}
	t.looseNamesIn(root.get("output"))
	for _, list := range []string{"steps", "troubleshooting", "finally"} {
		t.steps(root.get(list))
	}
}

// looseNames gives a selector of a document that is none of ours what it means there: name:
// is also a part of a name, and some roles are several.
func (t *translator) looseNames(v *value) {
	t.loosen(v, func(text string, change func(string) string) string { return change(text) })
}

// looseNamesIn is looseNames for the selectors in expressions and scripts.
func (t *translator) looseNamesIn(v *value) {
	t.loosen(v, dialect.In)
}

func (t *translator) loosen(v *value, in func(string, func(string) string) string) {
	if !t.loose {
		return
	}
	for _, x := range append(v.elements(), v.fieldValues()...) {
		if x.sort != sortText {
			continue
		}
		if now := in(x.text, dialect.LooseNames); now != x.text {
			t.report.note(x.position, "it is written name?:, or name: with version: 1 at the top, where it means the whole name", "name: means a part of a name here, where no name equals it")
			x.setText(now)
		}
		if now := in(x.text, dialect.WideRoles); now != x.text {
			t.report.note(x.position, "other systems give these roles to other elements; docs/migrating.md lists them", "a role is written as several here")
			x.setText(now)
		}
	}
}

// version drops a version of the document's own, which is a text.
func (t *translator) version(root *value) {
	if v := root.get("version"); v != nil && v.sort == sortText {
		t.report.note(v.position, "version: 1 is the version of the format", "version %q has no effect: it is a note for people", v.text)
		root.remove("version")
	}
}

// keys gives the keys of an object their canonical names, and drops those that are notes.
func (t *translator) keys(v *value, sort dialect.Sort, known []*key) {
	for _, e := range slices.Clone(v.entries) {
		row, ok := dialect.Find(sort, "", e.key.text)
		switch {
		case !ok || row.Refused || knows(known, e.key.text):
		case row.Now == "":
			t.drop(v, e, row.Why)
		case e.key.text != "output_parser" && knows(known, row.Now): // that one becomes a step
			t.key(v, e, row)
		}
	}
}

// knows reports whether a key, or the first of a path, is among the keys.
func knows(keys []*key, path string) bool {
	name, _, _ := strings.Cut(path, ".")
	return slices.Contains(keyNames(keys), name)
}

// key gives a key its canonical name and value. Beside a canonical one that contradicts
// it, it stays, for the checks to report.
func (t *translator) key(v *value, e entry, row dialect.Row) {
	now, means := row.Values[encode(e.value.plain())]
	if means && now == nil {
		t.drop(v, e, "it says the same as leaving it out")
		return
	}
	group, name, grouped := strings.Cut(row.Now, ".")
	if !grouped {
		group, name = "", row.Now
	}
	if !means {
		now = e.value.plain()
	}
	switch beside := v.in(group).get(name); {
	case beside != nil && row.Yields:
		t.drop(v, e, row.Now+" is also given, and is used")
	case beside != nil && reflect.DeepEqual(beside.plain(), now):
		t.drop(v, e, row.Now+" says the same")
	case beside != nil || grouped && !v.roomIn(group, name):
	default:
		t.moved(e, row.Now)
		if means {
			e.value.set(now)
		}
		v.place(e.key, group, name)
	}
}

func (t *translator) drop(v *value, e entry, why string) {
	t.report.note(e.key.position, "", "%s has no effect here: %s", e.key.text, why)
	v.remove(e.key.text)
}

func (t *translator) steps(list *value) {
	if list == nil {
		return
	}
	for _, x := range list.list {
		if x.sort == sortObject {
			t.step(x)
		}
	}
}

func (t *translator) step(x *value) {
	t.keys(x, dialect.Step, stepKeys)
	t.durations(x, "timeout", "delay")
	if again := x.get("retry"); again != nil {
		t.durations(again, "delay", "max_delay")
		t.steps(again.get("before"))
	}
	t.tool(x)
	for _, key := range []string{"if", "expect", "while"} {
		t.looseNamesIn(x.get(key))
	}
	if jumps := x.get("jumps"); jumps != nil {
		for _, j := range jumps.list {
			t.looseNamesIn(j.get("if"))
		}
	}
	t.steps(x.get("steps"))
}

func (t *translator) durations(v *value, keys ...string) {
	for _, key := range keys {
		t.duration(v.get(key))
	}
}

func (t *translator) duration(v *value) {
	if v == nil || v.sort != sortText {
		return
	}
	if now := dialect.Duration(v.text); now != v.text {
		t.changed(v, now, "")
	}
}

// changed gives a value another text, and notes that.
func (t *translator) changed(v *value, now, why string) {
	t.report.note(v.position, why, "%s is written %s here", v.text, now)
	v.setText(now)
}

// plainName removes the prefix of a client from the name of a tool.
func (t *translator) plainName(tool *value) {
	if now := dialect.Plain(tool.str()); now != tool.str() {
		t.changed(tool, now, "")
	}
}

// tool gives a step the canonical names of its kind and of the arguments.
func (t *translator) tool(x *value) {
	name := x.get("tool_name")
	if name == nil || name.sort != sortText {
		return
	}
	was := dialect.Plain(name.text)
	row, foreign := dialect.Find(dialect.Tool, "", was)
	foreign = foreign && t.kinds[was] == nil && row.Now != ""
	now := was
	if foreign {
		now = row.Now
	}
	if now != name.text {
		t.changed(name, now, row.Why)
	}
	k, args := t.kinds[name.text], x.get("arguments")
	if k == nil {
		return
	}
	if foreign && len(row.With) > 0 && args == nil {
		x.insert("arguments", map[string]any{}, false)
		args = x.get("arguments")
	}
	if args == nil || args.sort != sortObject {
		return
	}
	for _, e := range slices.Clone(args.entries) {
		t.argument(args, e, was, k)
	}
	for name, with := range row.With {
		if foreign && args.get(name) == nil {
			args.insert(name, with, true)
		}
	}
	if k.Calls && args.get("engine") != nil {
		t.looseNamesIn(args.get("run"))
	}
	if t.gathers {
		t.gather(args, k)
	} else {
		t.scattered(args, k)
	}
}

// argument gives an argument its canonical name and value. Those that the kind knows by
// their own names keep them.
func (t *translator) argument(args *value, e entry, tool string, k *steps.Kind) {
	if property := k.Argument(e.key.text); property != nil {
		if on := e.value.get("enabled"); on != nil && on.sort == sortTruth && property.Type == "boolean" {
			t.report.note(e.value.position, "", "%s is written as true or false here", e.key.text)
			args.remove(e.key.text)
			args.insert(e.key.text, on.truth, false)
			return
		}
		t.argumentValue(property, e.value)
		t.word(args, e)
		return
	}
	row, ok := dialect.Find(dialect.Argument, tool, e.key.text)
	if own, has := dialect.Find(dialect.Argument, k.Name, e.key.text); has && (!ok || row.Of == "") {
		row, ok = own, true
	}
	switch {
	case ok && row.Now == "" && !row.Refused:
		t.drop(args, e, row.Why)
	case ok && k.Argument(row.Now) != nil && args.get(row.Now) == nil:
		t.rename(args, e, row)
	case e.key.text == "vision_type" && e.value.str() == "ui_tree":
		t.drop(args, e, "refs are those of the tree")
	}
}

// argumentValue gives the value of an argument, and what is in it, the spelling of values here.
func (t *translator) argumentValue(s *jsonschema.Schema, v *value) {
	switch {
	case s.Format == "duration":
		t.duration(v)
	case isSelector(s) && v.sort != sortObject:
		t.looseNames(v)
	case s.Format == "expression":
		t.looseNamesIn(v)
	}
	for _, e := range v.entries {
		if p := s.Properties[e.key.text]; p != nil {
			t.argumentValue(p, e.value)
		}
	}
}

// isSelector reports whether an argument is a selector, or several, or has one as a text.
func isSelector(s *jsonschema.Schema) bool {
	return s != nil && (s.Format == "selector" || s.Format == "target" || s.Format == "selectors" || isSelector(s.Items))
}

// CallArguments returns the arguments of a call of one kind in their canonical spelling.
func CallArguments(k *steps.Kind, args map[string]any) map[string]any {
	known := func(name string) bool { return k.Argument(name) != nil }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(args)), func(name string) bool { return !known(name) }) {
		return args
	}
	v := made(args, position{})
	t := &translator{report: &report{}}
	for _, e := range slices.Clone(v.entries) {
		if !known(e.key.text) {
			t.argument(v, e, k.Name, k)
		}
	}
	out, _ := v.plain().(map[string]any)
	return out
}

var digits = regexp.MustCompile(`^#?[0-9]+$`)

func (t *translator) rename(args *value, e entry, row dialect.Row) {
	was := e.key.text
	t.report.note(e.key.position, row.Why, "%s is written %s here", was, row.Now)
	e.key.setText(row.Now)
	if row.Now != "ref" {
		return
	}
	switch {
	case e.value.sort == sortNumber:
		e.value.setText("e" + strconv.FormatFloat(e.value.number, 'f', -1, 64))
	case digits.MatchString(e.value.text):
		e.value.setText("e" + trimHash(e.value.text))
	case isTemplate(e.value.text):
		e.value.setText("e" + e.value.text)
	}
}

func trimHash(text string) string {
	if text[0] == '#' {
		return text[1:]
	}
	return text
}

// word gives the value of an argument its canonical word. A row may name another argument.
func (t *translator) word(args *value, e entry) {
	row, ok := dialect.Find(dialect.Word, e.key.text, e.value.str())
	if !ok || row.Of == "" || e.value.sort != sortText {
		return
	}
	m := otherArgument.FindStringSubmatch(row.Now)
	if m == nil {
		t.changed(e.value, row.Now, row.Why)
		return
	}
	t.report.note(e.key.position, row.Why, "%s", fmt.Sprintf("%s: %s is written %s here", e.key.text, e.value.text, row.Now))
	e.key.setText(m[1])
	e.value.setText(m[2])
}

var otherArgument = regexp.MustCompile(`^(\w+): (.+)$`)
