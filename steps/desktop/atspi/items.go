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

// An item is one element as Cache.GetItems returned it.
type item struct {
	object
	basics
	parent      dbus.ObjectPath
	index       int
	count       int // of children; -1 if unknown
	kids        []*item
	complete    bool // kids are all children, in order
	shows       bool // it or a descendant shows
	menuOpen    bool // an item of an open menu below it shows
	descendants int
}

// items are the reply of Cache.GetItems. Some toolkits return none, and some
// return only a part.
type items map[dbus.ObjectPath]*item

// cacheFor bounds the age of cached items even without a signal. ATK signals
// every change but one: the first name given to an element that had none.
const cacheFor = time.Second

// slowItems is when items cost more than the calls that they save a hit test. Office
// returns each cell that anybody ever asked for, thousands after a while.
const slowItems = 50 * time.Millisecond

// itemsCheap reports whether items cost less than the calls that they save where
// little of them is needed.
func (a *application) itemsCheap() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.itemsSlow
}

// fetchItems returns the cached items, updated for the signals since, or asks
// for all of them. The application was greeted just now.
func (a *application) fetchItems(p *pipeline, n *signals) (items, error) {
	asked := time.Now()
	a.mu.Lock()
	old, at, from := a.items, a.itemsCount, a.itemsRead
	a.mu.Unlock()
	now, objects, clear := n.since(a.bus, at) // before asking, so that a signal in between makes the items stale
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
		return nil, err // without items each element is asked
	}
	its := parseItems(as[[][]any](first[any](body)))
	a.mu.Lock()
	a.itemsSlow = time.Since(asked) > slowItems
	a.mu.Unlock()
	if a.signalsChanges() {
		a.cacheItems(its, now, asked)
	}
	return its, nil
}

// cacheItems stores items, unless a concurrent visit stored newer ones.
func (a *application) cacheItems(its items, at uint64, from time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.items == nil || at >= a.itemsCount {
		a.items, a.itemsCount, a.itemsRead = its, at, from
	}
}

// update returns the items after some objects changed, or false if all must be
// read again.
func (its items) update(p *pipeline, objects map[dbus.ObjectPath]invalidation) (items, bool, error) {
	list, few := its.invalidated(objects)
	if !few {
		return nil, false, nil
	}
	return its.reread(p, list)
}

// parseItems decodes the reply of Cache.GetItems and links parents and
// children.
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

// parseItem decodes one item in either format: the newer has the index and the
// number of children where the older has the list of children.
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

// sortKids sorts the children, and notes whether they are complete.
func (it *item) sortKids() {
	slices.SortStableFunc(it.kids, func(a, b *item) int { return a.index - b.index })
	it.complete = len(it.kids) == it.count
	for i, k := range it.kids {
		it.complete = it.complete && k.index == i
	}
}

// updateAncestors counts an item in all its ancestors, and marks them as
// showing if it shows. The items of a menu show only while the menu is open.
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
