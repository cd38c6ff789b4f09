//go:build linux

package wayland

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
)

// busClipboard is a clipboard that is operated over the bus. The interfaces of GNOME and of the
// portal for that have the same methods and signals, except that those of the portal begin with
// its session.
type busClipboard struct {
	// call calls a method of the interface.
	call func(ctx context.Context, method string, args ...any) *dbus.Call
	// explain puts an error of a call into words.
	explain func(context.Context, error) error
	// ready fails if the session is over.
	ready func() error
	// ask returns the types that the clipboard offers; nil: the signal tells them.
	ask func(context.Context) ([]string, error)
	// hyphens says that options are written with them, and not with underscores.
	hyphens bool
	// copied says that the compositor reads each text itself, to keep it when its owner ends.
	copied bool

	mu    sync.Mutex    // guards the fields below
	owned bool          // the clipboard has our text
	kinds []string      // the types that it offers, if the signal tells them
	own   string        // our text
	reads chan struct{} // of our text
}

// option returns the name of an option.
func (c *busClipboard) option(name string) string {
	if c.hyphens {
		return strings.ReplaceAll(name, "_", "-")
	}
	return name
}

// hear receives a signal of the interface, by its name and its content without the session.
func (c *busClipboard) hear(signal string, body []any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case signal == "SelectionOwnerChanged" && len(body) == 1:
		about, _ := body[0].(map[string]dbus.Variant)
		c.owned, _ = about[c.option("session_is_owner")].Value().(bool)
		c.kinds, _ = about[c.option("mime_types")].Value().([]string)
	case signal == "SelectionTransfer" && len(body) == 2:
		serial, _ := body[1].(uint32)
		if body[0] == secretHint {
			go c.give(serial, "secret", nil)
		} else {
			go c.give(serial, c.own, c.reads)
		}
	}
}

// give writes our text to a program that reads the clipboard, which may be slow.
func (c *busClipboard) give(serial uint32, text string, reads chan<- struct{}) {
	var fd dbus.UnixFD
	err := c.call(context.Background(), "SelectionWrite", serial).Store(&fd)
	if err == nil {
		err = giveText(pipeOf(fd), text)
	}
	_ = c.call(context.Background(), "SelectionWriteDone", serial, err == nil).Err // the reader sees the end
	tellRead(reads)
}

// pipeOf returns a file whose reads and writes can have deadlines.
func pipeOf(fd dbus.UnixFD) *os.File {
	_ = syscall.SetNonblock(int(fd), true)
	return os.NewFile(uintptr(fd), "from the bus")
}

func (c *busClipboard) read(ctx context.Context) (string, error) {
	if err := c.ready(); err != nil {
		return "", err
	}
	var kinds []string
	if c.ask != nil {
		var err error
		if kinds, err = c.ask(ctx); err != nil || len(kinds) == 0 {
			return "", err
		}
	}
	c.mu.Lock()
	own, owned := c.own, c.owned
	if c.ask == nil {
		kinds = c.kinds
	}
	c.mu.Unlock()
	switch {
	case owned:
		return own, nil
	case len(kinds) == 0:
		return "", nil
	}
	kind, err := textAmong(kinds)
	if err != nil {
		return "", err
	}
	var fd dbus.UnixFD
	if err := c.call(ctx, "SelectionRead", kind).Store(&fd); err != nil {
		return "", c.explain(ctx, err)
	}
	r := pipeOf(fd)
	defer r.Close()
	return readText(ctx, r)
}

func (c *busClipboard) offer(ctx context.Context, text string, secret bool) (<-chan struct{}, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	reads := make(chan struct{}, 1)
	c.mu.Lock()
	c.own, c.owned, c.reads = text, true, reads
	c.mu.Unlock()
	err := c.call(ctx, "SetSelection", map[string]dbus.Variant{c.option("mime_types"): dbus.MakeVariant(kindsOf(secret))}).Err
	if err == nil && c.copied && secret {
		c.awaitCopy(ctx, reads)
	}
	return reads, c.explain(ctx, err)
}

// copyWithin bounds the wait for the compositor's copy, which a later version may not make of a
// secret.
const copyWithin = time.Second

// awaitCopy waits until the compositor has read our text. It would be taken for the program that
// is about to paste, which then finds the text of before if it is slow.
func (c *busClipboard) awaitCopy(ctx context.Context, reads <-chan struct{}) {
	select {
	case <-reads:
	case <-time.After(copyWithin):
	case <-ctx.Done():
	}
}
