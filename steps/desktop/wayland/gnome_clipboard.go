//go:build linux

package wayland

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// gnomeSelection is the clipboard of the remote desktop.
type gnomeSelection struct {
	gnome *gnome
	text  busText
}

// openSelection starts to listen for changes of the clipboard.
func (g *gnome) openSelection() *gnomeSelection {
	c := &gnomeSelection{gnome: g, text: busText{explain: gnomeError}}
	if g.remote == nil {
		return c
	}
	c.text.call = func(ctx context.Context, method string, args ...any) *dbus.Call {
		return g.remote.CallWithContext(ctx, gnomeRemote+".Session."+method, 0, args...)
	}
	listen(g.bus, &g.signals, c.hear)
	_ = g.bus.AddMatchSignal(dbus.WithMatchObjectPath(g.remote.Path()))
	_ = g.remote.Call(gnomeRemote+".Session.EnableClipboard", 0, map[string]dbus.Variant{}).Err
	return c
}

func (c *gnomeSelection) hear(s *dbus.Signal) {
	switch {
	case s.Name == gnomeRemote+".Session.SelectionOwnerChanged" && len(s.Body) == 1:
		options, _ := s.Body[0].(map[string]dbus.Variant)
		owned, _ := options["session-is-owner"].Value().(bool)
		c.text.changed(owned, nil)
	case s.Name == gnomeRemote+".Session.SelectionTransfer" && len(s.Body) == 2:
		serial, _ := s.Body[1].(uint32)
		c.text.give(serial)
	}
}

func (c *gnomeSelection) read(ctx context.Context) (string, error) {
	var kinds []string
	if err := c.gnome.ask(ctx, "Kinds", []any{&kinds}); err != nil || len(kinds) == 0 {
		return "", err
	}
	return c.text.read(ctx, kinds)
}

func (c *gnomeSelection) offer(ctx context.Context, text string) (<-chan struct{}, error) {
	return c.text.put(ctx, text, "mime-types")
}
