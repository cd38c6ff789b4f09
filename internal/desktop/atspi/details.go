//go:build linux

package atspi

import (
	"cmp"
	"maps"
	"strings"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// maxText bounds the characters of a text that is read among others, and
// maxTextAlone those of one that is read alone.
const (
	maxText      = 10_000
	maxTextAlone = 1_000_000
)

// maxActions bounds the actions of an element that only tells how many it has.
const maxActions = 100

// details are the fields of an element that only a full read has.
type details struct {
	rawRole    string
	text       string
	passage    *passage // in place of text; nil if that is complete
	actions    []string
	value      *desktop.Range
	id         string
	attributes map[string]string
	label      string
}

// askBasics requests what an item would hold, and then reports whether the
// object is there: one that does not even return its role is gone.
func (n *node) askBasics(p *pipeline, then func(there bool)) {
	there := false
	together := barrier(4, func() { then(there) })
	p.ask(n.object, ifaceAccessible+".GetRole", func(b []any, err error) {
		n.role, there = first[uint32](b), err == nil
		together()
	})
	n.askName(p, together)
	n.askStates(p, together)
	n.askOffers(p, together)
}

func (n *node) askName(p *pipeline, then func()) {
	p.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { n.name = as[string](variant(b)) }, then), ifaceAccessible, "Name")
}

func (n *node) askStates(p *pipeline, then func()) {
	p.ask(n.object, ifaceAccessible+".GetState", onSuccess(func(b []any) { n.states = stateBits(first[any](b)) }, then))
}

func (n *node) askOffers(p *pipeline, then func()) {
	p.ask(n.object, ifaceAccessible+".GetInterfaces", onSuccess(func(b []any) { n.offers = offersOf(first[[]string](b)) }, then))
}

// askDetails requests everything that basics lacks, with at most the given number
// of characters of the text.
func (l *loader) askDetails(n *node, characters int32) {
	if n.offers&offersComponent != 0 && !l.relative() && n.box.Empty() { // else it is known
		l.askBox(n, func() {})
	}
	if n.offers&offersAction != 0 {
		l.askActions(n)
	}
	if n.offers&offersText != 0 {
		n.askText(l.pipeline, characters)
	}
	cell := roleName(n.role) == "table cell"
	if n.offers&offersValue != 0 && !(cell && n.offers&offersText != 0) { // its text says it
		n.askValue(l.pipeline)
	}
	if roleName(n.role) == "combo box" && l.isChromium() {
		n.askChoice(l.pipeline)
	}
	if n.item == nil && !cell {
		l.get(n.object, ifaceAccessible, "Description", func(v any) { n.description = as[string](v) })
	}
	l.askIdentity(n)
}

// askIdentity requests the ID and the attributes of a node.
func (l *loader) askIdentity(n *node) {
	switch {
	case !l.signalsChanges(): // GTK 3 knows neither IDs nor attributes
		l.get(n.object, ifaceAccessible, "AccessibleId", func(v any) { n.details.id = as[string](v) })
		n.askAttributes(l.pipeline)
	case l.isForeign(n): // the IDs of WebKit are numbers that change
		n.askAttributes(l.pipeline)
	}
}

// askRole requests the name of a role that has no number.
func (n *node) askRole(p *pipeline) {
	if n.role == roleExtended && n.details.rawRole == "" {
		p.want(n.object, ifaceAccessible+".GetRoleName", func(b []any) { n.details.rawRole = first[string](b) })
	}
}

// askActions requests the names of a node's actions. Chromium leaves them empty
// in GetActions and returns them one by one, and WebKit never replies to that.
func (l *loader) askActions(n *node) {
	name := func(actions []string) {
		n.details.actions = actions
		for i, a := range actions {
			if a == "" {
				l.want(n.object, ifaceAction+".GetName", func(b []any) { actions[i] = first[string](b) }, int32(i))
			}
		}
	}
	if l.isForeign(n) {
		l.get(n.object, ifaceAction, "NActions", func(v any) { name(make([]string, min(max(as[int32](v), 0), maxActions))) })
		return
	}
	l.want(n.object, ifaceAction+".GetActions", func(body []any) {
		list := first[[][]any](body)
		actions := make([]string, len(list))
		for i, a := range list {
			actions[i] = at[string](a, 0)
		}
		name(actions)
	})
}

// askText requests the text of a node, or the first characters of a long one.
func (n *node) askText(p *pipeline, characters int32) {
	const all = int32(-1)
	role := roleOf(roleName(n.role))
	read := func(to int32) {
		p.want(n.object, ifaceText+".GetText", func(b []any) {
			text := first[string](b)
			n.details.text = cmp.Or(shown(role, text), n.details.text)
			if role != "password" && has(n.states, bitEditable) && strings.Contains(text, embedded) {
				n.details.passage = &passage{text: text, most: int(characters)}
				n.details.passage.askInside(p, n.object, 0)
			}
		}, int32(0), to)
	}
	if role == "label" || role == "button" || role == "cell" { // never long
		read(all)
		return
	}
	p.get(n.object, ifaceText, "CharacterCount", func(v any) {
		if count := as[int32](v); count > 0 {
			read(min(count, characters))
		}
	})
}

// shown returns a text as it is displayed. Some toolkits expose passwords.
func shown(role desktop.Role, text string) string {
	if role == "password" {
		return strings.Repeat("●", utf8.RuneCountInString(text))
	}
	return strings.ReplaceAll(text, embedded, "")
}

// askChoice requests the name of the selected option of a combo box whose own
// text does not hold it.
func (n *node) askChoice(p *pipeline) {
	p.want(n.object, ifaceAccessible+".GetChildAtIndex", func(b []any) {
		list := objectOf(first[[]any](b))
		p.want(list, ifaceSelection+".GetSelectedChild", func(b []any) {
			p.get(objectOf(first[[]any](b)), ifaceAccessible, "Name", func(v any) { n.details.text = cmp.Or(n.details.text, as[string](v)) })
		}, int32(0))
	}, int32(0))
}

func (n *node) askValue(p *pipeline) {
	var r desktop.Range
	p.get(n.object, ifaceValue, "MinimumValue", func(v any) { r.Min = number(v) })
	p.get(n.object, ifaceValue, "MaximumValue", func(v any) { r.Max = number(v) })
	p.get(n.object, ifaceValue, "CurrentValue", func(v any) {
		r.Now = number(v)
		n.details.value = &r
	})
}

func (n *node) askAttributes(p *pipeline) {
	p.want(n.object, ifaceAccessible+".GetAttributes", func(body []any) {
		n.details.attributes = maps.Clone(first[map[string]string](body))
		delete(n.details.attributes, "toolkit")
	})
}

// identity returns the ID that the toolkit or the document gives a node.
func (d *details) identity() string {
	return cmp.Or(d.id, d.attributes["id"])
}
