//go:build linux

package atspi

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"
	"sync"

	"understudy/internal/desktop"
)

// FrameWindows lists the frames of all applications as windows without a position,
// for a desktop whose window system does not list them. The active window is the
// last. Windows of programs without accessibility are missing, and so are popups.
func (c *Client) FrameWindows(ctx context.Context) ([]desktop.Window, error) {
	q, err := c.query(ctx)
	if err != nil {
		return nil, err
	}
	apps, err := q.applications()
	if err != nil {
		return nil, err
	}
	parts := make([][]desktop.Window, len(apps))
	var wg sync.WaitGroup
	for i, a := range apps {
		wg.Go(func() { parts[i] = q.frameWindows(a) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return lastActive(slices.Concat(parts...)), nil
}

// lastActive puts the active window last. If several call themselves active, none
// is.
func lastActive(list []desktop.Window) []desktop.Window {
	rank := func(w desktop.Window) int {
		if w.Active {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b desktop.Window) int { return rank(a) - rank(b) })
	if n := len(list); n > 1 && list[n-2].Active {
		for i := range list {
			list[i].Active = false
		}
	}
	return list
}

// frameWindows returns the frames of one application that show. If it does not answer,
// they are the frames of its last reply, none marked active: a window that is not listed
// counts as closed.
func (q *query) frameWindows(a *application) []desktop.Window {
	list, err := q.readFrameWindows(a)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.listed = list
	case errors.Is(err, desktop.ErrUnresponsive):
		list = slices.Clone(a.listed)
		for i := range list {
			list[i].Active = false
		}
	}
	return list
}

func (q *query) readFrameWindows(a *application) (list []desktop.Window, err error) {
	w, err := q.visit(a, false, visitUngreeted)
	if err != nil {
		return nil, err
	}
	defer w.end()
	frames, err := w.frames()
	if err != nil {
		return nil, err
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
	return list, nil
}

// frameID returns the ID of a frame as a window: the same as long as the frame
// exists.
func frameID(o object) desktop.WindowID {
	const exact = 1<<53 - 1 // integers that every JSON reader holds exactly
	h := fnv.New64a()
	_, _ = h.Write([]byte(o.bus + string(o.path)))
	return desktop.WindowID(h.Sum64()&exact | 1)
}
