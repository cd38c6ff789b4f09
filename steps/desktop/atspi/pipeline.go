//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// inFlight is how many calls to one application may wait for their answers.
// More is no faster: the application answers one at a time.
const inFlight = 64

// A pipeline keeps many calls in flight. What is to be done with an answer is
// a function, which may ask more; all of them run on the goroutine that called
// run, one after the other, so they need no locks.
//
// How long all of it takes depends on how much there is. So there is no time
// limit on the whole, but one on silence: an application that goes on
// answering is read to the end.
type pipeline struct {
	ctx     context.Context
	conn    dbusConn
	timeout time.Duration // how long no answer may come
	program      string        // the program that is asked, for who hears that it did not answer
	done    chan *dbus.Call
	open    map[*dbus.Call]replyFunc
	queue   []request
	lost    error // set when the connection is

	prefetching bool                   // what is asked is only foreseen
	prefetched map[callKey]*prefetched // see foresee
}

// An answer is what to do with the body of a reply, or with its error.
type replyFunc func(body []any, err error)

type request struct {
	to     object
	method string
	args   []any
	then   replyFunc
}

func newPipeline(ctx context.Context, l dbusConn, silence time.Duration) *pipeline {
	return &pipeline{
		ctx:     ctx,
		conn:    l,
		timeout: silence,
		done:    make(chan *dbus.Call, inFlight), // never blocks the connection: one place per open call
		open:    map[*dbus.Call]replyFunc{},
	}
}

// keyOf queues a call.
func (p *pipeline) ask(to object, method string, then replyFunc, args ...any) {
	switch {
	case p.prefetching:
		p.askAhead(to, method, args)
	case p.takePrefetched(to, method, args, then):
	default:
		p.queue = append(p.queue, request{to, method, args, then})
	}
}

// want queues a call of which only a successful answer matters.
func (p *pipeline) want(to object, method string, then func(body []any), args ...any) {
	p.ask(to, method, func(body []any, err error) {
		if err == nil {
			then(body)
		}
	}, args...)
}

// get queues reading a property, of which only the value matters.
func (p *pipeline) get(to object, iface, name string, then func(value any)) {
	p.want(to, ifaceProperties+".Get", func(body []any) { then(variant(body)) }, iface, name)
}

// run sends what is queued and handles the answers until none is missing.
func (p *pipeline) run() error {
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	for len(p.open)+len(p.queue) > 0 {
		p.send()
		select {
		case call := <-p.done:
			p.finish(call)
			timer.Reset(p.timeout)
		case <-timer.C:
			return namingProgram(p.program, desktop.ErrUnresponsive)
		case <-p.ctx.Done():
			return namingProgram(p.program, context.Cause(p.ctx))
		}
		if p.lost != nil {
			return p.lost
		}
	}
	return nil
}

// namingProgram says which program did not answer.
func namingProgram(program string, err error) error {
	if program == "" || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", program, err)
}

// send sends as much of what is queued as may be under way.
func (p *pipeline) send() {
	for len(p.queue) > 0 && len(p.open) < inFlight {
		r := p.queue[0]
		p.queue = p.queue[1:]
		p.open[p.conn.Object(r.to.bus, r.to.path).GoWithContext(p.ctx, r.method, 0, p.done, r.args...)] = r.then
	}
}

// finish hands one answer on.
func (p *pipeline) finish(call *dbus.Call) {
	then := p.open[call]
	delete(p.open, call)
	if p.ctx.Err() != nil {
		return // the answer is that we stopped waiting, which run reports
	}
	err := p.conn.translateError(call.Err)
	if err != nil && !p.conn.Connected() {
		p.lost = err
		return
	}
	then(call.Body, err)
}

// call asks one thing and waits for the answer.
func (p *pipeline) call(to object, method string, args ...any) (body []any, err error) {
	p.ask(to, method, func(b []any, failed error) { body, err = b, failed }, args...)
	if lost := p.run(); lost != nil {
		return nil, lost
	}
	return body, err
}
