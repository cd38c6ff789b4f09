package uia

import (
	"context"
	"fmt"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// Do performs an action of an element.
func (c *Client) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Invoke:
		return c.act(ctx, a.Element, a)
	case desktop.SetText:
		return c.act(ctx, a.Element, a)
	case desktop.InsertText:
		return c.act(ctx, a.Element, a)
	case desktop.SetNumber:
		return c.act(ctx, a.Element, a)
	case desktop.GrabFocus:
		return c.act(ctx, a.Element, a)
	case desktop.Reveal:
		return c.act(ctx, a.Element, a)
	case desktop.Select:
		return c.choose(ctx, a)
	case desktop.RestoreFocus:
		return c.restoreFocus(ctx, a.State)
	}
	return desktop.Unsupported(a)
}

// act performs an action, if the element offers it now.
func (c *Client) act(ctx context.Context, h desktop.Handle, a desktop.Action) error {
	p, err := c.parse(ctx, h)
	if err != nil {
		return &desktop.NotBegunError{Err: err}
	}
	n, err := p.alone(ctx)
	if err != nil {
		return &desktop.NotBegunError{Err: naming(p.window, err)}
	}
	if a, err = n.permit(a); err != nil {
		return err
	}
	return naming(p.window, p.do(ctx, n, a))
}

// permit returns an action as an element performs it: the default action by its name, and a
// number within its limits. It fails with desktop.ErrRefused if the element does not offer it.
func (n *node) permit(a desktop.Action) (desktop.Action, error) {
	switch a.(type) {
	case desktop.GrabFocus, desktop.Reveal:
		return a, nil
	}
	if !n.states.Has(desktop.Enabled) {
		return a, n.refuses("is disabled")
	}
	switch do := a.(type) {
	case desktop.Invoke:
		name := n.action(do.Action)
		if name == "" {
			return a, n.refuses(fmt.Sprintf("has no action %q, only %q", do.Action, n.actions()))
		}
		do.Action = name
		return do, nil
	case desktop.SetText:
		if !n.offers[patValue] || n.states.Has(desktop.ReadOnly) {
			return a, n.refuses("takes no text")
		}
	case desktop.InsertText:
		if !n.states.Has(desktop.Editable) {
			return a, n.refuses("takes no text")
		}
	case desktop.SetNumber:
		if !n.offers[patRange] || n.value == nil {
			return a, n.refuses("has no number that can be set")
		}
		do.Value = min(max(do.Value, n.value.Min), n.value.Max)
		return do, nil
	}
	return a, nil
}

func (n *node) refuses(why string) error {
	return fmt.Errorf("%w: the %s %q %s", desktop.ErrRefused, n.role(), n.name, why)
}

// choose selects or deselects a child of a container.
func (c *Client) choose(ctx context.Context, a desktop.Select) error {
	p, err := c.parse(ctx, a.Container)
	if err != nil {
		return &desktop.NotBegunError{Err: err}
	}
	n, err := p.read(ctx, p.window.ID, p.key, false)
	if err != nil {
		return &desktop.NotBegunError{Err: naming(p.window, err)}
	}
	switch {
	case a.Child < 0 || a.Child >= len(n.children):
		return fmt.Errorf("%w: the %s %q has %d children now", desktop.ErrNotFound, n.role(), n.name, len(n.children))
	case !n.states.Has(desktop.Enabled):
		return n.refuses("is disabled")
	case !n.children[a.Child].offers[patSelect]:
		return n.children[a.Child].refuses("cannot be selected")
	}
	return naming(p.window, p.do(ctx, n.children[a.Child], a))
}

// textToCompare is how many characters tell a text from another one.
const textToCompare = 200

// begin returns the beginning of a text, by which it is known again.
func begin(text string) string {
	if utf8.RuneCountInString(text) > textToCompare {
		return string([]rune(text)[:textToCompare])
	}
	return text
}

// SaveFocus reads the active window, its focused element, caret and selection. What cannot be
// read, such as the element of an application that hangs, stays empty: the window alone is
// worth restoring. The pointer is not known here.
func (c *Client) SaveFocus(ctx context.Context) (f desktop.FocusState, err error) {
	f.Caret = -1
	list, err := c.o.Windows(ctx)
	if err != nil {
		return f, err
	}
	w := desktop.Windows(list).Active()
	if w == nil {
		return f, nil
	}
	f.Window = w.ID
	s, err := c.sourceOf(ctx, w.ID)
	if err != nil {
		return f, context.Cause(ctx)
	}
	n, err := s.focused(ctx, w.ID)
	if err != nil || n == nil {
		return f, context.Cause(ctx)
	}
	f.Element = s.handle(w.ID, n)
	if !n.states.Has(desktop.Editable) || n.password {
		return f, nil
	}
	f.Begin = begin(n.text)
	if s.caret(ctx, n, &f) != nil {
		f.Caret = -1
	}
	return f, context.Cause(ctx)
}

// restoreFocus activates the window, focuses the element, and puts the caret and the selection
// back, unless the element holds another text by now. It fails with desktop.ErrNotFound if the
// element is gone; the window is active by then.
func (c *Client) restoreFocus(ctx context.Context, f desktop.FocusState) error {
	if f.Window != 0 {
		if err := c.o.Activate(ctx, f.Window); err != nil {
			return err
		}
	}
	if f.Element == "" {
		return nil
	}
	p, err := c.parse(ctx, f.Element)
	if err != nil {
		return err
	}
	n, err := p.alone(ctx)
	if err != nil {
		return naming(p.window, err)
	}
	if !n.states.Has(desktop.Focused) {
		if err := p.do(ctx, n, desktop.GrabFocus{Element: f.Element}); err != nil {
			return naming(p.window, err)
		}
	}
	if f.Caret < 0 || begin(n.text) != f.Begin {
		return nil
	}
	now := f
	if err := p.caret(ctx, n, &now); err != nil || now.Length != f.Length || now.Caret == f.Caret && now.Selection == f.Selection {
		return naming(p.window, err)
	}
	return naming(p.window, p.setCaret(ctx, n, f))
}
