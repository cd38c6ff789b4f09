//go:build linux

package atspi

import "github.com/godbus/dbus/v5"

// An invalidation is how much a signal may change of what is known of objects:
// their names, roles, states and children.
type invalidation int

const (
	invalidatesNothing     invalidation = iota
	invalidatesIfScrollBar              // all if it is a scroll bar, which changes what shows
	invalidatesObject                   // the object itself
	invalidatesSubtree                  // the object and its descendants
	invalidatesMoved                    // the same, but all if several moved: they may have changed order
	invalidatesAll
)

// ownStates are the states whose change does not concern other objects.
var ownStates = map[string]bool{
	"focused": true, "active": true, "armed": true, "pressed": true, "checked": true, "selected": true, "indeterminate": true,
}

// invalidationOf returns what a signal invalidates. An unknown one invalidates
// all.
func invalidationOf(member, detail string) invalidation {
	switch member {
	case "BoundsChanged": // it may have come into view
		return invalidatesMoved
	case "StateChanged":
		if ownStates[detail] {
			return invalidatesObject
		}
		return invalidatesSubtree
	case "PropertyChange":
		switch detail {
		case "accessible-value":
			return invalidatesIfScrollBar
		case "accessible-name", "accessible-description":
			return invalidatesObject
		}
	case "TextChanged", "TextCaretMoved", "TextSelectionChanged", "Activate", "Deactivate":
		return invalidatesObject
	}
	return invalidatesAll
}

// manyChanges is how many objects may be invalid before everything is read
// again.
const manyChanges = 64

func (c *changes) add(o dbus.ObjectPath, r invalidation) {
	c.now++
	if r == invalidatesAll || len(c.objects) >= manyChanges {
		c.unclear = c.now
		clear(c.objects)
		return
	}
	c.objects[o] = change{max(r, c.objects[o].reach), c.now}
}

// invalidated returns the items that a set of changes concerns, or false if
// they are too many to read one by one.
func (its items) invalidated(objects map[dbus.ObjectPath]invalidation) ([]*item, bool) {
	concerned := map[*item]bool{}
	var gather func(it *item, depth int) bool
	gather = func(it *item, depth int) bool {
		concerned[it] = true
		for _, k := range it.kids {
			if len(concerned) > manyChanges || depth > maxDepth || !gather(k, depth+1) {
				return false
			}
		}
		return len(concerned) <= manyChanges
	}
	moves := 0
	for o, r := range objects {
		it := its[o]
		if r == invalidatesMoved {
			moves++
		}
		switch {
		case moves > 1:
			return nil, false
		case it == nil, r == invalidatesIfScrollBar && roleName(it.role) != "scroll bar":
		case r == invalidatesIfScrollBar:
			return nil, false
		case r == invalidatesObject:
			concerned[it] = true
		case !gather(it, 0):
			return nil, false
		}
	}
	list := make([]*item, 0, len(concerned))
	for it := range concerned {
		list = append(list, it)
	}
	return list, len(list) <= manyChanges
}

// reread reads invalid items again. It returns false if one of them is gone.
// The receiver stays as it is, since others may hold it.
func (its items) reread(p *pipeline, list []*item) (items, bool, error) {
	now := make(map[*item]*basics, len(list))
	gone := false
	for _, it := range list {
		b := it.basics
		now[it] = &b
		got := func(take func(body []any)) replyFunc {
			return func(body []any, err error) {
				gone = gone || err != nil
				take(body)
			}
		}
		p.ask(it.object, ifaceAccessible+".GetState", got(func(body []any) { b.states = stateBits(first[any](body)) }))
		p.ask(it.object, ifaceProperties+".Get", got(func(body []any) { b.name = as[string](variant(body)) }), ifaceAccessible, "Name")
		p.ask(it.object, ifaceProperties+".Get", got(func(body []any) { b.description = as[string](variant(body)) }), ifaceAccessible, "Description")
	}
	if err := p.run(); err != nil || gone {
		return nil, false, err
	}
	same := true
	for it, b := range now {
		same = same && *b == it.basics
	}
	if same {
		return its, true, nil
	}
	return its.withBasics(now), true, nil
}

// withBasics returns a copy with other basics for some items.
func (its items) withBasics(now map[*item]*basics) items {
	copies := make([]item, 0, len(its))
	fresh := make(items, len(its))
	for path, it := range its {
		copies = append(copies, *it)
		c := &copies[len(copies)-1]
		if b := now[it]; b != nil {
			c.basics = *b
		}
		c.shows, c.menuOpen, c.descendants = has(c.states, bitShowing), false, 0
		fresh[path] = c
	}
	for _, c := range fresh {
		kids := make([]*item, len(c.kids))
		for i, k := range c.kids {
			kids[i] = fresh[k.path]
		}
		c.kids = kids
	}
	for _, c := range fresh {
		c.updateAncestors(fresh)
	}
	return fresh
}
