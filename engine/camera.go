package engine

import (
	"cmp"
	"context"
	"image"
	"sync"

	"understudy/internal/film"
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
	film film.Film // guarded by mu
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
	develop, err := d.Snap(ctx)
	if err != nil {
		<-c.slot
		keep("", err)
		return
	}
	go func() {
		defer func() { <-c.slot }()
		keep(c.store(context.WithoutCancel(ctx), d, develop, fields))
	}()
}

// store stores a picture that was taken, with the fields of passwords blanked.
func (c *Camera) store(ctx context.Context, d *desktop.Desktop, develop func() *image.RGBA, fields []desktop.Rect) (string, error) {
	fields = append(fields, c.Passwords.Find(ctx, d)...) // first, as what the picture shows may go
	p := develop()
	steps.Blank(p, desktop.Point{}, fields)
	return c.Files.Put(ctx, Captures, c.write(p))
}

func (c *Camera) write(p *image.RGBA) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.film.Add(p)
}

// KeepPicture stores a picture and gives its hash.
func KeepPicture(ctx context.Context, f Files, p *image.RGBA) (string, error) {
	return f.Put(ctx, Captures, new(film.Film).Add(p))
}
