//go:build linux

package wayland

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// portalSelection is the clipboard of the portal.
type portalSelection struct {
	portal *portal
	text   busText
}

func (p *portal) openSelection() *portalSelection {
	return &portalSelection{portal: p, text: busText{explain: portalError, call: func(ctx context.Context, method string, args ...any) *dbus.Call {
		return p.desk.CallWithContext(ctx, portalClips+"."+method, 0, append([]any{p.session}, args...)...)
	}}}
}

// hear receives a signal about the clipboard.
func (c *portalSelection) hear(s *dbus.Signal) {
	switch {
	case len(s.Body) < 2 || s.Body[0] != c.portal.session:
	case s.Name == portalClips+".SelectionOwnerChanged":
		about, _ := s.Body[1].(map[string]dbus.Variant)
		kinds, _ := about["mime_types"].Value().([]string)
		owned, _ := about["session_is_owner"].Value().(bool)
		c.text.changed(owned, kinds)
	case len(s.Body) == 3:
		serial, _ := s.Body[2].(uint32)
		c.text.give(serial)
	}
}

func (c *portalSelection) read(ctx context.Context) (string, error) {
	if err := c.portal.ready(); err != nil {
		return "", err
	}
	return c.text.read(ctx, nil)
}

func (c *portalSelection) offer(ctx context.Context, text string) (<-chan struct{}, error) {
	if err := c.portal.ready(); err != nil {
		return nil, err
	}
	return c.text.put(ctx, text, "mime_types")
}
