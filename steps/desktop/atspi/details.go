//go:build linux

package atspi

import (
	"cmp"
	"maps"
	"strings"
	"unicode/utf8"

	"understudy/steps/desktop"
)

// maxText is how many characters are read of a text among others, and
// maxTextAlone of one that is read alone.
const (
	maxText      = 10_000
	maxTextAlone = 1_000_000
)

// details are the fields of an element that only a full read has.
type details struct {
	rawRole    string
	text       string
	actions    []string
	value      *desktop.Range
	id         string
	attributes map[string]string
	label      string
}

// askDetails requests everything that basics lacks.
func (w *walker) askDetails(n *node) {
	if n.offers&offersComponent != 0 && !w.relative && n.box.Empty() { // else it is known
		w.askBox(n, func() {})
	}
	if n.offers&offersAction != 0 {
		w.askActions(n)
	}
	if n.offers&offersText != 0 {
		w.askText(n)
	}
	cell := roleName(n.role) == "table cell"
	if n.offers&offersValue != 0 && !(cell && n.offers&offersText != 0) { // its text says it
		w.askValue(n)
	}
	if roleName(n.role) == "combo box" && w.app.toolkitName() == "Chromium" {
		w.askChoice(n)
	}
	if n.item == nil && !cell {
		w.get(n.object, ifaceAccessible, "Description", func(v any) { n.description = as[string](v) })
	}
	if !w.app.signalsChanges() { // GTK 3 knows neither ids nor attributes
		w.askAttributes(n)
	}
}

// askRole requests the name of a role that has no number.
func (w *walker) askRole(n *node) {
	if n.role == roleExtended && n.details.rawRole == "" {
		w.want(n.object, ifaceAccessible+".GetRoleName", func(b []any) { n.details.rawRole = first[string](b) })
	}
}

// askActions requests the names of a node's actions. Chromium leaves them empty
// in GetActions and returns them one by one.
func (w *walker) askActions(n *node) {
	w.want(n.object, ifaceAction+".GetActions", func(body []any) {
		list := first[[][]any](body)
		n.details.actions = make([]string, len(list))
		for i, a := range list {
			n.details.actions[i] = at[string](a, 0)
			if n.details.actions[i] == "" {
				w.want(n.object, ifaceAction+".GetName", func(b []any) { n.details.actions[i] = first[string](b) }, int32(i))
			}
		}
	})
}

// askText requests the text of a node, or the beginning of a long one.
func (w *walker) askText(n *node) {
	const all = int32(-1)
	role := roleOf(roleName(n.role))
	read := func(to int32) {
		w.want(n.object, ifaceText+".GetText", func(b []any) { n.details.text = cmp.Or(shown(role, first[string](b)), n.details.text) }, int32(0), to)
	}
	if role == "label" || role == "button" || role == "cell" { // never long
		read(all)
		return
	}
	w.get(n.object, ifaceText, "CharacterCount", func(v any) {
		if count := as[int32](v); count > 0 {
			read(min(count, w.maxText))
		}
	})
}

// shown returns a text as it is displayed. Some toolkits expose passwords.
func shown(role desktop.Role, text string) string {
	if role == "password" {
		return strings.Repeat("●", utf8.RuneCountInString(text))
	}
	return strings.ReplaceAll(text, "\ufffc", "") // stands for an embedded element
}

// askChoice requests the text of the option that is chosen in a combo box whose own text
// does not hold it.
func (w *walker) askChoice(n *node) {
	w.want(n.object, ifaceAccessible+".GetChildAtIndex", func(b []any) {
		list := objectOf(first[[]any](b))
		w.want(list, ifaceSelection+".GetSelectedChild", func(b []any) {
			w.get(objectOf(first[[]any](b)), ifaceAccessible, "Name", func(v any) { n.details.text = cmp.Or(n.details.text, as[string](v)) })
		}, int32(0))
	}, int32(0))
}

func (w *walker) askValue(n *node) {
	var r desktop.Range
	w.get(n.object, ifaceValue, "MinimumValue", func(v any) { r.Min = number(v) })
	w.get(n.object, ifaceValue, "MaximumValue", func(v any) { r.Max = number(v) })
	w.get(n.object, ifaceValue, "CurrentValue", func(v any) {
		r.Now = number(v)
		n.details.value = &r
	})
}

func (w *walker) askAttributes(n *node) {
	w.want(n.object, ifaceAccessible+".GetAttributes", func(body []any) {
		n.details.attributes = maps.Clone(first[map[string]string](body))
		delete(n.details.attributes, "toolkit")
	})
	w.get(n.object, ifaceAccessible, "AccessibleId", func(v any) { n.details.id = as[string](v) })
}

// identity returns the ID that the toolkit or the document gives a node.
func (d *details) identity() string {
	if d.id != "" {
		return d.id
	}
	return d.attributes["id"]
}
