//go:build linux

package x11

import (
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// own knows the input that we send, so that those who watch what a person
// does can leave it out. The X server does not say who sent an event, so each
// watcher keeps a list of what is still to come and strikes out what came. A
// person who does the very same thing at the same moment loses one event and
// keeps the other, which is the same.
type own struct {
	mu       sync.Mutex
	watchers map[*unseenInput]bool
}

// unseenInput is the input of ours that one watcher has not seen yet.
type unseenInput struct {
	mu   sync.Mutex
	list []sent
	held map[byte]bool // keys that we hold: the server repeats them
}

type sent struct {
	kind, detail byte
	at           desktop.Point // of a move
	when         time.Time
}

// forget is how long our own input is awaited. Some never comes: a move to
// where the pointer was, a release of what was not pressed.
const forget = 5 * time.Second

// watch begins a list; the caller ends it.
func (o *own) watch() *unseenInput {
	e := &unseenInput{held: map[byte]bool{}}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watchers == nil {
		o.watchers = map[*unseenInput]bool{}
	}
	o.watchers[e] = true
	return e
}

func (o *own) end(e *unseenInput) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.watchers, e)
}

func (o *own) expect(kind, detail byte) { o.add(sent{kind: kind, detail: detail}) }

func (o *own) expectMove(to desktop.Point) { o.add(sent{kind: xproto.MotionNotify, at: to}) }

func (o *own) add(s sent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for e := range o.watchers {
		e.add(s)
	}
}

func (e *unseenInput) add(s sent) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.when = time.Now()
	e.list = append(e.list, s)
	if s.kind == xproto.KeyPress {
		e.held[s.detail] = true
	}
}

// consume says whether an event is ours, and takes it off the list, together
// with what has been awaited for too long.
func (e *unseenInput) consume(s sent) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.list) > 0 && time.Since(e.list[0].when) > forget {
		e.list = e.list[1:]
	}
	for i, x := range e.list {
		if x.kind != s.kind || x.detail != s.detail || x.at != s.at {
			continue
		}
		e.list = append(e.list[:i], e.list[i+1:]...)
		if s.kind == xproto.KeyRelease {
			delete(e.held, s.detail)
		}
		return true
	}
	repeats := s.kind == xproto.KeyPress || s.kind == xproto.KeyRelease
	return repeats && e.held[s.detail]
}
