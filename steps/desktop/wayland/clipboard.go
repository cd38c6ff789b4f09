//go:build linux

package wayland

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland/wire"
)

// texts are the names under which text is on a clipboard, the best first.
var texts = []string{"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", "TEXT"}

// textAmong is the best name of text among those that a clipboard can be read as.
func textAmong(kinds []string) (string, error) {
	for _, kind := range texts {
		if slices.Contains(kinds, kind) {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%w: the clipboard holds something that is no text", desktop.ErrRefused)
}

// giveText writes our text for a program that reads the clipboard.
func giveText(into *os.File, text string) error {
	_ = into.SetWriteDeadline(time.Now().Add(readWithin))
	_, err := io.WriteString(into, text)
	return errors.Join(err, into.Close())
}

// tell tells that our text was read, unless that is known already.
func tell(reads chan<- struct{}) {
	select {
	case reads <- struct{}{}:
	default:
	}
}

// A selection is the clipboard as the compositor has it.
type selection interface {
	// read is its text, "" when it holds nothing, and desktop.ErrRefused when it holds
	// something that is no text.
	read(ctx context.Context) (string, error)
	// offer puts text there, where it stays until another program takes the clipboard or
	// we end; the channel tells of programs that have taken it from there.
	offer(ctx context.Context, text string) (taken <-chan struct{}, err error)
}

// clipboard reads and writes the clipboard without having the focus.
type clipboard struct {
	*Driver
	selection selection
	missing   error
}

func (c *clipboard) open(seat wire.Seat) {
	c.selection, c.missing = newDataControl(c.Driver, seat)
}

// ReadClipboard is the clipboard's text.
func (c *clipboard) ReadClipboard(ctx context.Context) (string, error) {
	if c.missing != nil {
		return "", c.missing
	}
	return c.selection.read(ctx)
}

// write puts text on the clipboard.
func (c *clipboard) write(ctx context.Context, text string) error {
	if c.missing != nil {
		return c.missing
	}
	_, err := c.selection.offer(ctx, text)
	return err
}

// dataControl is the clipboard of the protocol of data control.
type dataControl struct {
	*Driver
	manager wire.DataControlManager
	device  wire.DataControlDevice

	mu      sync.Mutex // guards the fields below
	offered map[uint32][]string
	current wire.DataControlOffer
}

func newDataControl(d *Driver, seat wire.Seat) (selection, error) {
	m, err := wire.BindDataControlManager(d.conn, 0)
	if err != nil {
		return nil, err
	}
	c := &dataControl{Driver: d, manager: m, offered: map[uint32][]string{}}
	c.device = m.GetDataDevice(seat, wire.DataControlDeviceEvents{DataOffer: c.announced, Selection: c.selected})
	return c, nil
}

// announced hears what a selection that comes next can be read as.
func (c *dataControl) announced(o wire.DataControlOffer) {
	c.mu.Lock()
	c.offered[o.ID()] = nil
	c.mu.Unlock()
	o.Listen(wire.DataControlOfferEvents{Offer: func(kind string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.offered[o.ID()] = append(c.offered[o.ID()], kind)
	}})
}

func (c *dataControl) selected(o wire.DataControlOffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.current.None() {
		c.current.Destroy()
		delete(c.offered, c.current.ID())
	}
	c.current = o
}

// readWithin bounds the wait for the program that owns the clipboard.
const readWithin = 3 * time.Second

func (c *dataControl) read(ctx context.Context) (string, error) {
	if err := c.conn.Sync(ctx); err != nil { // what was copied before is told by then
		return "", err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	asked, err := c.request(w)
	w.Close()
	if err != nil || !asked {
		return "", err
	}
	if err := c.conn.Sync(ctx); err != nil {
		return "", err
	}
	return readText(ctx, r)
}

// readText reads what the owner of the clipboard writes.
func readText(ctx context.Context, r *os.File) (string, error) {
	text, err := readPipe(ctx, r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("the program that owns the clipboard: %w", desktop.ErrUnresponsive)
	}
	return string(text), err
}

// readPipe reads what another program writes, as long as that does not take too long.
func readPipe(ctx context.Context, r *os.File) ([]byte, error) {
	if err := r.SetReadDeadline(time.Now().Add(readWithin)); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = r.SetReadDeadline(time.Now()) })()
	content, err := io.ReadAll(r)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return content, err
}

// request has the owner of the clipboard write its text into a file, if it holds
// anything.
func (c *dataControl) request(into *os.File) (asked bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current.None() {
		return false, nil
	}
	kind, err := textAmong(c.offered[c.current.ID()])
	if err == nil {
		c.current.Receive(kind, into)
	}
	return err == nil, err
}

func (c *dataControl) offer(ctx context.Context, text string) (taken <-chan struct{}, err error) {
	reads := make(chan struct{}, 1)
	var source wire.DataControlSource
	source = c.manager.CreateDataSource(wire.DataControlSourceEvents{
		Send: func(_ string, into *os.File) {
			go func() { // the reader may be slow
				_ = giveText(into, text) // who asked sees the end
				tell(reads)
			}()
		},
		Cancelled: sync.OnceFunc(func() { source.Destroy() }), // KWin tells it twice
	})
	for _, kind := range texts {
		source.Offer(kind)
	}
	c.device.SetSelection(source)
	return reads, c.conn.Sync(ctx)
}
