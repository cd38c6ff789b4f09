//go:build linux

package atspi

import (
	"context"

	"understudy/steps/desktop"
)

// Do performs an action on an element.
func (c *Client) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Invoke:
		return c.Invoke(ctx, a.Element, a.Action)
	case desktop.SetText:
		return c.SetText(ctx, a.Element, a.Text)
	case desktop.InsertText:
		return c.InsertText(ctx, a.Element, a.Text)
	case desktop.SetNumber:
		return c.SetNumber(ctx, a.Element, a.Value)
	case desktop.Select:
		return c.Select(ctx, a.Container, a.Child, a.On)
	case desktop.GrabFocus:
		return c.GrabFocus(ctx, a.Element)
	case desktop.Reveal:
		return c.Reveal(ctx, a.Element, a.Then)
	case desktop.RestoreFocus:
		return c.RestoreFocus(ctx, a.State)
	}
	return desktop.Unsupported(a)
}
