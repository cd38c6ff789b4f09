//go:build linux

package atspi

import "fmt"

// A question is a call that may be asked before its answer is wanted.
type callKey struct {
	object
	method, args string
}

// A forecast is a question that is under way, or its answer.
type prefetched struct {
	answered bool
	body     []any
	err      error
	then     replyFunc // who wants it; nil when nobody has asked yet
}

func keyOf(to object, method string, args []any) callKey {
	return callKey{to, method, fmt.Sprint(args...)}
}

// prefetch asks now for what is likely to be wanted soon. What do asks is sent
// with what is asked next, and what it would do with the answers is left out.
// So what would take a round trip for each level of a tree takes one. A wrong
// guess costs the application an answer that nobody wants, and nothing else:
// no answer is ever guessed.
func (p *pipeline) prefetch(do func()) {
	p.prefetching = true
	do()
	p.prefetching = false
}

// askAhead asks a question that nobody wants the answer of yet.
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

// takePrefetched hands on the answer of a question that was foreseen, now or when it
// comes. Whoever asks a second time wants to know anew.
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
