//go:build linux

package atspi

import (
	"context"
	"hash/fnv"
	"slices"
	"sync"

	"understudy/steps/desktop"
)

// FrameWindows lists the frames of all applications as windows without a place, for
// a desktop where nobody tells of its windows: the active one is the last. Windows of
// programs without accessibility are missing, and so are popups.
func (c *Client) FrameWindows(ctx context.Context) ([]desktop.Window, error) {
	l, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	apps, err := c.applications(ctx, l)
	if err != nil {
		return nil, err
	}
	parts := make([][]desktop.Window, len(apps))
	var wg sync.WaitGroup
	for i, a := range apps {
		wg.Go(func() { parts[i] = c.frameWindows(ctx, l, a) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return lastActive(slices.Concat(parts...)), nil
}

// lastActive puts the active window last. Of several that call themselves active it
// is not known which one is.
func lastActive(list []desktop.Window) []desktop.Window {
	active := func(w desktop.Window) bool { return w.Active }
	i := slices.IndexFunc(list, active)
	if i < 0 {
		return list
	}
	one := list[i]
	rest := slices.Delete(list, i, i+1)
	if !slices.ContainsFunc(rest, active) {
		return append(rest, one)
	}
	one.Active = false
	for i := range rest {
		rest[i].Active = false
	}
	return append(rest, one)
}

// frameWindows are the frames of one application that show; none of one that does
// not answer.
func (c *Client) frameWindows(ctx context.Context, l *busConn, a *application) (list []desktop.Window) {
	w, done, err := c.visit(ctx, l, a, false, visitUngreeted)
	if err != nil {
		return nil
	}
	defer done()
	frames, err := w.frames()
	if err != nil {
		return nil
	}
	for _, f := range frames {
		role := roleName(f.role)
		if role == "window" || role == "tool tip" || !w.shows(f) || f.box.Empty() {
			continue
		}
		list = append(list, desktop.Window{
			ID: frameID(f.object), Title: f.name, PID: a.pid, Process: a.process, Aliases: a.aliases,
			Unplaced: desktop.Size{W: f.box.W, H: f.box.H}, Active: has(f.states, bitActive),
			Modal: has(f.states, bitModal), Dialog: role == "dialog" || role == "alert",
		})
	}
	return list
}

// frameID is how a frame is known as a window: the same as long as it is there.
func frameID(o object) desktop.WindowID {
	const exact = 1<<53 - 1 // what every reader of JSON holds
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.bus + string(o.path)))
	return desktop.WindowID(h.Sum64()&exact | 1)
}
