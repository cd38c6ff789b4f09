package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/film"
	"understudy/steps"
	"understudy/steps/observe"
	"understudy/workflows"
)

// Camera takes pictures of the whole screen for steps, blanks password fields, and
// encodes and stores the pictures in the background.
type Camera struct {
	Files Files
	// Passwords are the password fields seen so far, shared with the kinds that take
	// pictures; nil: only those that the camera finds itself.
	Passwords *observe.Passwords

	once sync.Once
	slot chan struct{} // holds one token for each picture that is being stored

	mu   sync.Mutex
	film film.Film // guarded by mu
	last *shot     // guarded by mu
}

// underWay limits the pictures that wait to be stored. Each takes some megabytes of
// memory; further calls of Take block.
const underWay = 6

// Take takes a picture and returns; the picture is stored in the background.
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
	pixels *image.RGBA // before blanking
	file   []byte      // the encoded picture; nil: it could not be encoded
	done   chan struct{}
}

// store encodes and stores a picture with its password fields blanked. A picture that
// equals the one before is not encoded again.
func (c *Camera) store(ctx context.Context, d *desktop.Desktop, develop func() *image.RGBA, fields []desktop.Rect) (hash string, size int, err error) {
	defer func() {
		if p := recover(); p != nil { // in a goroutine, it would end the process
			err = fmt.Errorf("taking the picture: internal error (panic): %v", p)
		}
	}()
	file := c.encode(ctx, d, &shot{pixels: develop(), done: make(chan struct{})}, fields)
	hash, err = c.Files.Put(ctx, Captures, file)
	return hash, len(file), err
}

func (c *Camera) encode(ctx context.Context, d *desktop.Desktop, s *shot, fields []desktop.Rect) []byte {
	defer close(s.done)
	c.mu.Lock()
	before := c.last
	c.last = s
	c.mu.Unlock()
	if before != nil && same(before.pixels, s.pixels) { // and so with the same password fields
		<-before.done
		s.file = before.file
	}
	if s.file == nil {
		fields = append(fields, c.Passwords.Find(ctx, d)...)
		blank := observe.Blank(s.pixels, desktop.Point{}, fields)
		c.mu.Lock()
		defer c.mu.Unlock()
		s.file = c.film.Add(blank)
	}
	return s.file
}

func same(a, b *image.RGBA) bool { return a.Rect == b.Rect && bytes.Equal(a.Pix, b.Pix) }

// KeepPicture stores a picture and returns its hash and size.
func KeepPicture(ctx context.Context, f Files, p *image.RGBA) (hash string, size int, err error) {
	file := new(film.Film).Add(p)
	hash, err = f.Put(ctx, Captures, file)
	return hash, len(file), err
}

// Pictures takes pictures of steps.
type Pictures interface {
	// Take returns as soon as the picture is taken. It is encoded and stored in the
	// background; keep is called once, with the hash and size, or with an error.
	Take(ctx context.Context, d *desktop.Desktop, keep func(hash string, size int, err error))
}

// pictureTime bounds how long the end of a run waits for pictures to be stored.
const pictureTime = 5 * time.Second

// capturePolicy returns when to take pictures of a step: the step's setting, else the
// document's, else before and after steps that act.
func (j *journal) capturePolicy(n *workflows.Node) workflows.Policy {
	p := cmp.Or(n.Screenshots, j.program.Options.Screenshots)
	switch {
	case n.Kind.Touches == steps.None:
		return workflows.NoPicture
	case p == "" && n.Kind.Touches == steps.Act:
		return workflows.Around
	case p == "":
		return workflows.NoPicture
	}
	return p
}

func (w *worker) picture(ctx context.Context, env *steps.Env, e start, p workflows.Policy, when string) {
	wanted := p == workflows.Around || p == workflows.After && when == "after"
	if !wanted || w.e.Pictures == nil || env.Desktop == nil {
		return
	}
	taken := time.Now().UTC()
	w.inbox.expect()
	w.e.Pictures.Take(ctx, env.Desktop, func(hash string, size int, err error) {
		defer w.inbox.pictureDone()
		if err == nil {
			err = w.inbox.put(EvCaptured, e.path, Captured{Try: e.try, When: when, Hash: hash, Bytes: size, TakenAt: taken})
		}
		if err != nil {
			w.e.log().Warn("picture not stored", "run", w.id, "step", e.path, "error", err)
		}
	})
}

// lastPicture stores a picture of the desktop as it is now, and returns its hash;
// empty: there is none.
func (x *runDesktop) lastPicture(ctx context.Context) string {
	if x.e.Pictures == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	d, err := x.desk().Open(ctx)
	if err != nil {
		return ""
	}
	defer x.releaseDesktop(x.s.Status == Succeeded)
	taken := make(chan string, 1)
	x.e.Pictures.Take(ctx, d, func(hash string, _ int, err error) {
		if err != nil {
			x.e.log().Warn("no picture of a desktop that a person has taken over", "run", x.id, "error", err)
		}
		taken <- hash
	})
	select {
	case hash := <-taken:
		return hash
	case <-ctx.Done():
		return ""
	}
}

func (j *journal) keepPicture(ctx context.Context, p *image.RGBA) (string, error) {
	hash, size, err := KeepPicture(ctx, j.e.Files, p)
	if err != nil {
		return "", err
	}
	j.uncounted.Add(int64(size))
	return CaptureURI(hash), nil
}
