//go:build linux

package atspi

import "fmt"

// A callKey identifies a call that may be sent before its reply is wanted.
type callKey struct {
	object
	method, args string
}

// A prefetched call is in flight, or has its reply.
type prefetched struct {
	answered bool
	body     []any
	err      error
	then     replyFunc // nil until the reply is wanted
}

func keyOf(to object, method string, args []any) callKey {
	return callKey{to, method, fmt.Sprint(args...)}
}

// prefetch sends now what is likely to be asked soon: the calls that do makes
// go out with the next batch, and do's callbacks are dropped. So what would
// take a round trip per level of a tree takes one. A wrong guess costs the
// application a reply that nobody reads, and nothing else: no reply is ever
// guessed.
func (p *pipeline) prefetch(do func()) {
	p.prefetching = true
	do()
	p.prefetching = false
}

// askAhead queues a call whose reply nobody wants yet.
func (p *pipeline) askAhead(to object, method string, args []any) {
	q := keyOf(to, method, args)
	if p.prefetched[q] != nil {
		return
	}
	if p.prefetched == nil {
		p.prefetched = map[callKey]*prefetched{}
	}
	f := &prefetched{}
	p.prefetched[q] = f
	p.queue = append(p.queue, request{to, method, args, func(body []any, err error) {
		f.answered, f.body, f.err = true, body, err
		if f.then != nil {
			f.then(body, err)
		}
	}})
}

// takePrefetched hands on the reply of a prefetched call, now or when it
// arrives. It serves each call once: a second request wants a fresh reply.
func (p *pipeline) takePrefetched(to object, method string, args []any, then replyFunc) bool {
	if len(p.prefetched) == 0 {
		return false
	}
	q := keyOf(to, method, args)
	f := p.prefetched[q]
	if f == nil {
		return false
	}
	delete(p.prefetched, q)
	if f.answered {
		then(f.body, f.err)
	} else {
		f.then = then
	}
	return true
}
