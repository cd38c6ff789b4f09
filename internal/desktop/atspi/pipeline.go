//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// inFlight bounds the calls to one application that are in flight. More is no
// faster: the application replies one at a time.
const inFlight = 64

// A pipeline keeps many calls in flight. Each reply goes to a callback, which
// may queue more calls; all callbacks run sequentially on the goroutine that
// called run, so they need no locks.
//
// The whole takes as long as there is data, so the timeout applies to silence
// only: an application that keeps replying is read to the end.
type pipeline struct {
	ctx     context.Context
	conn    dbusConn
	home    string        // the program that conn reaches if that is direct
	bus     dbusConn      // reaches all others
	timeout time.Duration // how long no reply may arrive
	program string        // for errors
	silent  func(object)  // called with one that did not reply for that long; nil does nothing
	done    chan *dbus.Call
	open    map[*dbus.Call]request
	queue   []request
	lost    error // why the connection was lost
}

// A replyFunc handles the body of a reply, or its error.
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
		done:    make(chan *dbus.Call, inFlight), // room for every open call, so that the connection never blocks
		open:    map[*dbus.Call]request{},
	}
}

// ask queues a call.
func (p *pipeline) ask(to object, method string, then replyFunc, args ...any) {
	p.queue = append(p.queue, request{to, method, args, then})
}

// onSuccess passes a successful reply to take, and continues in either case.
func onSuccess(take func(body []any), then func()) replyFunc {
	return func(body []any, err error) {
		if err == nil {
			take(body)
		}
		then()
	}
}

// want queues a call and ignores its error.
func (p *pipeline) want(to object, method string, then func(body []any), args ...any) {
	p.ask(to, method, onSuccess(then, func() {}), args...)
}

// get queues reading a property and ignores its error.
func (p *pipeline) get(to object, iface, name string, then func(value any)) {
	p.want(to, ifaceProperties+".Get", func(body []any) { then(variant(body)) }, iface, name)
}

// run sends what is queued and handles the replies until none is missing.
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
			p.reportSilence()
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

// reportSilence reports an object that does not reply, one of the application if
// there is one.
func (p *pipeline) reportSilence() {
	var o object
	for _, r := range p.open {
		if o.none() || r.to.bus == p.home {
			o = r.to
		}
	}
	if p.silent != nil {
		p.silent(o)
	}
}

// namingProgram adds the program that did not reply.
func namingProgram(program string, err error) error {
	if program == "" || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%s: %w", program, err)
}

// send sends as much of the queue as may be in flight.
func (p *pipeline) send() {
	for len(p.queue) > 0 && len(p.open) < inFlight {
		r := p.queue[0]
		p.queue = p.queue[1:]
		p.open[p.connOf(r.to).Object(r.to.bus, r.to.path).GoWithContext(p.ctx, r.method, 0, p.done, r.args...)] = r
	}
}

// connOf returns the connection that reaches an object.
func (p *pipeline) connOf(o object) dbusConn {
	if p.conn.direct && o.bus != p.home {
		return p.bus
	}
	return p.conn
}

// finish dispatches one reply.
func (p *pipeline) finish(call *dbus.Call) {
	r := p.open[call]
	conn := p.connOf(r.to)
	delete(p.open, call)
	if p.ctx.Err() != nil {
		return // run reports the cancellation
	}
	err := conn.translateError(call.Err)
	if err != nil && !conn.Connected() {
		p.lost = err
		return
	}
	r.then(call.Body, err)
}

// call makes one call and waits for the reply.
func (p *pipeline) call(to object, method string, args ...any) (body []any, err error) {
	p.ask(to, method, func(b []any, failed error) { body, err = b, failed }, args...)
	if lost := p.run(); lost != nil {
		return nil, lost
	}
	return body, err
}
