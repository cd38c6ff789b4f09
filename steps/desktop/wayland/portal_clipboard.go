//go:build linux

package wayland

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// portalSelection is the clipboard of the portal. The lock of the portal guards its
// fields.
type portalSelection struct {
	*portal
	kinds []string // what it can be read as
	owned bool     // it has our text
	own   string
	reads chan struct{} // of our text
}

// hear takes a signal about the clipboard. The caller holds the lock.
func (c *portalSelection) hear(s *dbus.Signal) {
	switch {
	case len(s.Body) < 2 || s.Body[0] != c.session:
	case s.Name == portalClips+".SelectionOwnerChanged":
		about, _ := s.Body[1].(map[string]dbus.Variant)
		c.owned, _ = about["session_is_owner"].Value().(bool)
		c.kinds, _ = about["mime_types"].Value().([]string)
	case len(s.Body) == 3:
		serial, _ := s.Body[2].(uint32)
		go c.give(serial, c.own, c.reads) // the reader may be slow
	}
}

// give writes our text for a program that reads the clipboard.
func (c *portalSelection) give(serial uint32, text string, reads chan struct{}) {
	var fd dbus.UnixFD
	err := c.desk.Call(portalClips+".SelectionWrite", 0, c.session, serial).Store(&fd)
	if err == nil {
		err = giveText(pipeOf(fd), text)
	}
	_ = c.desk.Call(portalClips+".SelectionWriteDone", 0, c.session, serial, err == nil).Err // who asked sees the end
	tell(reads)
}

func (c *portalSelection) read(ctx context.Context) (string, error) {
	if err := c.ready(); err != nil {
		return "", err
	}
	c.mu.Lock()
	own, owned, kinds := c.own, c.owned, c.kinds
	c.mu.Unlock()
	if owned || len(kinds) == 0 {
		return own, nil
	}
	kind, err := textAmong(kinds)
	if err != nil {
		return "", err
	}
	var fd dbus.UnixFD
	if err := c.desk.CallWithContext(ctx, portalClips+".SelectionRead", 0, c.session, kind).Store(&fd); err != nil {
		return "", portalError(ctx, err)
	}
	r := pipeOf(fd)
	defer r.Close()
	return readText(ctx, r)
}

func (c *portalSelection) offer(ctx context.Context, text string) (<-chan struct{}, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	reads := make(chan struct{}, 1)
	c.mu.Lock()
	c.own, c.owned, c.reads = text, true, reads
	c.mu.Unlock()
	about := map[string]dbus.Variant{"mime_types": dbus.MakeVariant(texts)}
	return reads, portalError(ctx, c.desk.CallWithContext(ctx, portalClips+".SetSelection", 0, c.session, about).Err)
}
