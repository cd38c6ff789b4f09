package steps

import (
	"context"

	"understudy/internal/desktop"
)

// withoutTerminals returns d, which refuses to act in a terminal, and closes its window, for a
// caller that may not run commands, if the operator wants it so.
func (e *Env) withoutTerminals(d *desktop.Desktop) *desktop.Desktop {
	if !e.NoTerminals || e.MayUse("run_command") == nil {
		return d
	}
	c := *d
	c.Actor = terminalGuard{d}
	return &c
}

type terminalGuard struct{ of *desktop.Desktop }

func (g terminalGuard) Do(ctx context.Context, a desktop.Action) error {
	w, err := g.reached(ctx, a)
	if err != nil {
		return &desktop.NotBegunError{Err: err}
	}
	if w == nil || !w.IsConsole() {
		return g.of.Do(ctx, a)
	}
	_ = g.of.Do(ctx, desktop.Manage{Window: w.ID, Do: desktop.Close}) // it may ask a person first
	return Errorf(Denied, "the window %s of %s takes commands, so nothing was done in it, and it is closed", Quote(w.Title), w.Process).
		WithNext("use another application; the operator can start the server without --no-terminals, or with --toolsets core,shell")
}

// reached returns the window that an action reaches, or nil.
func (g terminalGuard) reached(ctx context.Context, a desktop.Action) (*desktop.Window, error) {
	var element desktop.Handle
	var at desktop.Point
	var err error
	keys := false
	switch a := a.(type) {
	case desktop.KeyDown, desktop.Press, desktop.Type:
		keys = true
	case desktop.Click:
		at = a.At
	case desktop.ButtonDown, desktop.ButtonUp, desktop.Scroll:
		if at, err = g.of.PointerPosition(ctx); err != nil {
			return nil, err
		}
	case desktop.Invoke:
		element = a.Element
	case desktop.SetText:
		element = a.Element
	case desktop.InsertText:
		element = a.Element
	case desktop.SetNumber:
		element = a.Element
	case desktop.Select:
		element = a.Container
	default:
		return nil, nil
	}
	windows, err := g.of.Windows(ctx)
	switch {
	case err != nil:
		return nil, err
	case keys:
		return windows.Active(), nil
	case element == "":
		return windows.PressedAt(at), nil
	}
	e, err := g.of.Refresh(ctx, element)
	if err != nil {
		return nil, err
	}
	if w := windows.ByID(e.Window); w != nil {
		return w, nil
	}
	return &desktop.Window{ID: e.Window, Title: e.WindowTitle, Process: e.Process, Aliases: e.Aliases, PID: e.PID}, nil
}
