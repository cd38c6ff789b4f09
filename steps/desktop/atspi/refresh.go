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
	p, w, done, err := c.enter(ctx, l, h, visitUngreeted)
	if err != nil {
		return nil, err
	}
	defer done()
	n, err := w.loadAlone(p.object)
	if err != nil {
		return nil, err
	}
	home, err := w.frameOfNode(n, p, windows)
	if err != nil {
		return nil, err
	}
	if err := w.findRootPane(n); err != nil {
		return nil, err
	}
	if err := w.findParents(n); err != nil {
		return nil, err
	}
	w.maxText = maxTextAlone
	w.askRole(n)
	w.askDetails(n)
	w.askLabels(n)
	if err := w.run(); err != nil {
		return nil, err
	}
	b := builder{frameWindow: home, app: w.app, epoch: l.epoch, full: true}
	e := b.element(n, nil)
	e.Unsettled = !w.app.remembered.settled(home, time.Now())
	return e, nil
}

// frameOfNode returns the frame of a node that was loaded already, with its
// window.
func (w *walker) frameOfNode(n *node, p handleParts, windows []desktop.Window) (frameWindow, error) {
	delete(w.visited, n.object) // it may be the frame itself
	home, err := w.frameOfHandle(p, windows)
	if err != nil {
		return frameWindow{}, err
	}
	home.frame = n
	return home, nil
}
