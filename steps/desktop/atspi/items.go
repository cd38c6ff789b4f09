//go:build linux

package atspi

import (
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
)

// basics is what is read of every element.
type basics struct {
	role        uint32
	name        string
	description string
	class       string
	states      uint64
	offers      offers
}

// An item is one element as its application told of it, unasked for.
type item struct {
	object
	basics
	parent dbus.ObjectPath
	index  int
	count  int // of children; -1 when it is not said
	kids   []*item
	complete  bool // kids are all children, in order
	shows  bool // it shows, or something below it
	menuOpen bool // below it an item of an open menu shows
	descendants  int  // how many items are below it
}

// items are what an application tells of itself in one call. Not every
// toolkit tells, and not every one tells everything.
type items map[dbus.ObjectPath]*item

// cacheFor is how long items are kept at most, though no event came. ATK tells
// of every change but one: the first name that a program gives an element
// which had none.
const cacheFor = time.Second

// fetchItems gets what the application tells, or what it told last when no
// event came since. The application was greeted just now.
func (a *application) fetchItems(p *pipeline, n *signals) (items, error) {
	asked := time.Now()
	a.mu.Lock()
	old, at, from := a.items, a.itemsCount, a.itemsRead
	a.mu.Unlock()
	now, objects, clear := n.since(a.bus, at) // before asking: an event in between makes it old, never the other way round
	if old != nil && clear && time.Since(from) < cacheFor {
		its, ok, err := old.update(p, objects)
		if ok {
			a.cacheItems(its, now, from)
		}
		if ok || err != nil {
			return its, err
		}
	}
	var body []any
	p.want(object{a.bus, "/org/a11y/atspi/cache"}, ifaceCache+".GetItems", func(b []any) { body = b })
	if err := p.run(); err != nil || body == nil {
		return nil, err // what tells nothing is asked
	}
	its := parseItems(as[[][]any](first[any](body)))
	if a.signalsChanges() {
		a.cacheItems(its, now, asked)
	}
	a.mu.Lock()
	a.providesItems = len(its) > 0
	a.mu.Unlock()
	return its, nil
}

// cacheItems remembers what the application told, and when that was true. When
// another visit kept something later meanwhile, that stays.
func (a *application) cacheItems(its items, at uint64, from time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.items == nil || at >= a.itemsCount {
		a.items, a.itemsCount, a.itemsRead = its, at, from
	}
}

// update are the items after some objects changed. It says false when all must
// be read anew.
func (its items) update(p *pipeline, objects map[dbus.ObjectPath]invalidation) (items, bool, error) {
	list, few := its.invalidated(objects)
	if !few {
		return nil, false, nil
	}
	return its.reread(p, list)
}

// cachedItems are what the application told last, true or not.
func (a *application) cachedItems() items {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.items
}

// parseItems reads the answer of Cache.GetItems and ties the items together.
func parseItems(rows [][]any) items {
	its := make(items, len(rows))
	order := make([]*item, 0, len(rows))
	for _, row := range rows {
		if it, ok := parseItem(row); ok && its[it.path] == nil {
			its[it.path] = it
			order = append(order, it)
		}
	}
	for _, it := range order {
		if p := its[it.parent]; p != nil && p != it {
			p.kids = append(p.kids, it)
		}
	}
	for _, it := range order {
		it.sortKids()
	}
	for _, it := range order {
		it.updateAncestors(its)
	}
	return its
}

// parseItem reads one item, in either of its two forms: the newer one has the
// index and the number of children where the older has the list of children.
func parseItem(row []any) (*item, bool) {
	if len(row) != 9 && len(row) != 10 {
		return nil, false
	}
	it := &item{object: objectOf(at[[]any](row, 0)), parent: objectOf(at[[]any](row, 2)).path, index: -1}
	if len(row) == 10 {
		it.index, it.count = int(at[int32](row, 3)), int(at[int32](row, 4))
		row = row[1:]
	} else {
		it.count = len(at[[][]any](row, 3))
	}
	it.basics = basics{
		offers:      offersOf(at[[]string](row, 4)),
		name:        at[string](row, 5),
		role:        at[uint32](row, 6),
		description: at[string](row, 7),
		states:      stateBits(at[any](row, 8)),
	}
	it.shows = has(it.states, bitShowing)
	return it, !it.none()
}

// sortKids puts the children in order, and says whether they are all there.
func (it *item) sortKids() {
	slices.SortStableFunc(it.kids, func(a, b *item) int { return a.index - b.index })
	it.complete = len(it.kids) == it.count
	for i, k := range it.kids {
		it.complete = it.complete && k.index == i
	}
}

// updateAncestors counts an item with all that it is below of, and lets them
// know that it shows. What is in a menu shows only while the menu is open.
func (it *item) updateAncestors(its items) {
	shows := has(it.states, bitShowing)
	opened := shows && its[it.parent] != nil && roleName(its[it.parent].role) == "menu"
	steps := 0
	for p := its[it.parent]; p != nil && p != it && steps < maxDepth; p = its[p.parent] {
		p.descendants++
		p.shows = p.shows || shows
		p.menuOpen = p.menuOpen || opened
		steps++
	}
}
