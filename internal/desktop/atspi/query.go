//go:build linux

package atspi

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
)

// A query is one call of a Client, with what the call found when it began.
type query struct {
	ctx     context.Context
	client  *Client
	bus     *busConn
	windows desktop.Windows
}

// query begins a call that needs no windows.
func (c *Client) query(ctx context.Context) (*query, error) {
	bus, err := c.connect(ctx)
	return &query{ctx: ctx, client: c, bus: bus}, err
}

// queryWindows begins a call that matches elements to windows. Without
// Options.Windows there are none.
func (c *Client) queryWindows(ctx context.Context) (*query, error) {
	q, err := c.query(ctx)
	if err == nil && c.options.Windows != nil {
		q.windows, err = c.options.Windows(ctx)
	}
	return q, err
}

// A visitMode is how an application is prepared for a walk.
type visitMode int

const (
	visitUngreeted    visitMode = iota // little is read, without waiting for the greeting
	visitWithoutItems                  // little is read, one by one
	visitCachedItems                   // like visitItems where items are cached and cheap, else without
	visitCheapItems                    // like visitItems unless items are not cheap
	visitItems                         // much is read: fetch the items first
)

// visit greets an application and prepares a walk over it, which the caller
// must end. If the caller of the query named the application, asked is true and
// the whole timeout is spent on it.
func (q *query) visit(a *application, asked bool, mode visitMode) (*walker, error) {
	timeout := q.client.options.Timeout
	wait := min(greetTimeout, timeout)
	if asked {
		wait = timeout
	}
	ctx, end := context.WithCancel(q.ctx) // also ends calls in flight after the visit
	if a.toolkit().name == "" || a.unresponsive.until() != nil || mode != visitUngreeted {
		if err := a.greet(ctx, q.bus, wait, asked); err != nil {
			end()
			return nil, err
		}
	}
	conn, err := a.direct.get(ctx, q.bus, timeout)
	if err != nil {
		end()
		return nil, namingProgram(a.process, err)
	}
	p := newPipeline(ctx, conn, timeout)
	p.home, p.bus = a.bus, q.bus.dbusConn
	p.program, p.silent = a.process, func(o object) {
		if o.bus == a.bus {
			a.unresponsive.begin(q.bus.ask(a.object))
		} else {
			a.pageSilent.begin(q.bus.ask(o))
		}
	}
	w := &walker{query: q, end: end, loader: loader{
		pipeline: p, toolkit: a.toolkit(), app: a,
		placeless: q.client.options.Placeless, visited: map[object]bool{},
	}}
	cheap := mode == visitCheapItems || mode == visitCachedItems && w.signalsChanges()
	if mode == visitItems || cheap && a.cache.cheap() {
		if err := w.fetchItems(); err != nil {
			end()
			return nil, err
		}
	}
	return w, nil
}

// parse parses a handle, which must be of the current bus.
func (q *query) parse(h desktop.Handle) (handleParts, error) {
	p, err := parseHandle(h)
	if err == nil && p.epoch != q.bus.epoch {
		err = fmt.Errorf("%w: the accessibility bus was started again since", desktop.ErrNotFound)
	}
	return p, err
}

// enter begins a walk in the application of a handle.
func (q *query) enter(h desktop.Handle, mode visitMode) (handleParts, *walker, error) {
	p, err := q.parse(h)
	if err != nil {
		return p, nil, err
	}
	apps, err := q.find(func(a *application) bool { return a.bus == p.frame.bus })
	if err != nil {
		return p, nil, err
	}
	if len(apps) == 0 {
		return p, nil, desktop.ErrNotFound
	}
	w, err := q.visit(apps[0], true, mode)
	return p, w, err
}

// resolve loads the element of a handle before it is acted on, and checks that it has the
// interfaces in need, which an error calls name. The caller must end the walker.
func (c *Client) resolve(ctx context.Context, h desktop.Handle, need offers, name string) (*walker, *node, error) {
	w, n, err := c.loadHandle(ctx, h, need, name)
	if err != nil {
		err = &desktop.NotBegunError{Err: err}
	}
	return w, n, err
}

func (c *Client) loadHandle(ctx context.Context, h desktop.Handle, need offers, name string) (*walker, *node, error) {
	q, err := c.query(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, w, err := q.enter(h, visitWithoutItems)
	if err != nil {
		return nil, nil, err
	}
	n, err := w.loadAlone(p.object)
	if err == nil && w.isGecko() {
		n.offers &^= offersEditable // it says that it edits a page, and does not
	}
	if err == nil && n.offers&need != need {
		err = fmt.Errorf("%w: the %s %q offers no %s", desktop.ErrRefused, roleName(n.role), n.name, name)
	}
	if err != nil {
		w.end()
		return nil, nil, err
	}
	return w, n, nil
}
