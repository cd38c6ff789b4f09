//go:build linux

package atspi

import (
	"context"

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
	p, w, done, err := c.enter(ctx, l, h, untold)
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
	b := builder{framed: home, app: w.app, epoch: l.epoch, full: true}
	return b.element(n, nil), nil
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
