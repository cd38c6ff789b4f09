//go:build linux

package wayland

import (
	"context"
	"os"
	"sync"
	"syscall"

	"github.com/godbus/dbus/v5"
)

// gnomeSelection is the clipboard of the remote desktop.
type gnomeSelection struct {
	*gnome

	mu    sync.Mutex // guards the fields below
	owned bool       // the clipboard has our text
	own   string
	reads chan struct{} // of our text
}

// openSelection begins to hear of the clipboard.
func (g *gnome) openSelection() *gnomeSelection {
	c := &gnomeSelection{gnome: g}
	if g.remote == nil {
		return c
	}
	signals := make(chan *dbus.Signal, 16)
	g.bus.Signal(signals)
	_ = g.bus.AddMatchSignal(dbus.WithMatchObjectPath(g.remote.Path()))
	_ = g.remote.Call(gnomeRemote+".Session.EnableClipboard", 0, map[string]dbus.Variant{}).Err
	g.signals.Go(func() {
		for s := range signals { // until the connection is closed
			c.hear(s)
		}
	})
	return c
}

func (c *gnomeSelection) hear(s *dbus.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.Name == gnomeRemote+".Session.SelectionOwnerChanged" && len(s.Body) == 1:
		options, _ := s.Body[0].(map[string]dbus.Variant)
		ours, _ := options["session-is-owner"].Value().(bool)
		c.owned = ours
	case s.Name == gnomeRemote+".Session.SelectionTransfer" && len(s.Body) == 2:
		serial, _ := s.Body[1].(uint32)
		go c.give(serial, c.own, c.reads) // the reader may be slow
	}
}

// give writes our text for a program that reads the clipboard.
func (c *gnomeSelection) give(serial uint32, text string, reads chan struct{}) {
	var fd dbus.UnixFD
	err := c.remote.Call(gnomeRemote+".Session.SelectionWrite", 0, serial).Store(&fd)
	if err == nil {
		err = giveText(pipeOf(fd), text)
	}
	_ = c.remote.Call(gnomeRemote+".Session.SelectionWriteDone", 0, serial, err == nil).Err // who asked sees the end
	tell(reads)
}

// pipeOf is a file whose reads and writes can be bounded.
func pipeOf(fd dbus.UnixFD) *os.File {
	_ = syscall.SetNonblock(int(fd), true)
	return os.NewFile(uintptr(fd), "from GNOME")
}

func (c *gnomeSelection) read(ctx context.Context) (string, error) {
	var kinds []string
	if err := c.ask(ctx, "Kinds", []any{&kinds}); err != nil || len(kinds) == 0 {
		return "", err
	}
	c.mu.Lock()
	own, owned := c.own, c.owned
	c.mu.Unlock()
	if owned {
		return own, nil
	}
	kind, err := textAmong(kinds)
	if err != nil {
		return "", err
	}
	var fd dbus.UnixFD
	if err := c.remote.CallWithContext(ctx, gnomeRemote+".Session.SelectionRead", 0, kind).Store(&fd); err != nil {
		return "", gnomeError(ctx, err)
	}
	r := pipeOf(fd)
	defer r.Close()
	return readText(ctx, r)
}

func (c *gnomeSelection) offer(ctx context.Context, text string) (<-chan struct{}, error) {
	reads := make(chan struct{}, 1)
	c.mu.Lock()
	c.own, c.owned, c.reads = text, true, reads
	c.mu.Unlock()
	options := map[string]dbus.Variant{"mime-types": dbus.MakeVariant(texts)}
	return reads, gnomeError(ctx, c.remote.CallWithContext(ctx, gnomeRemote+".Session.SetSelection", 0, options).Err)
}
