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

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// texts are the types of text on a clipboard, the best first.
var texts = []string{"text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING", "TEXT"}

// secretHint is a type beside those, of the content "secret", by which programs that keep a history
// of clipboards know that they must not keep a text.
const secretHint = "x-kde-passwordManagerHint"

// kindsOf returns the types that a text of ours is offered as.
func kindsOf(secret bool) []string {
	if secret {
		return append(slices.Clone(texts), secretHint)
	}
	return texts
}

// textAmong returns the best type of text among the types that a clipboard offers.
func textAmong(kinds []string) (string, error) {
	for _, kind := range texts {
		if slices.Contains(kinds, kind) {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%w: the clipboard holds something that is no text", desktop.ErrRefused)
}

// giveText writes our text to a program that reads the clipboard.
func giveText(into *os.File, text string) error {
	_ = into.SetWriteDeadline(time.Now().Add(readWithin))
	_, err := io.WriteString(into, text)
	return errors.Join(err, into.Close())
}

// tellRead reports that our text was read, unless that is pending already.
func tellRead(reads chan<- struct{}) {
	select {
	case reads <- struct{}{}:
	default:
	}
}

// A selection is the clipboard of a compositor.
type selection interface {
	// read returns its text, "" if it is empty. It fails with desktop.ErrRefused if the
	// clipboard holds something other than text.
	read(ctx context.Context) (string, error)
	// offer puts text there, where it stays until another program takes the clipboard or we
	// end. The channel receives when a program has read it. A secret is kept by no history.
	offer(ctx context.Context, text string, secret bool) (taken <-chan struct{}, err error)
}

// clipboard reads and writes the clipboard without having the focus.
type clipboard struct {
	*Driver
	selection selection
	missing   error // why there is no selection
}

// ReadClipboard returns the text of the clipboard.
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
	_, err := c.selection.offer(ctx, text, false)
	return err
}

// dataControl is the clipboard by the data control protocol.
type dataControl struct {
	*Driver
	manager wire.DataControlManager
	device  wire.DataControlDevice

	mu      sync.Mutex          // guards the fields below
	offered map[uint32][]string // the types of offers
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

// announced hears of an offer and its types. It may become the selection next.
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
	if err := c.conn.Sync(ctx); err != nil { // so that earlier copies have been announced
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

// readText reads the text that the owner of the clipboard writes.
func readText(ctx context.Context, r *os.File) (string, error) {
	text, err := readPipe(ctx, r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("the program that owns the clipboard: %w", desktop.ErrUnresponsive)
	}
	return string(text), err
}

// readPipe reads what another program writes, within readWithin.
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

// request asks the owner of the clipboard to write its text into a file, unless the clipboard
// is empty.
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

func (c *dataControl) offer(ctx context.Context, text string, secret bool) (taken <-chan struct{}, err error) {
	reads := make(chan struct{}, 1)
	var source wire.DataControlSource
	source = c.manager.CreateDataSource(wire.DataControlSourceEvents{
		Send: func(kind string, into *os.File) {
			go func() { // the reader may be slow
				if kind == secretHint {
					_ = giveText(into, "secret")
					return
				}
				_ = giveText(into, text) // the reader sees the end
				tellRead(reads)
			}()
		},
		Cancelled: sync.OnceFunc(func() { source.Destroy() }), // KWin sends it twice
	})
	for _, kind := range kindsOf(secret) {
		source.Offer(kind)
	}
	c.device.SetSelection(source)
	return reads, c.conn.Sync(ctx)
}
