//go:build linux

package x11

import (
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// own tells the input that we send to those who watch what a person does, so that they can
// leave it out. The X server does not say who sent an event, so each watcher has a list of our
// input that is still to come, and consumes it as it arrives. If a person does the very same
// thing at the same moment, one of the two equal events is lost.
type own struct {
	mu       sync.Mutex
	watchers map[*unseenInput]bool // guarded by mu
}

// unseenInput is the input of ours that one watcher has not seen yet.
type unseenInput struct {
	own  *own
	list []sent        // guarded by own.mu
	held map[byte]bool // keys that we hold, which the server repeats; guarded by own.mu
}

type sent struct {
	kind, detail byte
	at           desktop.Point // of a move
	when         time.Time
}

// forget is how long our input is waited for. Some never arrives: a move to where the pointer
// is already, the release of a button that is up.
const forget = 5 * time.Second

// watch begins a list, until it is ended.
func (o *own) watch() *unseenInput {
	e := &unseenInput{own: o, held: map[byte]bool{}}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watchers == nil {
		o.watchers = map[*unseenInput]bool{}
	}
	o.watchers[e] = true
	return e
}

func (e *unseenInput) end() {
	e.own.mu.Lock()
	defer e.own.mu.Unlock()
	delete(e.own.watchers, e)
}

func (o *own) expect(kind, detail byte) { o.add(sent{kind: kind, detail: detail}) }

func (o *own) expectMove(to desktop.Point) { o.add(sent{kind: xproto.MotionNotify, at: to}) }

func (o *own) add(s sent) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s.when = time.Now()
	for e := range o.watchers {
		e.list = append(e.list, s)
		if s.kind == xproto.KeyPress {
			e.held[s.detail] = true
		}
	}
}

// consume reports whether an event is ours, and removes it from the list, together with what
// has been waited for too long.
func (e *unseenInput) consume(s sent) bool {
	e.own.mu.Lock()
	defer e.own.mu.Unlock()
	for len(e.list) > 0 && time.Since(e.list[0].when) > forget {
		e.list = e.list[1:]
	}
	i := slices.IndexFunc(e.list, func(x sent) bool { return x.kind == s.kind && x.detail == s.detail && x.at == s.at })
	if i < 0 {
		return (s.kind == xproto.KeyPress || s.kind == xproto.KeyRelease) && e.held[s.detail]
	}
	e.list = slices.Delete(e.list, i, i+1)
	if s.kind == xproto.KeyRelease {
		delete(e.held, s.detail)
	}
	return true
}
