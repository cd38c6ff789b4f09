//go:build linux

package atspi

import (
	"slices"
	"sync"
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

// slowItems is from when on items cost more than the calls that they save a hit
// test. LibreOffice returns each cell that anybody ever asked for, thousands after
// a while.
const slowItems = 50 * time.Millisecond

// An itemCache holds the items of an application.
type itemCache struct {
	mu    sync.Mutex // guards the fields below
	items items
	count uint64    // signals of the application when the items were fetched
	read  time.Time // when the items were fetched
	slow  bool      // fetching took longer than slowItems
}

// cheap reports whether items cost less than the calls that they save where
// little of them is needed.
func (c *itemCache) cheap() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.slow
}

// store stores items, unless a concurrent visit stored newer ones.
func (c *itemCache) store(its items, count uint64, read time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil || count >= c.count {
		c.items, c.count, c.read = its, count, read
	}
}

// fetchItems sets w.items to the cached items, updated for the signals since, or
// asks for all of them. The application was greeted just now. While items are
// cached, signals must report what moves.
func (w *walker) fetchItems() error {
	a, s := w.app, w.query.client.signals
	keep := w.signalsChanges()
	if keep {
		done, err := w.query.bus.bounds.acquire(w.ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	asked := time.Now()
	a.cache.mu.Lock()
	old, count, read := a.cache.items, a.cache.count, a.cache.read
	a.cache.mu.Unlock()
	now, objects, clear := s.since(a.bus, count) // before asking, so that a signal in between makes the items stale
	if old != nil && clear && time.Since(read) < cacheFor {
		its, ok, err := old.update(w.pipeline, objects)
		if ok {
			a.cache.store(its, now, read)
		}
		if ok || err != nil {
			w.items = its
			return err
		}
	}
	var body []any
	w.want(object{a.bus, "/org/a11y/atspi/cache"}, ifaceCache+".GetItems", func(b []any) { body = b })
	if err := w.run(); err != nil || body == nil {
		return err // without items each element is asked
	}
	w.items = parseItems(as[[][]any](first[any](body)))
	a.cache.mu.Lock()
	a.cache.slow = time.Since(asked) > slowItems
	a.cache.mu.Unlock()
	if keep {
		a.cache.store(w.items, now, asked)
	}
	return nil
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
	it := &item{object: objectOf(at[[]any](row, 0)), parent: at[dbus.ObjectPath](at[[]any](row, 2), 1), index: -1}
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

// children returns the objects of the known children, none of a nil item.
func (it *item) children() (list []object) {
	if it != nil {
		for _, k := range it.kids {
			list = append(list, k.object)
		}
	}
	return list
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
	for p, depth := its[it.parent], 0; p != nil && p != it && depth < maxDepth; p, depth = its[p.parent], depth+1 {
		p.descendants++
		p.shows = p.shows || shows
		p.menuOpen = p.menuOpen || opened
	}
}
