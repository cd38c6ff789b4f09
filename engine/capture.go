package engine

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"sync"

	"understudy/internal/film"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

// Camera takes the pictures of steps: of the whole screen, encoded and stored
// beside the run, with the boxes of password fields blanked.
type Camera struct {
	Files Files
	// Passwords are the password fields that were seen so far, which the kinds
	// that take pictures share; nil: those that the camera sees itself.
	Passwords *observe.Passwords

	once sync.Once
	slot chan struct{} // one place for each picture that may be under way

	mu   sync.Mutex
	film film.Film // guarded by mu
	last *shot     // guarded by mu
}

// underWay is how many pictures may wait to be stored; each is some megabytes
// of memory, so the next one waits for a place.
const underWay = 6

// Take takes a picture, and stores it beside what goes on.
func (c *Camera) Take(ctx context.Context, d *desktop.Desktop, keep func(hash string, size int, err error)) {
	c.once.Do(func() {
		c.slot = make(chan struct{}, underWay)
		c.Passwords = cmp.Or(c.Passwords, &observe.Passwords{})
	})
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done():
		keep("", 0, context.Cause(ctx))
		return
	}
	fields := c.Passwords.Where(ctx, d)
	develop, err := d.Snap(ctx)
	if err != nil {
		<-c.slot
		keep("", 0, err)
		return
	}
	go func() {
		defer func() { <-c.slot }()
		keep(c.store(context.WithoutCancel(ctx), d, develop, fields))
	}()
}

type shot struct {
	pixels *image.RGBA // as it was taken
	file   []byte      // what is stored of it
	done   chan struct{}
}

// store stores a picture that was taken, with the fields of passwords blanked.
func (c *Camera) store(ctx context.Context, d *desktop.Desktop, develop func() *image.RGBA, fields []desktop.Rect) (hash string, size int, err error) {
	s := &shot{pixels: develop(), done: make(chan struct{})}
	if before := c.follow(s); before != nil && same(before.pixels, s.pixels) { // with the same fields
		<-before.done
		s.file = before.file
	} else {
		fields = append(fields, c.Passwords.Find(ctx, d)...)
		s.file = c.write(observe.Blank(s.pixels, desktop.Point{}, fields))
	}
	close(s.done)
	hash, err = c.Files.Put(ctx, Captures, s.file)
	return hash, len(s.file), err
}

// follow makes a shot the last one, and gives the one before.
func (c *Camera) follow(s *shot) *shot {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.last
	c.last = s
	return before
}

func same(a, b *image.RGBA) bool { return a.Rect == b.Rect && bytes.Equal(a.Pix, b.Pix) }

func (c *Camera) write(p *image.RGBA) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.film.Add(p)
}

// KeepPicture stores a picture and gives its hash and its size.
func KeepPicture(ctx context.Context, f Files, p *image.RGBA) (hash string, size int, err error) {
	file := new(film.Film).Add(p)
	hash, err = f.Put(ctx, Captures, file)
	return hash, len(file), err
}
