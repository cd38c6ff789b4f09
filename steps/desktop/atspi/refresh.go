//go:build linux

package atspi

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// Refresh reads one element again in full, without its children and parents.
func (c *Client) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	windows, err := c.windows(ctx)
	if err != nil {
		return nil, err
	}
	p, w, done, err := c.enter(ctx, l, h, unheard, func(w *walk) {
		if p, err := parseHandle(h); err == nil {
			w.items = nil
			w.foreseeFrames()
			w.foreseeNode(p.object)
		}
	})
	if err != nil {
		return nil, err
	}
	defer done()
	n, err := w.reach(p.object)
	if err != nil {
		return nil, err
	}
	home, err := w.homeOf(n, p, windows)
	if err != nil {
		return nil, err
	}
	w.askRole(n)
	w.askDetails(n)
	w.askLabels(n)
	if err := w.run(); err != nil {
		return nil, err
	}
	w.app.hints.learn(home, n)
	w.app.hints.pick(n.object)
	b := builder{framed: home, app: w.app, epoch: l.epoch, full: true}
	e := b.element(n, nil)
	e.Unsettled = !w.app.hints.settled(home, time.Now())
	return e, nil
}

// homeOf is the frame of a node that was reached already, with its window.
func (w *walk) homeOf(n *node, p place, windows []desktop.Window) (framed, error) {
	delete(w.met, n.object) // it may be the frame itself
	home, err := w.home(p, windows)
	if err != nil {
		return framed{}, err
	}
	home.frame = n
	return home, nil
}
