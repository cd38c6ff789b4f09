package uia

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/desktop"
)

// A source tells the elements of windows, and operates them. Its methods fail with
// desktop.ErrNotFound if an element is gone, and with desktop.ErrUnresponsive after a limited
// time.
type source interface {
	// tells reports whether the source has elements in a window.
	tells(ctx context.Context, w desktop.WindowID) (bool, error)
	// read reads an element with all that is below it, or alone; "" is the window itself.
	read(ctx context.Context, w desktop.WindowID, key string, alone bool) (*node, error)
	// at reads the elements at a point of a window alone, from the innermost to the window.
	at(ctx context.Context, w desktop.WindowID, at desktop.Point) ([]*node, error)
	// focused reads the element of a window that has the focus alone; nil if none has it.
	focused(ctx context.Context, w desktop.WindowID) (*node, error)
	// caret adds the caret of an element to the state of the focus.
	caret(ctx context.Context, n *node, f *desktop.FocusState) error
	setCaret(ctx context.Context, n *node, f desktop.FocusState) error
	// do performs an action that an element offers. Of desktop.Select, n is the child.
	do(ctx context.Context, n *node, a desktop.Action) error
	close()
}

// A node is an element as its source tells it.
type node struct {
	key string // within the source
	facts
	children []*node
	index    int
}

// adopt makes others the children of a node.
func (n *node) adopt(children []*node) {
	for i, c := range children {
		c.index = i
	}
	n.children = children
}

// count returns the number of elements that a node is with its descendants.
func (n *node) count() int {
	sum := 1
	for _, c := range n.children {
		sum += c.count()
	}
	return sum
}

// Options say what the elements belong to.
type Options struct {
	Windows  func(context.Context) ([]desktop.Window, error)
	Activate func(context.Context, desktop.WindowID) error
}

// Client reads and operates elements.
type Client struct {
	o       Options
	sources []named // the first that tells of a window is asked; the last tells of each
	trees   atomic.Int64

	mu   sync.Mutex
	from map[desktop.WindowID]named // the sources of windows other than the last
}

// named is a source with the letter by which handles name it.
type named struct {
	letter string
	source
}

// mostKnown bounds the windows of which it is remembered which source tells of them.
const mostKnown = 1000

func newClient(o Options, sources ...named) *Client {
	return &Client{o: o, sources: sources, from: map[desktop.WindowID]named{}}
}

// Close ends the sources.
func (c *Client) Close() error {
	for _, s := range c.sources {
		s.close()
	}
	return nil
}

// sourceOf returns the source that tells of a window.
func (c *Client) sourceOf(ctx context.Context, w desktop.WindowID) (named, error) {
	c.mu.Lock()
	known, ok := c.from[w]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	last := len(c.sources) - 1
	for _, s := range c.sources[:last] {
		if tells, err := s.tells(ctx, w); err != nil {
			return s, err
		} else if tells {
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.from) >= mostKnown {
				clear(c.from)
			}
			c.from[w] = s
			return s, nil
		}
	}
	return c.sources[last], nil
}

// handle returns the handle of a node: the letter of its source, its window and its key.
func (s named) handle(w desktop.WindowID, n *node) desktop.Handle {
	return desktop.Handle(fmt.Sprintf("%s:%x:%s", s.letter, uint64(w), n.key))
}

// A location is an element of a window that is there.
type location struct {
	named
	window *desktop.Window
	key    string
}

// parse returns what a handle names.
func (c *Client) parse(ctx context.Context, h desktop.Handle) (p location, err error) {
	letter, rest, _ := strings.Cut(string(h), ":")
	window, key, _ := strings.Cut(rest, ":")
	id, err := strconv.ParseUint(window, 16, 64)
	i := slices.IndexFunc(c.sources, func(s named) bool { return s.letter == letter })
	if err != nil || i < 0 || key == "" {
		return p, fmt.Errorf("%w: %q is no handle of an element", desktop.ErrNotFound, h)
	}
	list, err := c.o.Windows(ctx)
	if err != nil {
		return p, err
	}
	w := desktop.Windows(list).ByID(desktop.WindowID(id))
	if w == nil {
		return p, fmt.Errorf("%w: its window is closed", desktop.ErrNotFound)
	}
	return location{c.sources[i], w, key}, nil
}

// alone reads an element alone.
func (p location) alone(ctx context.Context) (*node, error) {
	return p.read(ctx, p.window.ID, p.key, true)
}

// element returns the element that a node is, without relatives.
func (p location) element(n *node) *desktop.Element {
	w := p.window
	e := &desktop.Element{
		Handle: p.handle(w.ID, n), Role: n.role(), RawRole: n.raw, Name: n.name, Description: n.help, Text: n.text, ID: n.id, Class: n.class,
		Process: w.Process, PID: w.PID, Window: w.ID, WindowTitle: w.Title, WindowBounds: w.Bounds,
		Bounds: n.box, States: n.states, Actions: n.actions(), Value: n.value, Index: n.index,
	}
	if n.aria != "" {
		e.Attributes = map[string]string{"xml-roles": n.aria}
	}
	if n.handle == uintptr(w.ID) {
		p.asWindow(e)
	}
	return e
}

// asWindow adds what the window system tells of an element that is a window.
func (p location) asWindow(e *desktop.Element) {
	w := p.window
	e.Aliases, e.Bounds = w.Aliases, w.Bounds
	if w.Title != "" {
		e.Name = w.Title
	}
	switch {
	case w.Dialog:
		e.Role = "dialog"
	case e.Role.Holds():
		e.Role = "frame"
	}
	if w.Active {
		e.States |= desktop.Active
	}
	if w.Modal {
		e.States |= desktop.IsModal
	}
}

// Refresh reads one element again, without its children.
func (c *Client) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	p, err := c.parse(ctx, h)
	if err != nil {
		return nil, err
	}
	n, err := p.alone(ctx)
	if err != nil {
		return nil, err
	}
	return p.element(n), nil
}

// ElementAt returns the control at a point, or else the innermost element there.
func (c *Client) ElementAt(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	list, err := c.o.Windows(ctx)
	if err != nil {
		return nil, err
	}
	w := desktop.Windows(list).At(at)
	if w == nil {
		return nil, fmt.Errorf("%w: there is no window at %s", desktop.ErrNotFound, at)
	}
	s, err := c.sourceOf(ctx, w.ID)
	if err != nil {
		return nil, naming(w, err)
	}
	chain, err := s.at(ctx, w.ID, at)
	if err != nil {
		return nil, naming(w, err)
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%w: no element is at %s in the window %q", desktop.ErrNotFound, at, w.Title)
	}
	return location{s, w, ""}.hit(chain), nil
}

// hit returns the element that a person would name at a point, with those around it.
func (p location) hit(chain []*node) *desktop.Element {
	all := make([]*desktop.Element, len(chain))
	for i, n := range chain {
		all[i] = p.element(n)
		if i > 0 {
			all[i-1].Parent = all[i]
		}
	}
	named := max(0, slices.IndexFunc(all, func(e *desktop.Element) bool { return e.Role.Is(desktop.Control) }))
	for _, e := range all[:named+1] {
		all[named].Hits = append(all[named].Hits, e.Handle)
	}
	return all[named]
}

// Hit is ElementAt: both sources run the hit test of the application.
func (c *Client) Hit(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return c.ElementAt(ctx, at)
}

// naming adds the program that an error is about.
func naming(w *desktop.Window, err error) error {
	if errors.Is(err, desktop.ErrUnresponsive) {
		return fmt.Errorf("%s: %w", w.Process, err)
	}
	return err
}

// Delays between two looks at what may change, which Windows tells only to programs that
// take part in it.
const (
	betweenFocus    = 50 * time.Millisecond
	betweenElements = 100 * time.Millisecond
)

// WatchFocus calls f when the focus may have moved.
func (c *Client) WatchFocus(ctx context.Context, f func()) error {
	type where struct {
		window  desktop.WindowID
		element desktop.Handle
	}
	return poll(ctx, betweenFocus, f, func() where {
		s, _ := c.SaveFocus(ctx)
		return where{s.Window, s.Element}
	})
}

// WatchElement calls f when an element may show something else.
func (c *Client) WatchElement(ctx context.Context, h desktop.Handle, f func()) error {
	type shown struct {
		name, text string
		states     desktop.States
		value      desktop.Range
	}
	return poll(ctx, betweenElements, f, func() (now shown) {
		if e, err := c.Refresh(ctx, h); err == nil {
			now = shown{name: e.Name, text: e.Text, states: e.States}
			if e.Value != nil {
				now.value = *e.Value
			}
		}
		return now
	})
}

// poll calls f at once, and whenever get returns something else, until the context ends.
func poll[T comparable](ctx context.Context, every time.Duration, f func(), get func() T) error {
	before := get()
	f()
	for {
		if err := desktop.Sleep(ctx, every); err != nil {
			return err
		}
		if now := get(); now != before {
			before = now
			f()
		}
	}
}
