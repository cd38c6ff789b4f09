package workflows

import (
	"encoding/json"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"understudy/steps"
)

// gather writes the arguments of a step that stand beside their groups into the groups.
func (t *translator) gather(args *value, k *steps.Kind) {
	before := len(args.entries)
	for i := 0; i < len(args.entries); i++ {
		e := args.entries[i]
		group, name := k.Place(e.key.text)
		if group == "" || !args.roomIn(group, name) {
			continue
		}
		t.moved(e, group+"."+name)
		args.moveInto(group, i, name)
		if len(args.entries) < before {
			before, i = len(args.entries), i-1
		}
	}
	t.gatherSelectors(args, k)
	args.shorten(steps.TargetArgument)
}

// scattered notes that arguments of a step stand beside their groups, which is read here too.
func (t *translator) scattered(args *value, k *steps.Kind) {
	for _, e := range args.entries {
		if group, name := k.Place(e.key.text); group != "" && args.roomIn(group, name) {
			t.moved(e, group+"."+name)
		}
	}
}

// moved notes once for all keys and arguments that they are written elsewhere.
func (t *translator) moved(e entry, to string) {
	if !t.noted {
		t.noted = true
		t.report.note(e.key.position, "understudy fmt --canonical writes it so, and all others", "%s is written %s here", e.key.text, to)
	}
}

// gatherSelectors adds further selectors of an element to the first, in order.
func (t *translator) gatherSelectors(args *value, k *steps.Kind) {
	for _, name := range []string{"targets", "alternative_selectors"} {
		e := args.entry(name)
		if e == nil || !k.Has(name) {
			continue
		}
		if list, ok := selectorsIn(e.value); ok && args.addSelectors(list) {
			t.moved(*e, "target.selector")
			args.remove(name)
		}
	}
}

// selectorsIn returns the selectors of a list, or of a text that a run does not change.
func selectorsIn(v *value) (list steps.Selectors, ok bool) {
	if v.sort == sortText && isTemplate(v.text) {
		return nil, false
	}
	raw, err := json.Marshal(v.plain())
	return list, err == nil && json.Unmarshal(raw, &list) == nil
}

func (v *value) addSelectors(more steps.Selectors) bool {
	if v.get(steps.TargetArgument) == nil {
		v.insert(steps.TargetArgument, []Pair{}, true)
	}
	target := v.get(steps.TargetArgument)
	if target.sort != sortObject {
		return false
	}
	all := []any{}
	switch now := target.get("selector"); {
	case now == nil:
	case now.sort == sortList:
		all = now.plain().([]any)
	default:
		all = append(all, now.plain())
	}
	for _, s := range more {
		all = append(all, string(s))
	}
	target.remove("selector")
	target.insert("selector", all, false)
	return true
}

// roomIn reports whether a group can take a member: it is an object that lacks it, or not
// there yet.
func (v *value) roomIn(group, name string) bool {
	g := v.get(group)
	return g == nil || g.sort == sortObject && g.get(name) == nil
}

// moveInto moves the entry i of an object into one of its objects, under another name, with
// its comments. The first takes the place of its entry.
func (v *value) moveInto(group string, i int, name string) {
	e, g := v.entries[i], v.get(group)
	n := indexIn(v.node, e.key.text)
	if g == nil {
		g = &value{position: e.key.position, sort: sortObject}
		v.entries[i] = entry{&value{position: e.key.position, sort: sortText, text: group}, g}
	} else {
		v.entries = append(v.entries[:i:i], v.entries[i+1:]...)
	}
	if n >= 0 {
		v.moveNode(group, n, g)
	}
	if e.key.text != name {
		e.key.setText(name)
	}
	g.entries = append(g.entries, e)
}

// in returns one of the objects of an object; without a name, the object itself.
func (v *value) in(group string) *value {
	if group == "" {
		return v
	}
	return v.get(group)
}

// place gives a key of an object another name, in one of its objects if a group is named.
func (v *value) place(key *value, group, name string) {
	if group == "" {
		key.setText(name)
		return
	}
	v.moveInto(group, slices.IndexFunc(v.entries, func(e entry) bool { return e.key == key }), name)
}

func (v *value) moveNode(group string, n int, g *value) {
	key, x := v.node.Content[n], v.node.Content[n+1]
	if g.node == nil {
		g.node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: v.node.Style}
		v.node.Content[n], v.node.Content[n+1] = textNode(group, true), g.node
		v.node.Content[n].HeadComment, key.HeadComment = key.HeadComment, ""
	} else {
		v.node.Content = append(v.node.Content[:n:n], v.node.Content[n+2:]...)
	}
	g.node.Content = append(g.node.Content, key, x)
}

// special matches a text that is no selector as a target: a ref or a point.
var special = regexp.MustCompile(`^\s*(e\d+|-?\d+\s*,\s*-?\d+)\s*$`)

// shorten replaces a target that has only a selector, or only a ref, by its text.
func (v *value) shorten(group string) {
	g := v.get(group)
	if g == nil || g.sort != sortObject || len(g.entries) != 1 {
		return
	}
	e := g.entries[0]
	is := special.MatchString(e.value.text)
	if e.value.sort != sortText || !(e.key.text == "selector" && !is || e.key.text == "ref" && is) {
		return
	}
	v.entry(group).value = e.value
	if n := indexIn(v.node, group); n >= 0 && len(g.node.Content) == 2 {
		v.node.Content[n].HeadComment = joined([]string{v.node.Content[n].HeadComment, g.node.Content[0].HeadComment})
		v.node.Content[n+1] = g.node.Content[1]
	}
}
