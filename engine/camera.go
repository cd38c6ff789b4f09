package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"sync"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Camera takes the pictures of steps: of the whole screen, encoded and stored
// beside the run, with the boxes of password fields blanked.
type Camera struct {
	Files Files
	// Passwords are the password fields that were seen so far, which the kinds
	// that take pictures share; nil: those that the camera sees itself.
	Passwords *steps.Passwords

	once sync.Once
	slot chan struct{} // one place for each picture that may be under way
	mu   sync.Mutex
	last frame
}

// frame is a picture that was stored, so that an equal one is not encoded
// again.
type frame struct {
	pixels *image.RGBA
	hash   string
}

// underWay is how many pictures may wait to be stored; each is some megabytes
// of memory, so the next one waits for a place.
const underWay = 6

// Take takes a picture, and stores it beside what goes on.
func (c *Camera) Take(ctx context.Context, d *desktop.Desktop, keep func(hash string, err error)) {
	c.once.Do(func() {
		c.slot = make(chan struct{}, underWay)
		c.Passwords = cmp.Or(c.Passwords, &steps.Passwords{})
	})
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done():
		keep("", context.Cause(ctx))
		return
	}
	fields := c.Passwords.Where(ctx, d)
	p, err := d.Capture(ctx, desktop.Rect{})
	if err != nil {
		<-c.slot
		keep("", err)
		return
	}
	go func() {
		defer func() { <-c.slot }()
		free := context.WithoutCancel(ctx)
		c.Passwords.Blank(free, d, p, desktop.Point{}, fields)
		keep(c.store(free, p))
	}()
}

// store encodes a picture, unless it equals the last one.
func (c *Camera) store(ctx context.Context, p *image.RGBA) (string, error) {
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last.pixels != nil && last.pixels.Rect == p.Rect && bytes.Equal(last.pixels.Pix, p.Pix) {
		return last.hash, nil
	}
	hash, err := KeepPicture(ctx, c.Files, p)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = frame{p, hash}
	return hash, nil
}

// KeepPicture stores a picture and gives its hash.
func KeepPicture(ctx context.Context, f Files, p image.Image) (string, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, p); err != nil {
		return "", fmt.Errorf("encoding a picture: %w", err)
	}
	return f.Put(ctx, Captures, b.Bytes())
}
